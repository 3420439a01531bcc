/* A log as a stream of entries: its header, then keys, each followed by as many cells as it says. A log has neither checksums nor
 * marks between entries, so lengths are compared with each other and believed only as far as bytes have come:
 *
 *     "PWAL" | length | WALHeader | { length | WALKey | cells } … | i32 0 | "LAWP"
 *
 * Where nothing follows a whole entry, or only the beginning of the trailer, the log was not closed. Where it ends inside an
 * entry, the entry was never confirmed to its client as a whole, or the file is cut: an error, since it is unknown which. */
#include "base/err.h"
#include "base/instream.h"
#include "base/wire.h"
#include "cell/keyvalue.h"
#include "formats/wal/wal.h"
#include "formats/wal/wal_cell.h"
#include "formats/wal/wal_stream.h"

enum { DEFAULT_LIMIT_BYTES = 1 << 30, HEADER_MAX_BYTES = 1 << 20, TRAILER_BYTES = 8 };

/* ---- header ---- */

static int open_codecs(struct wal_stream *s, struct err *err) {
    s->dicts.budget = s->limit;
    for (int i = 0; i < WAL_DICTS; i++)
        wal_dict_init(&s->dicts.of[i], i == WAL_DICT_FAMILY || i == WAL_DICT_QUALIFIER ? WAL_DICT_SMALL : WAL_DICT_LARGE);
    if (!s->header.values_compressed) return 0;
    s->values = wal_value_codec_open(s->header.value_codec, err);
    return s->values ? 0 : -1;
}

static int read_header(struct wal_stream *s, struct err *err) {
    struct bytes message;
    int rc = wal_need(s, WAL_MAGIC_BYTES, err);
    if (rc < 0) return -1;
    size_t n = wal_left(s) < WAL_MAGIC_BYTES ? wal_left(s) : WAL_MAGIC_BYTES;
    if (n && memcmp(s->window.p, wal_magic, n) != 0)
        return err_set(err, ERR_INPUT, "does not begin with PWAL: not a write-ahead log");
    if (rc) {
        s->at = WAL_MAGIC_BYTES;
        rc = wal_take_message(s, HEADER_MAX_BYTES, &message, err);
    }
    s->empty = rc == 0;
    if (rc <= 0) return rc;
    return wal_header_parse(message, &s->header, err) ? -1 : open_codecs(s, err);
}

int wal_open(struct wal_stream *s, struct instream *in, size_t limit, struct err *err) {
    *s = (struct wal_stream){.in = in, .limit = limit ? limit : DEFAULT_LIMIT_BYTES};
    return read_header(s, err) ? err_prefix(err, "%s", instream_path(in)) : 0;
}

void wal_close(struct wal_stream *s) {
    for (int i = 0; i < WAL_DICTS; i++) wal_dict_free(&s->dicts.of[i]);
    wal_value_codec_close(s->values);
    buf_free(&s->dicts.table);
    buf_free(&s->window);
}

/* ---- entries ---- */

static int at_place(const struct wal_stream *s, uint64_t offset, struct err *err) {
    return err_prefix(err, "%s: entry at byte %llu", instream_path(s->in), (unsigned long long)offset);
}

static int cut_short(const struct wal_stream *s, uint64_t offset, struct err *err) {
    err_set(err, ERR_INPUT, "the log ends inside it, at byte %llu: the server died while writing it, or the file is truncated",
            (unsigned long long)(s->offset + s->window.n));
    return at_place(s, offset, err);
}

/* 1: here the log ends, as s->end says; 0: an entry follows; -1. */
static int ends_here(struct wal_stream *s, struct err *err) {
    static const uint8_t trailer[TRAILER_BYTES] = {0, 0, 0, 0, 'L', 'A', 'W', 'P'};
    if (wal_need(s, TRAILER_BYTES + 1, err) < 0) return -1;
    size_t n = wal_left(s);
    if (n > TRAILER_BYTES || (n && memcmp(s->window.p + s->at, trailer, n) != 0)) return 0;
    s->end = n == TRAILER_BYTES ? WAL_END_CLOSED : WAL_END_UNCLOSED;
    return 1;
}

int wal_next(struct wal_stream *s, struct wal_entry *out, struct err *err) {
    struct bytes message;
    s->end = WAL_END_EMPTY;
    if (s->empty) return 0;
    int rc = ends_here(s, err);
    if (rc) return rc < 0 ? at_place(s, wal_offset(s), err) : 0;
    *out = (struct wal_entry){.offset = wal_offset(s)};
    rc = wal_take_message(s, WAL_KEY_MAX_BYTES, &message, err);
    if (!rc) return cut_short(s, out->offset, err);
    if (rc > 0 && wal_key_parse(message, s->header.compressed ? &s->dicts : NULL, &out->key, err)) rc = -1;
    return rc < 0 ? at_place(s, out->offset, err) : 1;
}

/* ---- cells ---- */

/* KeyValue lengths say the same as the length before them. */
static bool lengths_fit(const uint8_t *p, size_t n) {
    size_t key = be32(p), value = be32(p + 4), fixed = 8 + key + value;
    return key >= 12 && (n == fixed || (n >= fixed + 2 && n <= fixed + 2 + UINT16_MAX));
}

/* Returns whether the lengths inside of a KeyValue fit its own. */
static bool cell_fits(struct bytes kv) {
    struct kv_key key;
    size_t key_n = be32(kv.p), fixed = 8 + key_n + be32(kv.p + 4);
    if (!kv_key_parse(bytes_of(kv.p + 8, key_n), &key) || key.row.n > ROW_MAX_BYTES) return false;
    return kv.n == fixed || be16(kv.p + fixed) == kv.n - fixed - 2;
}

/* A cell of a log without compression: 1, 0 = the log ends inside it, -1. */
static int plain_cell(struct wal_stream *s, struct buf *out, size_t room, struct err *err) {
    enum { LENGTH_BYTES = 4, LENGTHS_BYTES = 12 };
    int rc = wal_need(s, LENGTHS_BYTES, err);
    if (rc != 1) return rc;
    const uint8_t *p = s->window.p + s->at;
    size_t n = be32(p);
    if (n > INT32_MAX || n < LENGTHS_BYTES || !lengths_fit(p + LENGTH_BYTES, n))
        return err_set(err, ERR_INPUT, "a cell of %zu bytes with a key of %u and a value of %u is impossible", n, be32(p + 4),
                       be32(p + 8));
    if (n > room)
        return err_set(err, ERR_LIMIT, "the entry needs more than the %zu bytes that memory allows; give more --memory",
                       s->limit);
    rc = wal_need(s, LENGTH_BYTES + n, err);
    if (rc != 1) return rc;
    if (!cell_fits(bytes_of(s->window.p + s->at + LENGTH_BYTES, n)))
        return err_set(err, ERR_INPUT, "a cell of %zu bytes, in which row, family or tags do not fit", n);
    if (out && buf_put(out, s->window.p + s->at, LENGTH_BYTES + n, err)) return -1;
    s->at += LENGTH_BYTES + n;
    return 1;
}

static int take_cells(struct wal_stream *s, uint32_t cells, struct buf *out, struct err *err) {
    struct buf unseen = {0};
    size_t start = out ? out->n : 0;
    int rc = 1;
    for (uint32_t i = 0; i < cells && rc == 1; i++) {
        size_t used = out ? out->n - start : 0;
        if (!s->header.compressed) {
            rc = plain_cell(s, out, s->limit > used ? s->limit - used : 0, err);
            continue;
        }
        buf_clear(&unseen);
        rc = used > s->limit ? err_set(err, ERR_LIMIT,
                                       "the entry needs more than the %zu bytes that memory allows; give more --memory", s->limit)
                             : wal_cell_decode(s, out ? out : &unseen, err);
    }
    buf_free(&unseen);
    return rc;
}

int wal_cells(struct wal_stream *s, const struct wal_entry *e, struct buf *out, struct err *err) {
    size_t before = out ? out->n : 0;
    int rc = take_cells(s, e->key.cells, out, err);
    if (rc == 1) return 0;
    if (out) out->n = before;
    return rc ? at_place(s, e->offset, err) : cut_short(s, e->offset, err);
}
