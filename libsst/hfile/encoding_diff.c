/* DIFF (HBase's DiffKeyDeltaEncoder). The cells are preceded by u8 familyLen | family. Per cell:
 *   u8 flags | [c7 keyLen] | [c7 valueLen] | c7 bytes shared with the key before | rest of row and qualifier |
 *   timestamp, or its distance from the one before: 1 to 8 bytes, little-endian | [u8 type] | value
 * What is in brackets is left out where it is that of the cell before. */
#include "hfile/delta.h"

enum { SAME_KEY_N = 0x01, SAME_VALUE_N = 0x02, SAME_TYPE = 0x04, TS_IS_DIFF = 0x08, TS_BYTES_SHIFT = 4, TS_IS_NEGATIVE = 0x80 };

static int take_family(struct delta_decoder *d, struct bytes *family) {
    uint8_t n;
    if (delta_take_byte(d, &n)) return -1;
    if (n > d->in.n) return delta_fault(d, "its family reaches beyond the block");
    *family = bytes_of(d->in.p, n);
    d->in = bytes_of(d->in.p + n, d->in.n - n);
    return 0;
}

/* Unsigned, so that what overflows wraps as in Java. */
static uint64_t take_ts(struct delta_decoder *d, uint8_t flags, uint64_t before) {
    size_t n = (flags >> TS_BYTES_SHIFT & 7) + 1u;
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) v |= (uint64_t)d->in.p[i] << 8 * i;
    d->in = bytes_of(d->in.p + n, d->in.n - n);
    if (flags & TS_IS_NEGATIVE) v = -v;
    return flags & TS_IS_DIFF ? before - v : v;
}

static int take_cell(struct delta_decoder *d, struct bytes family) {
    uint8_t flags;
    size_t value_n = d->value_n;
    struct delta_key k = {.n = d->key_n};
    if (delta_take_byte(d, &flags)) return -1;
    if (!d->any && (flags & (SAME_KEY_N | SAME_VALUE_N | SAME_TYPE | TS_IS_DIFF)))
        return delta_fault(d, "the first one refers to one before it");
    if (!(flags & SAME_KEY_N) && delta_take_c7(d, &k.n)) return -1;
    if (!(flags & SAME_VALUE_N) && delta_take_c7(d, &value_n)) return -1;
    if (delta_take_c7(d, &k.common) || delta_key_check(d, family, &k)) return -1;
    size_t stamp = (flags >> TS_BYTES_SHIFT & 7) + 1u + !(flags & SAME_TYPE);
    if (stamp + value_n > d->in.n - k.literal) return delta_fault(d, "it reaches beyond the block");
    uint8_t *p = delta_begin_cell(d, k.n, value_n);
    if (!p) return -1;
    const uint8_t *before = d->any ? d->plain->p + d->key_at + d->key_n - DELTA_STAMP_BYTES : NULL;
    p = delta_key_take(d, family, &k, p);
    p = put_be64(p, take_ts(d, flags, flags & TS_IS_DIFF ? be64(before) : 0));
    if (flags & SAME_TYPE)
        *p = before[8];
    else if (delta_take_byte(d, p))
        return -1;
    delta_take(d, p + 1, value_n);
    return delta_end_cell(d, k.n, value_n, k.row_n);
}

static int decode(struct bytes encoded, const struct cell_layout *layout, size_t max_bytes, struct buf *plain, struct err *err) {
    struct delta_decoder d;
    struct bytes family;
    if (delta_decode_begin(&d, encoded, layout, max_bytes, plain, err) || take_family(&d, &family)) return -1;
    while (d.in.n)
        if (take_cell(&d, family)) return -1;
    return delta_decode_end(&d);
}

/* --- encoding --- */

/* A timestamp or distance as it is stored. */
struct number {
    uint64_t v;
    unsigned n; /* bytes */
    bool negative;
};

static struct number number_of(uint64_t v) {
    struct number x = {.negative = v >> 63};
    x.v = x.negative ? -v : v;
    x.n = x.v > 1 ? (unsigned)(63 - __builtin_clzll(x.v)) / 8 + 1 : 1;
    return x;
}

static uint8_t *put_number(uint8_t *p, const struct number *x) {
    for (unsigned i = 0; i < x->n; i++) p[i] = (uint8_t)(x->v >> 8 * i);
    return p + x->n;
}

/* The shorter form of the timestamp, its distance only where that is shorter. */
static struct number ts_of(const struct delta_encoder *e, unsigned *flags) {
    uint64_t ts = be64(delta_stamp(e->cell));
    struct number x = number_of(ts);
    if (e->before) {
        struct number diff = number_of(be64(delta_stamp(e->before)) - ts);
        if (diff.n < x.n) {
            x = diff;
            *flags |= TS_IS_DIFF;
        }
    }
    *flags |= (x.n - 1) << TS_BYTES_SHIFT | (x.negative ? TS_IS_NEGATIVE : 0);
    return x;
}

static void put_cell(struct delta_encoder *e) {
    const struct plain_cell *c = e->cell, *b = e->before;
    unsigned flags = 0;
    size_t common = 0;
    uint8_t *p = e->out->p + e->out->n;
    if (b) {
        common = delta_common(e);
        flags |= c->key.n == b->key.n ? SAME_KEY_N : 0;
        flags |= c->value.n == b->value.n ? SAME_VALUE_N : 0;
        flags |= delta_type(c) == delta_type(b) ? SAME_TYPE : 0;
    } else {
        p = delta_put(e, p, c->key.p + c->family_at, c->qualifier_at - c->family_at);
    }
    struct number ts = ts_of(e, &flags);
    *p++ = (uint8_t)flags;
    if (!(flags & SAME_KEY_N)) p = delta_put_c7(p, c->key.n);
    if (!(flags & SAME_VALUE_N)) p = delta_put_c7(p, c->value.n);
    p = delta_put_c7(p, common);
    p = delta_put_key(e, common, p);
    p = put_number(p, &ts);
    if (!(flags & SAME_TYPE)) *p++ = delta_type(c);
    delta_put_tail(e, delta_put(e, p, c->value.p, c->value.n));
}

static int encode(struct bytes plain, const struct cell_layout *layout, struct buf *encoded, struct err *err) {
    return delta_encode(plain, layout, encoded, put_cell, err);
}

const struct encoding encoding_diff = {.id = HFILE_ENC_DIFF, .name = "DIFF", .decode = decode, .encode = encode};
