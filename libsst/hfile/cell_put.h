/* Cells as they will be in a data block, and what the file info says of them all: shared by the writer that fills a block cell
 * by cell (hfile_writer.c) and by batches of rows that are prepared for it (row_batch.c). Runs once per cell, so it is inline.
 * Exports: sums */
#ifndef HFILE_CELL_PUT_H
#define HFILE_CELL_PUT_H

#include "base/bytes.h"
#include "base/wire.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "hfile/hfile.h"

enum {
    CELL_STAMP_BYTES = 9,          /* timestamp and type: the end of a key */
    CELL_COPY_BYTES = 16,          /* the prefix of a key is copied in such steps, so up to 15 bytes too far */
    CELL_PART_BYTES_MAX = 1 << 30, /* of one value or qualifier: lengths are 32 bit in the file, blocks too */
};

/* Most qualifiers and values are short: two overlapping moves of fixed size cost less than a call. */
static inline uint8_t *put_bytes(uint8_t *p, struct bytes b) {
    if (b.n > 32) {
        memcpy(p, b.p, b.n);
    } else if (b.n >= 16) {
        memcpy(p, b.p, 16);
        memcpy(p + b.n - 16, b.p + b.n - 16, 16);
    } else if (b.n >= 8) {
        memcpy(p, b.p, 8);
        memcpy(p + b.n - 8, b.p + b.n - 8, 8);
    } else {
        for (size_t i = 0; i < b.n; i++) p[i] = b.p[i];
    }
    return p + b.n;
}

/* Makes the prefix of every key of a row: i16 rowLen, row, i8 familyLen, family. Padded, so that it can be copied in steps. */
static inline int key_prefix_put(struct buf *prefix, const struct row_part *part, struct err *err) {
    size_t n = 2 + part->row.n + 1 + part->family.n;
    buf_clear(prefix);
    if (buf_reserve(prefix, n + CELL_COPY_BYTES, err)) return -1;
    uint8_t *p = put_bytes(put_be16(prefix->p, (uint16_t)part->row.n), part->row);
    *p++ = (uint8_t)part->family.n;
    memset(put_bytes(p, part->family), 0, CELL_COPY_BYTES);
    prefix->n = n;
    return 0;
}

static inline size_t cell_put_room(size_t key_n, const struct cell *c) {
    return 8 + key_n + c->value.n + 2 + c->tags.n + HADOOP_VLONG_MAX + VALUE_SPARE_BYTES;
}

/* Writes the cell and returns its end; spare: of its part; *kv_n: the bytes that its digest covers. */
static inline uint8_t *cell_put(uint8_t *start, const struct hfile_write_opts *o, struct bytes prefix, const struct cell *c,
                                bool spare, size_t *kv_n) {
    size_t key_n = prefix.n + c->qualifier.n + CELL_STAMP_BYTES;
    uint8_t *p = put_be32(put_be32(start, (uint32_t)key_n), (uint32_t)c->value.n);
    for (size_t i = 0; i < prefix.n; i += CELL_COPY_BYTES) memcpy(p + i, prefix.p + i, CELL_COPY_BYTES);
    p = put_bytes(p + prefix.n, c->qualifier);
    p = put_be64(p, (uint64_t)c->ts_ms);
    *p++ = c->type;
    p = spare ? put_spare_value(p, c->value) : put_bytes(p, c->value);
    const uint8_t *end = p;
    if (o->tags) {
        p = put_bytes(put_be16(p, (uint16_t)c->tags.n), c->tags);
        if (c->tags.n) end = p;
    }
    if (o->mvcc) p += hadoop_vlong_put(p, o->seqs ? (int64_t)c->seq : 0);
    *kv_n = (size_t)(end - start);
    return p;
}

/* A cell that cannot be written as it is: cell_put_check says why. */
static inline bool cell_is_odd(const struct hfile_write_opts *o, const struct cell *c) {
    return ((c->value.n | c->qualifier.n) >> 30) || (c->tags.n && (c->tags.n > TAGS_MAX_BYTES || !o->tags)) || c->seq >> 63;
}

/* ---- sums ---- */

struct writer_sums {
    struct tally tally;
    uint64_t puts, deletes, duplicates, kv_bytes; /* as in hfile_write_stats */
    uint64_t key_bytes, value_bytes;
    uint64_t family_deletes;
    uint64_t max_seq;
    uint64_t biggest_bytes;
    uint32_t max_tags;
    int64_t ts_min, ts_max, earliest_put_ms;
    bool range_delete; /* a DeleteColumn or DeleteFamily: TIMERANGE includes 0 */
};

static inline struct writer_sums sums_none(void) {
    return (struct writer_sums){.ts_min = INT64_MAX, .ts_max = -1, .earliest_put_ms = INT64_MAX};
}

/* The last cell put into a buffer, if its digest is not in the sums yet. It is taken when the next cell has been put: a processor
 * waits for bytes that it has just written in other pieces than it reads. */
struct late_cell {
    size_t at, n; /* n 0: there is none */
};

static inline void sums_digest(struct writer_sums *m, const uint8_t *kv, size_t kv_n) {
    tally_one(&m->tally, digest_kv(kv, kv_n));
}

static inline void sums_digest_late(struct writer_sums *m, const struct buf *b, struct late_cell *late) {
    if (late->n) sums_digest(m, b->p + late->at, late->n);
    late->n = 0;
}

/* All but the digest and the largest cell. */
static inline void sums_note(struct writer_sums *m, size_t kv_n, const struct cell *c, size_t key_n) {
    m->kv_bytes += kv_n;
    m->key_bytes += key_n;
    m->value_bytes += c->value.n;
    if (c->ts_ms < m->ts_min) m->ts_min = c->ts_ms;
    if (c->ts_ms > m->ts_max) m->ts_max = c->ts_ms;
    if (c->type == CELL_PUT) {
        m->puts++;
        if (c->ts_ms < m->earliest_put_ms) m->earliest_put_ms = c->ts_ms;
    } else {
        m->deletes++;
        if (c->type == CELL_DELETE_COLUMN || c->type == CELL_DELETE_FAMILY) m->range_delete = true;
    }
    if (c->tags.n > m->max_tags) m->max_tags = (uint32_t)c->tags.n;
    if (c->seq > m->max_seq) m->max_seq = c->seq;
}

static inline void sums_add(struct writer_sums *a, const struct writer_sums *b) {
    tally_add(&a->tally, b->tally);
    a->puts += b->puts;
    a->deletes += b->deletes;
    a->duplicates += b->duplicates;
    a->kv_bytes += b->kv_bytes;
    a->key_bytes += b->key_bytes;
    a->value_bytes += b->value_bytes;
    a->family_deletes += b->family_deletes;
    if (b->max_seq > a->max_seq) a->max_seq = b->max_seq;
    if (b->biggest_bytes > a->biggest_bytes) a->biggest_bytes = b->biggest_bytes;
    if (b->max_tags > a->max_tags) a->max_tags = b->max_tags;
    if (b->ts_min < a->ts_min) a->ts_min = b->ts_min;
    if (b->ts_max > a->ts_max) a->ts_max = b->ts_max;
    if (b->earliest_put_ms < a->earliest_put_ms) a->earliest_put_ms = b->earliest_put_ms;
    a->range_delete |= b->range_delete;
}

#endif
