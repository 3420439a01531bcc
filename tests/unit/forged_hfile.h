/* Test support: small HFiles of any version built byte by byte, without compression, one cell a block: what HBase could
 * have written and what it could not. */
#ifndef TESTS_FORGED_HFILE_H
#define TESTS_FORGED_HFILE_H

#include "base/bytes.h"
#include "base/fs.h"
#include "base/wire.h"
#include "cell/keyvalue.h"
#include "hfile/block.h"
#include "hfile/file_info.h"
#include "hfile/trailer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct forge_opts {
    unsigned major, minor;
    unsigned cells, meta_blocks;
    const char *comparator;      /* NULL: the usual one of the version */
    const char *index_encoding;  /* not NULL: INDEX_BLOCK_ENCODING, and unless NONE a root index that is noise */
    bool last_data_is_minus_one; /* in a file without cells, as HBase 2 writes it; before: 0 */
    struct bytes value_of_2;     /* p != NULL: the third cell has this value */
};

struct forge {
    size_t t_bytes; /* of the trailer */
    struct forge_opts o;
    struct buf file;
    struct err err;
    int64_t last_of[BLOCK_TYPES];
    struct trailer t;
    struct buf data_index, meta_index;
    struct buf last_key;
    struct tally tally; /* of its cells */
};

/* Ends the program on an error: only damage is to be tested. */
static inline void forge_must(int rc, const struct err *err) {
    if (!rc) return;
    fprintf(stderr, "forge: %s\n", err->text);
    abort();
}

static inline uint32_t forge_header_bytes(const struct forge *f) {
    return f->o.major == 2 && f->o.minor == 0 ? BLOCK_HEADER_V20_BYTES : BLOCK_HEADER_BYTES;
}

/* Appends a block; counted: its bytes are part of the trailer's total. Returns its offset. */
static inline uint64_t forge_block(struct forge *f, enum block_type type, struct bytes payload, bool counted) {
    uint32_t head = forge_header_bytes(f);
    uint64_t at = f->file.n, summed = head + payload.n;
    struct block_header h = {.type = type,
                             .plain_bytes = (uint32_t)payload.n,
                             .disk_bytes = (uint32_t)payload.n,
                             .prev_offset = f->last_of[block_chain(type)],
                             .sum = HFILE_SUM_CRC32,
                             .bytes_per_sum = 64,
                             .summed_bytes = (uint32_t)summed};
    size_t sums = head == BLOCK_HEADER_BYTES ? BLOCK_SUM_BYTES * block_sum_count(summed, h.bytes_per_sum) : 0;
    uint8_t text[BLOCK_HEADER_BYTES];
    h.disk_bytes += (uint32_t)sums;
    block_header_put(text, &h);
    forge_must(buf_put(&f->file, text, head, &f->err), &f->err);
    forge_must(buf_put(&f->file, payload.p, payload.n, &f->err), &f->err);
    forge_must(buf_reserve(&f->file, sums, &f->err), &f->err);
    f->file.n += sums;
    if (sums) block_sums_put(&h, f->file.p + at, 0, f->file.p + at + summed);
    f->last_of[block_chain(type)] = (int64_t)at;
    if (counted) f->t.total_plain_bytes += summed;
    return at;
}

static inline void forge_index_entry(struct forge *f, struct buf *index, uint64_t offset, struct bytes key) {
    uint8_t head[12 + HADOOP_VLONG_MAX];
    put_be32(put_be64(head, offset), (uint32_t)(f->file.n - offset));
    size_t n = 12 + hadoop_vlong_put(head + 12, (int64_t)key.n);
    forge_must(buf_put(index, head, n, &f->err) || buf_put(index, key.p, key.n, &f->err), &f->err);
}

static inline void forge_cell(struct forge *f, unsigned i) {
    char row[16], value[64];
    struct buf kv = {0};
    struct cell c = {.qualifier = bytes_str("q"), .ts_ms = 1000 + i, .type = CELL_PUT};
    struct row_part part = {.family = bytes_str("f"), .cells = &c, .n_cells = 1};
    part.row = bytes_of(row, (size_t)snprintf(row, sizeof row, "row%03u", i));
    c.value = bytes_of(value, (size_t)snprintf(value, sizeof value, "value %u of a forged file", i));
    if (i == 2 && f->o.value_of_2.p) c.value = f->o.value_of_2;
    forge_must(buf_reserve(&kv, kv_size(&part, &c, false), &f->err), &f->err);
    kv.n = (size_t)(kv_put(kv.p, &part, &c, false) - kv.p);
    struct bytes key = bytes_of(kv.p + 8, be32(kv.p));
    uint64_t at = forge_block(f, BLOCK_DATA, buf_bytes(&kv), true);
    if (i == 0) f->t.first_data_offset = at;
    f->t.last_data_offset = at;
    forge_index_entry(f, &f->data_index, at, key);
    forge_must(buf_copy(&f->last_key, key, &f->err), &f->err);
    tally_one(&f->tally, digest_kv(kv.p, kv.n));
    buf_free(&kv);
}

/* Writables: what HBase wrote before protobuf. */
static inline void forge_writables(struct forge *f, const struct file_info *fi, struct buf *out) {
    forge_must(buf_put_be32(out, (uint32_t)fi->n, &f->err), &f->err);
    for (size_t i = 0; i < fi->n; i++) {
        const struct file_info_span *s = &fi->spans[i];
        uint8_t n[HADOOP_VLONG_MAX];
        forge_must(buf_put(out, n, hadoop_vlong_put(n, (int64_t)s->key_n), &f->err), &f->err);
        forge_must(buf_put(out, fi->text.p + s->key_at, s->key_n, &f->err), &f->err);
        forge_must(buf_put_byte(out, 1, &f->err), &f->err);
        forge_must(buf_put(out, n, hadoop_vlong_put(n, (int64_t)s->value_n), &f->err), &f->err);
        forge_must(buf_put(out, fi->text.p + s->value_at, s->value_n, &f->err), &f->err);
    }
}

static inline void forge_file_info(struct forge *f) {
    struct file_info fi = {0};
    struct buf payload = {0};
    struct err *e = &f->err;
    if (f->o.index_encoding) forge_must(file_info_add(&fi, "INDEX_BLOCK_ENCODING", bytes_str(f->o.index_encoding), e), e);
    if (f->last_key.n) forge_must(file_info_add(&fi, "hfile.LASTKEY", buf_bytes(&f->last_key), e), e);
    forge_must(file_info_add_i32(&fi, "hfile.AVG_KEY_LEN", 20, e) || file_info_add_i32(&fi, "hfile.AVG_VALUE_LEN", 20, e), e);
    if (f->o.major == 2 && f->o.minor < 2)
        forge_writables(f, &fi, &payload);
    else
        forge_must(file_info_put(&fi, &payload, e), e);
    f->t.file_info_offset = forge_block(f, BLOCK_FILE_INFO, buf_bytes(&payload), true);
    file_info_free(&fi);
    buf_free(&payload);
}

static inline void forge_fixed_trailer(struct forge *f, const char *comparator) {
    const struct trailer *t = &f->t;
    uint8_t text[TRAILER_V2_BYTES] = "TRABLK\"$", *p = text + 8;
    p = put_be64(put_be64(p, t->file_info_offset), t->load_on_open_offset);
    p = put_be64(put_be32(p, t->data_index_count), t->index_plain_bytes);
    p = put_be64(put_be32(p, t->meta_index_count), t->total_plain_bytes);
    p = put_be32(put_be32(put_be64(p, t->entry_count), t->codec), t->index_levels);
    p = put_be64(put_be64(p, t->first_data_offset), t->last_data_offset);
    memcpy(p, comparator, strlen(comparator));
    put_be32(text + sizeof text - 4, f->o.minor << 24 | f->o.major);
    forge_must(buf_put(&f->file, text, sizeof text, &f->err), &f->err);
}

/* Writes the trailer as trailer_put does with the usual comparator, the name exchanged, cut to the size of the version. */
static inline void forge_pb_trailer(struct forge *f, const char *comparator) {
    struct buf v3 = {0}, out = {0};
    forge_must(trailer_put(&f->t, &v3, &f->err), &f->err);
    struct bytes in = bytes_of(v3.p + 8, v3.n - 8);
    uint64_t n = 0;
    pb_varint_take(&in, &n);
    uint8_t *name = memmem(in.p, n, TRAILER_COMPARATOR_NAME, strlen(TRAILER_COMPARATOR_NAME));
    size_t before = (size_t)(name - in.p) - 1, behind = before + 1 + strlen(TRAILER_COMPARATOR_NAME), name_n = strlen(comparator);
    uint8_t len[PB_VARINT_MAX];
    struct err *e = &f->err;
    forge_must(buf_put(&out, len, pb_varint_put(len, n - strlen(TRAILER_COMPARATOR_NAME) + name_n), e), e);
    forge_must(buf_put(&out, in.p, before, e) || buf_put_byte(&out, (uint8_t)name_n, e) || buf_put(&out, comparator, name_n, e),
               e);
    forge_must(buf_put(&out, in.p + behind, n - behind, e), e);
    size_t body = (f->o.major == 2 ? TRAILER_V2_BYTES : TRAILER_V3_BYTES) - 12;
    forge_must(buf_put(&f->file, v3.p, 8, e) || buf_put(&f->file, out.p, out.n, e) || buf_reserve(&f->file, body, e), e);
    memset(f->file.p + f->file.n, 0, body - out.n);
    f->file.n += body - out.n;
    forge_must(buf_put_be32(&f->file, f->o.minor << 24 | f->o.major, e), e);
    buf_free(&v3);
    buf_free(&out);
}

static inline struct forge forge_make(const struct forge_opts *o) {
    struct forge f = {.o = *o};
    struct err *e = &f.err;
    for (size_t i = 0; i < BLOCK_TYPES; i++) f.last_of[i] = -1;
    f.t = (struct trailer){.codec = HFILE_NONE, .index_levels = 1, .first_data_offset = TRAILER_NO_OFFSET};
    f.t.last_data_offset = o->last_data_is_minus_one ? TRAILER_NO_OFFSET : 0;
    for (unsigned i = 0; i < o->cells; i++) forge_cell(&f, i);
    for (unsigned i = 0; i < o->meta_blocks; i++) {
        char name[20];
        snprintf(name, sizeof name, "META%u", i);
        forge_index_entry(&f, &f.meta_index, forge_block(&f, BLOCK_META, bytes_str("whatever was kept here"), true),
                          bytes_str(name));
    }
    f.t.entry_count = f.t.data_index_count = o->cells;
    f.t.meta_index_count = o->meta_blocks;
    f.t.index_plain_bytes = f.data_index.n;
    struct bytes root = buf_bytes(&f.data_index);
    if (o->index_encoding && strcmp(o->index_encoding, "NONE")) root = bytes_str("\xffthis is no index in root format");
    f.t.load_on_open_offset = forge_block(&f, BLOCK_ROOT_INDEX, root, false);
    forge_block(&f, BLOCK_ROOT_INDEX, buf_bytes(&f.meta_index), true);
    forge_file_info(&f);
    bool fixed = o->major == 2 && o->minor < 2;
    f.t_bytes = o->major == 2 ? TRAILER_V2_BYTES : TRAILER_V3_BYTES;
    f.t.total_plain_bytes += f.t_bytes;
    const char *usual = fixed ? "org.apache.hadoop.hbase.KeyValue$KeyComparator" : TRAILER_COMPARATOR_NAME;
    (fixed ? forge_fixed_trailer : forge_pb_trailer)(&f, o->comparator ? o->comparator : usual);
    forge_must(e->code != ERR_NONE, e);
    return f;
}

static inline void forge_free(struct forge *f) {
    buf_free(&f->file);
    buf_free(&f->data_index);
    buf_free(&f->meta_index);
    buf_free(&f->last_key);
}

#endif
