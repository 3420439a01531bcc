/* FAST_DIFF (HBase's FastDiffDeltaEncoder). The first cell: flags 0, c7 keyLen, c7 valueLen, c7 0, key, value. Then:
 *   u8 flags | [c7 keyLen] | [c7 valueLen] | c7 bytes shared with the key before | rest of row and qualifier |
 *   the last bytes of the timestamp | [u8 type] | [value]
 * What is in brackets is left out where it is that of the cell before, and so are the timestamp's first bytes. */
#include "hfile/delta.h"

enum {
    TS_COMMON = FAST_DIFF_TS_COMMON,
    SAME_KEY_N = FAST_DIFF_SAME_KEY_N,
    SAME_VALUE_N = FAST_DIFF_SAME_VALUE_N,
    SAME_TYPE = FAST_DIFF_SAME_TYPE,
    SAME_VALUE = FAST_DIFF_SAME_VALUE
};

static int take_first(struct delta_decoder *d, struct bytes *family) {
    uint8_t flags;
    size_t key_n, value_n, common;
    if (delta_take_byte(d, &flags) || delta_take_c7(d, &key_n) || delta_take_c7(d, &value_n) || delta_take_c7(d, &common))
        return -1;
    if (flags || common) return delta_fault(d, "the first one refers to one before it");
    if (key_n > d->in.n || value_n > d->in.n - key_n) return delta_fault(d, "it reaches beyond the block");
    if (key_n < DELTA_KEY_MIN_BYTES) return delta_fault(d, "its key is too short");
    size_t row_n = be16(d->in.p);
    if (row_n > key_n - DELTA_KEY_MIN_BYTES) return delta_fault(d, "its row reaches beyond its key");
    *family = bytes_of(d->in.p + 3 + row_n, d->in.p[2 + row_n]);
    if (family->n > key_n - DELTA_KEY_MIN_BYTES - row_n) return delta_fault(d, "its family reaches beyond its key");
    uint8_t *p = delta_begin_cell(d, key_n, value_n);
    if (!p) return -1;
    delta_take(d, p, key_n);
    delta_take(d, p + key_n, value_n);
    return delta_end_cell(d, key_n, value_n, row_n);
}

/* The timestamp whose first `common` bytes are those of `before`. */
static uint64_t take_ts(struct delta_decoder *d, unsigned common, uint64_t before) {
    size_t n = 8 - common;
    uint64_t v = 0;
    if (d->in.n >= 8)
        v = be64(d->in.p) >> 8 * common;
    else
        for (size_t i = 0; i < n; i++) v = v << 8 | d->in.p[i];
    d->in = bytes_of(d->in.p + n, d->in.n - n);
    return (before & ~(UINT64_MAX >> 8 * common)) | v;
}

static int take_cell(struct delta_decoder *d, struct bytes family) {
    uint8_t flags;
    size_t value_n = d->value_n;
    struct delta_key k = {.n = d->key_n};
    if (delta_take_byte(d, &flags)) return -1;
    if (!(flags & SAME_KEY_N) && delta_take_c7(d, &k.n)) return -1;
    if (!(flags & SAME_VALUE_N) && delta_take_c7(d, &value_n)) return -1;
    if (delta_take_c7(d, &k.common) || delta_key_check(d, family, &k)) return -1;
    size_t stamp = 8u - (flags & TS_COMMON) + !(flags & SAME_TYPE), here = flags & SAME_VALUE ? 0 : value_n;
    if (stamp + here > d->in.n - k.literal) return delta_fault(d, "it reaches beyond the block");
    if (flags & SAME_VALUE && value_n != d->value_n) return delta_fault(d, "it repeats a value of another length");
    uint8_t *p = delta_begin_cell(d, k.n, value_n);
    if (!p) return -1;
    const uint8_t *value = d->plain->p + d->key_at + d->key_n, *before = value - DELTA_STAMP_BYTES;
    p = delta_key_take(d, family, &k, p);
    p = put_be64(p, take_ts(d, flags & TS_COMMON, be64(before)));
    if (flags & SAME_TYPE)
        *p = before[8];
    else if (delta_take_byte(d, p))
        return -1;
    if (flags & SAME_VALUE)
        delta_copy(p + 1, value, value_n);
    else
        delta_take(d, p + 1, value_n);
    return delta_end_cell(d, k.n, value_n, k.row_n);
}

/* ---- most cells ----
 *
 * Short keys, no repeated value, away from the ends of both buffers. What the next cell depends on stays in registers, and bytes
 * are copied in whole steps: COPY64_SPARE bytes can be read after what a cell takes, and DELTA_ROOM_BYTES written. Whatever
 * else there is, faults too, is left to take_cell. */

struct fast {
    const uint8_t *in, *in_end;
    uint8_t *out, *out_end;
    const uint8_t *key; /* of the cell before */
    size_t key_n, value_n, row_n;
    uint64_t ts;
    uint8_t type;
};

static struct fast fast_begin(const struct delta_decoder *d) {
    const struct buf *b = d->plain;
    struct fast f = {.in = d->in.p, .in_end = d->in.p + d->in.n, .out = b->p + b->n, .out_end = b->p};
    f.out_end += b->cap - DELTA_ROOM_BYTES < d->limit ? b->cap - DELTA_ROOM_BYTES : d->limit;
    f.key = b->p + d->key_at;
    f.key_n = d->key_n;
    f.value_n = d->value_n;
    f.row_n = d->row_n;
    f.ts = be64(f.key + f.key_n - DELTA_STAMP_BYTES);
    f.type = f.key[f.key_n - 1];
    return f;
}

static void fast_end(const struct fast *f, struct delta_decoder *d) {
    d->in = bytes_of(f->in, (size_t)(f->in_end - f->in));
    d->plain->n = (size_t)(f->out - d->plain->p);
    d->key_at = (size_t)(f->key - d->plain->p);
    d->key_n = f->key_n;
    d->value_n = f->value_n;
    d->row_n = f->row_n;
}

struct fast_head {
    uint8_t flags;
    size_t key_n, value_n, common, literal, stamp;
    bool same_row;
};

/* Flags and lengths, which end at the place returned. NULL: not such a cell. */
static inline const uint8_t *fast_take_head(const struct fast *f, size_t family_n, struct fast_head *h) {
    enum { HEAD_MOST = 5, ONE_BYTE = 0x80 };
    const uint8_t *p = f->in;
    if (f->in_end - p < HEAD_MOST) return NULL;
    h->flags = *p++;
    h->key_n = h->flags & SAME_KEY_N ? f->key_n : *p++;
    h->value_n = h->flags & SAME_VALUE_N ? f->value_n : *p++;
    if (!(h->flags & SAME_VALUE_N) && h->value_n >= ONE_BYTE) h->value_n = (h->value_n & 0x7f) | (size_t)*p++ << 7;
    h->common = *p++;
    if ((h->key_n | h->common) >= ONE_BYTE || h->value_n >> 14 || h->flags & SAME_VALUE) return NULL;
    size_t fixed = 2 + f->row_n + 1 + family_n, head = h->key_n - DELTA_STAMP_BYTES;
    if (h->key_n < fixed + DELTA_STAMP_BYTES || h->common > head || h->common > f->key_n - DELTA_STAMP_BYTES) return NULL;
    h->same_row = h->common >= fixed;
    if (!h->same_row && (h->common < 2 || h->common >= 2 + f->row_n)) return NULL;
    h->literal = h->same_row ? head - h->common : head - h->common - 1 - family_n;
    h->stamp = 8u - (h->flags & TS_COMMON) + !(h->flags & SAME_TYPE);
    return p;
}

/* Takes a cell of the common forms. 1: taken, 0: it is another one. */
static inline int fast_take_cell(struct fast *f, struct bytes family, size_t tags, size_t mvcc) {
    struct fast_head h;
    const uint8_t *p = fast_take_head(f, family.n, &h);
    if (!p) return 0;
    size_t body = h.literal + h.stamp + h.value_n, tail = tags + mvcc, left = (size_t)(f->in_end - p);
    if (left < body + tail + COPY64_SPARE) return 0;
    if ((size_t)(f->out_end - f->out) < 8 + h.key_n + h.value_n + 2 * tags + mvcc) return 0;
    if ((tags && p[body]) || (mvcc && (int8_t)p[body + tags] < -112)) return 0; /* tags, or a sequence id of several bytes */
    uint8_t *key = put_be32(put_be32(f->out, (uint32_t)h.key_n), (uint32_t)h.value_n), *q = key + h.common;
    delta_copy(key, f->key, h.common);
    if (!h.same_row) {
        size_t row = 2 + f->row_n - h.common;
        delta_copy(q, p, row);
        p += row;
        q += row;
        h.literal -= row;
        *q++ = (uint8_t)family.n;
        delta_copy(q, family.p, family.n);
        q += family.n;
    }
    delta_copy(q, p, h.literal);
    p += h.literal;
    unsigned common = 8 * (h.flags & TS_COMMON);
    f->ts = (f->ts & ~(UINT64_MAX >> common)) | be64(p) >> common;
    p += 8 - (h.flags & TS_COMMON);
    if (!(h.flags & SAME_TYPE)) f->type = *p++;
    q = put_be64(q + h.literal, f->ts);
    *q++ = f->type;
    q = copy64(q, bytes_of(p, h.value_n));
    p += h.value_n;
    q[0] = q[1] = 0;
    if (mvcc) q[2 * tags] = p[tags];
    f->in = p + tail;
    f->out = q + 2 * tags + mvcc;
    f->key = key;
    f->key_n = h.key_n;
    f->value_n = h.value_n;
    return 1;
}

static void take_fast(struct delta_decoder *d, struct bytes family) {
    struct fast f = fast_begin(d);
    if (f.out > f.out_end) return;
    while (fast_take_cell(&f, family, d->layout->tags, d->layout->mvcc)) {
    }
    fast_end(&f, d);
}

static int decode(struct bytes encoded, const struct cell_layout *layout, size_t max_bytes, struct buf *plain, struct err *err) {
    struct delta_decoder d;
    struct bytes family;
    if (delta_decode_begin(&d, encoded, layout, max_bytes, plain, err)) return -1;
    if (d.in.n && take_first(&d, &family)) return -1;
    while (d.in.n) {
        take_fast(&d, family);
        if (d.in.n && take_cell(&d, family)) return -1;
    }
    return delta_decode_end(&d);
}

const struct encoding encoding_fast_diff = {
    .id = HFILE_ENC_FAST_DIFF, .name = "FAST_DIFF", .decode = decode, .encode = fast_diff_encode};
