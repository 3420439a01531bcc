/* FAST_DIFF (HBase's FastDiffDeltaEncoder). The first cell: flags 0, c7 keyLen, c7 valueLen, c7 0, key, value. Then:
 *   u8 flags | [c7 keyLen] | [c7 valueLen] | c7 bytes shared with the key before | rest of row and qualifier |
 *   the last bytes of the timestamp | [u8 type] | [value]
 * What is in brackets is left out where it is that of the cell before, and so are the timestamp's first bytes. */
#include "hfile/delta.h"

enum { TS_COMMON = 0x07, SAME_KEY_N = 0x08, SAME_VALUE_N = 0x10, SAME_TYPE = 0x20, SAME_VALUE = 0x40 };

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

static int decode(struct bytes encoded, const struct cell_layout *layout, size_t max_bytes, struct buf *plain, struct err *err) {
    struct delta_decoder d;
    struct bytes family;
    if (delta_decode_begin(&d, encoded, layout, max_bytes, plain, err)) return -1;
    if (d.in.n && take_first(&d, &family)) return -1;
    while (d.in.n)
        if (take_cell(&d, family)) return -1;
    return delta_decode_end(&d);
}

/* --- encoding --- */

static unsigned ts_common(const struct plain_cell *c, const struct plain_cell *b) {
    uint64_t differ = be64(delta_stamp(c)) ^ be64(delta_stamp(b));
    return differ < 0x100 ? TS_COMMON : (unsigned)__builtin_clzll(differ) / 8;
}

static void put_first(struct delta_encoder *e) {
    const struct plain_cell *c = e->cell;
    uint8_t *p = e->out->p + e->out->n;
    *p++ = 0;
    p = delta_put_c7(delta_put_c7(delta_put_c7(p, c->key.n), c->value.n), 0);
    p = delta_put(e, p, c->key.p, c->key.n);
    delta_put_tail(e, delta_put(e, p, c->value.p, c->value.n));
}

static void put_cell(struct delta_encoder *e) {
    const struct plain_cell *c = e->cell, *b = e->before;
    size_t common = delta_common(e);
    unsigned flags = ts_common(c, b);
    const uint8_t *ts = delta_stamp(c) + flags;
    flags |= c->key.n == b->key.n ? SAME_KEY_N : 0;
    flags |= c->value.n == b->value.n ? SAME_VALUE_N : 0;
    flags |= delta_type(c) == delta_type(b) ? SAME_TYPE : 0;
    flags |= bytes_eq(c->value, b->value) ? SAME_VALUE : 0;
    uint8_t *p = e->out->p + e->out->n;
    *p++ = (uint8_t)flags;
    if (!(flags & SAME_KEY_N)) p = delta_put_c7(p, c->key.n);
    if (!(flags & SAME_VALUE_N)) p = delta_put_c7(p, c->value.n);
    p = delta_put_c7(p, common);
    p = delta_put_key(e, common, p);
    p = delta_put(e, p, ts, 8 - (flags & TS_COMMON));
    if (!(flags & SAME_TYPE)) *p++ = delta_type(c);
    if (!(flags & SAME_VALUE)) p = delta_put(e, p, c->value.p, c->value.n);
    delta_put_tail(e, p);
}

static int encode(struct bytes plain, const struct cell_layout *layout, struct buf *encoded, struct err *err) {
    struct delta_encoder e;
    int more;
    if (delta_encode_begin(&e, plain, layout, encoded, err)) return -1;
    while ((more = delta_next(&e)) == 1) {
        if (e.before)
            put_cell(&e);
        else
            put_first(&e);
    }
    return more;
}

const struct encoding encoding_fast_diff = {.id = HFILE_ENC_FAST_DIFF, .name = "FAST_DIFF", .decode = decode, .encode = encode};
