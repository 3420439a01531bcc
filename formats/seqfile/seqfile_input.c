/* A SequenceFile as a stream: its header, then chunks of whole records or blocks as they are in the file. A unit says how long it
 * is; such lengths are believed only as far as bytes have come, and never across a sync marker:
 *
 *     header | unit unit unit | sync | unit unit | damage ... | sync | unit
 *            '--- a chunk ---'                     '- skipped up to the next marker, where that is asked for */
#include "base/instream.h"
#include "base/stop.h"
#include "formats/seqfile/seqfile_input.h"

#include <stdlib.h>

/* ---- chunks ---- */

enum { DEFAULT_CHUNK_BYTES = 1 << 20, HEADER_MAX_BYTES = 1 << 20, STEP_BYTES = 4096 };

/* Units of all sizes come; nothing of more than this is taken where no limit was given. */
enum { DEFAULT_LIMIT_BYTES = 1 << 30 };

/* Result beside 0 and -1: what was read is damaged, and err says how. */
enum { DAMAGED = 1 };

/* Reads until data holds `want` bytes or the input ends. */
static int read_up_to(struct seqfile_input *s, struct buf *data, size_t want, struct err *err) {
    if (want > data->n && buf_reserve(data, want - data->n, err)) return -1;
    while (data->n < want && !s->at_end) {
        ssize_t n = instream_read(s->in, data->p + data->n, want - data->n, err);
        if (n < 0) return -1;
        s->at_end = n == 0;
        data->n += (size_t)n;
    }
    return 0;
}

/* ---- units ---- */

/* The whole units at the beginning of data. */
struct seqfile_cut {
    size_t whole; /* bytes of whole units */
    uint64_t records;
    size_t pending; /* bytes that the unit after them takes at least */
};

static int bad_place(const struct seqfile_input *s, uint64_t offset, struct err *err) {
    return err_prefix(err, "%s at byte %llu", s->header.blocks ? "block" : "record", (unsigned long long)offset);
}

static int covers_marker(size_t bytes, uint64_t marker, struct err *err) {
    return err_set(err, ERR_INPUT, "claims %zu bytes, but there is a sync marker at byte %llu", bytes,
                   (unsigned long long)marker);
}

/* Checks that a unit covers no sync marker. Where damage is skipped it has to be found at once: a length that is too large but
 * possible would swallow what follows. */
static int check_covers_none(const struct seqfile_input *s, struct bytes data, size_t at, size_t bytes, struct err *err) {
    size_t marker = s->skips ? seqfile_sync_find(&s->header, bytes_of(data.p, at + bytes), at + 1) : at + bytes;
    return marker == at + bytes ? 0 : covers_marker(bytes, s->offset + marker, err);
}

/* 0, or DAMAGED. If damage will be skipped and follows whole units, the next call handles it. */
static int cut_units(const struct seqfile_input *s, struct bytes data, struct seqfile_cut *c, struct err *err) {
    while (c->whole < data.n) {
        struct seqfile_unit u;
        struct err why = {0};
        int rc = seqfile_unit_parse(&s->header, bytes_of(data.p + c->whole, data.n - c->whole), &u, &why);
        if (rc > 0 && check_covers_none(s, data, c->whole, u.bytes, &why)) rc = -1;
        c->pending = 0;
        if (rc < 0 && c->whole && s->skips) return 0;
        if (rc < 0) {
            err_keep(err, &why);
            (void)bad_place(s, s->offset + c->whole, err);
            return DAMAGED;
        }
        if (!rc || u.bytes > s->limit) {
            c->pending = u.bytes;
            return 0;
        }
        c->whole += u.bytes;
        c->records += u.records;
    }
    return 0;
}

/* Finds a sync marker at or after data's byte `from`, up to the offset `end`; reads more as needed and drops what it has
 * searched. *marker: in data; data->n: none. */
static int find_marker(struct seqfile_input *s, struct buf *data, size_t from, uint64_t end, size_t *marker, struct err *err) {
    *marker = seqfile_sync_find(&s->header, buf_bytes(data), from);
    while (*marker == data->n && s->offset + data->n < end && !s->at_end) {
        size_t keep = data->n < SEQFILE_ESCAPE_BYTES ? data->n : SEQFILE_ESCAPE_BYTES - 1;
        s->offset += data->n - keep;
        memmove(data->p, data->p + data->n - keep, keep);
        data->n = keep;
        if (stop_check(s->stop, err) || read_up_to(s, data, s->chunk_bytes + keep, err)) return -1;
        *marker = seqfile_sync_find(&s->header, buf_bytes(data), 0);
    }
    return 0;
}

/* A unit larger than the limit: is it really that large? A damaged length reaches beyond the end of the file or the next sync
 * marker, and must not look like a lack of memory. -1, or DAMAGED. */
static int refuse_large(struct seqfile_input *s, struct buf *data, const struct seqfile_cut *c, struct err *err) {
    uint64_t start = s->offset + c->whole, end = start + c->pending;
    size_t marker;
    int rc = DAMAGED;
    if (find_marker(s, data, c->whole + 1, end, &marker, err)) return -1;
    if (marker < data->n && s->offset + marker < end) {
        (void)covers_marker(c->pending, s->offset + marker, err);
    } else if (s->offset + data->n < end) {
        err_set(err, ERR_INPUT, "claims %zu bytes, but the file ends %llu bytes after its start", c->pending,
                (unsigned long long)(s->offset + data->n - start));
    } else {
        rc = err_set(err, ERR_LIMIT, "needs %zu bytes, the limit is %zu", c->pending, s->limit);
    }
    (void)bad_place(s, start, err);
    return rc == DAMAGED ? rc : err_prefix(err, "%s", instream_path(s->in));
}

/* The input ends inside a unit, or its length is damaged. DAMAGED. */
static int truncated(const struct seqfile_input *s, struct bytes data, const struct seqfile_cut *c, struct err *err) {
    size_t marker = seqfile_sync_find(&s->header, data, c->whole + 1);
    if (marker < data.n)
        (void)covers_marker(c->pending, s->offset + marker, err);
    else
        err_set(err, ERR_INPUT, "takes %zu bytes, but the file ends %zu bytes after its start: it is truncated", c->pending,
                data.n - c->whole);
    (void)bad_place(s, s->offset + c->whole, err);
    return DAMAGED;
}

/* Whole units, as many as a chunk should have. The buffer doubles until it holds one: lengths are believed only as far as
 * bytes have come. 0, -1 or DAMAGED. */
static int fill_units(struct seqfile_input *s, struct buf *data, struct seqfile_cut *c, struct err *err) {
    size_t want = s->chunk_bytes;
    for (;;) {
        if (read_up_to(s, data, want, err)) return -1;
        int rc = cut_units(s, buf_bytes(data), c, err);
        if (rc || c->whole == data->n || (c->whole && (!s->at_end || s->skips))) return rc;
        if (c->pending > s->limit) return refuse_large(s, data, c, err);
        if (s->at_end) return truncated(s, buf_bytes(data), c, err);
        want = c->pending < 2 * data->n ? c->pending + STEP_BYTES : 2 * data->n;
    }
}

/* ---- chunks ---- */

static int end_chunk(struct seqfile_input *s, struct chunk *chunk, size_t bytes, struct err *err) {
    if (buf_copy(&s->carry, bytes_of(chunk->data.p + bytes, chunk->data.n - bytes), err)) return -1;
    chunk->data.n = bytes;
    s->offset += bytes;
    return 0;
}

/* Skips from the damage at `start`, which *why describes, to the next sync marker. 1, -1. */
static int skip_damage(struct seqfile_input *s, struct chunk *chunk, uint64_t start, const struct err *why, struct err *err) {
    size_t marker;
    if (find_marker(s, &chunk->data, s->offset == start, UINT64_MAX, &marker, err) || end_chunk(s, chunk, marker, err)) return -1;
    buf_clear(&chunk->data);
    if (buf_printf(&chunk->data, err, "%s; skipped to byte %llu", why->text, (unsigned long long)s->offset)) return -1;
    chunk->offset = start;
    chunk->records.lost = true;
    return 1;
}

int seqfile_input_next(struct seqfile_input *s, struct chunk *chunk, struct err *err) {
    struct seqfile_cut c = {0};
    struct err why = {0};
    uint64_t start = s->offset;
    if (stop_check(s->stop, err) || buf_copy(&chunk->data, buf_bytes(&s->carry), err)) return -1;
    chunk->line = 0;
    chunk->offset = start;
    chunk->records.first = s->records;
    chunk->records.lost = false;
    int rc = fill_units(s, &chunk->data, &c, &why);
    if (rc == DAMAGED && s->skips) return skip_damage(s, chunk, start, &why, err);
    if (rc) {
        err_keep(err, &why);
        return rc == DAMAGED ? err_prefix(err, "%s", instream_path(s->in)) : -1;
    }
    s->records += c.records;
    return end_chunk(s, chunk, c.whole, err) ? -1 : c.whole > 0;
}

/* ---- life ---- */

const char seqfile_result_class[] = "org.apache.hadoop.hbase.client.Result";

static int check_classes(const struct seqfile_header *h, const char *value, struct err *err) {
    static const char key[] = "org.apache.hadoop.hbase.io.ImmutableBytesWritable";
    if (bytes_eq(h->key_class, bytes_str(key)) && bytes_eq(h->value_class, bytes_str(value))) return 0;
    if (value != seqfile_result_class)
        return err_set(err, ERR_UNSUPPORTED, "is a SequenceFile of keys %.*s and values %.*s; expected %s and %s",
                       (int)h->key_class.n, (const char *)h->key_class.p, (int)h->value_class.n, (const char *)h->value_class.p,
                       key, value);
    bool wal = memmem(h->value_class.p, h->value_class.n, "WALEdit", 7) != NULL;
    return err_set(err, ERR_UNSUPPORTED, "is a SequenceFile of keys %.*s and values %.*s%s; HBase's Export writes %s and %s",
                   (int)h->key_class.n, (const char *)h->key_class.p, (int)h->value_class.n, (const char *)h->value_class.p,
                   wal ? ", a write-ahead log; replay it with WALPlayer, then export the table" : "", key, value);
}

static int read_header(struct seqfile_input *s, const char *value_class, struct err *err) {
    int rc = 0;
    for (size_t want = STEP_BYTES; !rc; want *= 2) {
        if (read_up_to(s, &s->carry, want, err)) return -1;
        rc = seqfile_header_parse(buf_bytes(&s->carry), &s->header, err);
        if (!rc && s->at_end) rc = err_set(err, ERR_INPUT, "ends inside its header, at byte %zu", s->carry.n);
        if (!rc && want >= HEADER_MAX_BYTES)
            rc = err_set(err, ERR_LIMIT, "its header needs more than %zu bytes, which is the limit", want);
    }
    if (rc > 0 && check_classes(&s->header, value_class, err)) rc = -1;
    if (rc > 0 && s->header.compressed && !(s->codec = seqfile_codec_find(s->header.codec_class, err))) rc = -1;
    if (rc < 0) return err_prefix(err, "%s", instream_path(s->in));
    s->offset = s->header.bytes;
    s->carry.n -= s->header.bytes;
    memmove(s->carry.p, s->carry.p + s->header.bytes, s->carry.n);
    return 0;
}

int seqfile_input_open(struct seqfile_input *s, struct instream *in, const char *value_class, const struct read_opts *o,
                       struct err *err) {
    *s = (struct seqfile_input){.in = in, .stop = o->stop, .skips = o->on_damage == DAMAGE_SKIPS_BLOCK};
    s->chunk_bytes = o->memory.chunk ? o->memory.chunk : DEFAULT_CHUNK_BYTES;
    s->limit = o->memory.max_block ? o->memory.max_block : DEFAULT_LIMIT_BYTES;
    return read_header(s, value_class, err);
}

void seqfile_input_close(struct seqfile_input *s) {
    instream_close(s->in);
    buf_free(&s->carry);
}

/* ---- pairs of a small file ---- */

struct seqfile_pairs {
    struct seqfile_input input;
    struct chunk chunk;
    struct seqfile_records records; /* of the chunk */
    bool has_chunk;
};

struct seqfile_pairs *seqfile_pairs_open(struct instream *in, const char *value_class, const struct read_opts *o,
                                         struct err *err) {
    struct seqfile_pairs *p = calloc(1, sizeof *p);
    if (!p) {
        instream_close(in);
        err_nomem(err, sizeof *p, "a SequenceFile");
        return NULL;
    }
    if (seqfile_input_open(&p->input, in, value_class, o, err) == 0) return p;
    seqfile_pairs_close(p);
    return NULL;
}

static void end_pairs(struct seqfile_pairs *p) {
    if (p->has_chunk) seqfile_records_end(&p->records);
    p->has_chunk = false;
}

static int begin_pairs(struct seqfile_pairs *p, struct err *err) {
    int more = seqfile_input_next(&p->input, &p->chunk, err);
    if (more <= 0) return more;
    seqfile_records_begin(&p->records, &p->input.header, p->input.codec, p->input.limit, buf_bytes(&p->chunk.data),
                          p->chunk.offset, p->chunk.records.first);
    p->has_chunk = true;
    return 1;
}

int seqfile_pairs_next(struct seqfile_pairs *p, struct bytes *row, struct bytes *value, struct err *err) {
    for (;;) {
        struct seqfile_record r;
        int more = p->has_chunk ? seqfile_records_next(&p->records, &r, err) : 0;
        if (more < 0) return err_prefix(err, "%s", instream_path(p->input.in));
        if (more > 0) {
            *row = r.row;
            *value = r.value;
            return 1;
        }
        end_pairs(p);
        more = begin_pairs(p, err);
        if (more <= 0) return more;
    }
}

void seqfile_pairs_close(struct seqfile_pairs *p) {
    if (!p) return;
    end_pairs(p);
    buf_free(&p->chunk.data);
    seqfile_input_close(&p->input);
    free(p);
}
