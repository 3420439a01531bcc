/* FAST_DIFF: plain cells to encoded ones (the format is in encoding_fast_diff.c). Import and compaction write it by default, so
 * nearly all cells take the short way, encode_common_case: short keys of whose parts only the lengths are read, no tags, a
 * sequence id of one byte, and copies of fixed size, because the length of a value is what a processor cannot predict. All other
 * cells, and those near the end of the block, go through put_cell, which is the reference (t_encoding.c). */
#include "hfile/delta.h"

#include "base/bytes.h"
#include "base/wire.h"

/* ---- any cell ---- */

static unsigned ts_common(uint64_t a, uint64_t b) {
    uint64_t differ = a ^ b;
    return differ < 0x100 ? FAST_DIFF_TS_COMMON : (unsigned)__builtin_clzll(differ) / 8;
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
    unsigned flags = ts_common(be64(delta_stamp(c)), be64(delta_stamp(b)));
    const uint8_t *ts = delta_stamp(c) + flags;
    flags |= c->key.n == b->key.n ? FAST_DIFF_SAME_KEY_N : 0;
    flags |= c->value.n == b->value.n ? FAST_DIFF_SAME_VALUE_N : 0;
    flags |= delta_type(c) == delta_type(b) ? FAST_DIFF_SAME_TYPE : 0;
    flags |= bytes_eq(c->value, b->value) ? FAST_DIFF_SAME_VALUE : 0;
    uint8_t *p = e->out->p + e->out->n;
    *p++ = (uint8_t)flags;
    if (!(flags & FAST_DIFF_SAME_KEY_N)) p = delta_put_c7(p, c->key.n);
    if (!(flags & FAST_DIFF_SAME_VALUE_N)) p = delta_put_c7(p, c->value.n);
    p = delta_put_c7(p, common);
    p = delta_put_key(e, common, p);
    p = delta_put(e, p, ts, 8 - (flags & FAST_DIFF_TS_COMMON));
    if (!(flags & FAST_DIFF_SAME_TYPE)) *p++ = delta_type(c);
    if (!(flags & FAST_DIFF_SAME_VALUE)) p = delta_put(e, p, c->value.p, c->value.n);
    delta_put_tail(e, p);
}

/* ---- most cells ---- */

enum {
    SPARE = 128, /* bytes after a cell that may be read, and after what is encoded that may be written */
    ONE_BYTE = 0x80
};

struct usual {
    const uint8_t *in, *in_end; /* plain cells; the last one ends at least SPARE bytes before in_end's block does */
    uint8_t *out, *out_end;
    const uint8_t *last; /* the cell before: its lengths, key, value … */
    size_t key_n, value_n;
    size_t qualifier_at; /* … whose row and family are those of all keys that have so many bytes in common */
    bool tags, mvcc;
};

/* Bytes of row and qualifier that two keys share, of which the shorter one has n, and a timestamp after them. */
static inline size_t common_of(const uint8_t *a, const uint8_t *b, size_t n) {
    for (size_t i = 0; i < n; i += 8) {
        uint64_t differ = le64(a + i) ^ le64(b + i);
        if (!differ) continue;
        i += (size_t)__builtin_ctzll(differ) / 8;
        return i < n ? i : n;
    }
    return n;
}

/* Bytes of the cell at u->in if it is such a cell, else 0. */
static inline size_t usual_size(const struct usual *u, size_t key_n, size_t value_n) {
    size_t n = 8 + key_n + value_n, left = (size_t)(u->in_end - u->in);
    if (key_n < DELTA_KEY_MIN_BYTES || key_n >= ONE_BYTE || value_n >> 14 || n + SPARE > left ||
        n + SPARE > (size_t)(u->out_end - u->out))
        return 0;
    const uint8_t *tail = u->in + n;
    if (u->tags && (tail[0] | tail[1])) return 0;
    tail += u->tags ? 2 : 0;
    if (u->mvcc && (int8_t)*tail < -112) return 0;
    return (size_t)(tail - u->in) + u->mvcc;
}

/* Encodes a cell of the common case. 1: encoded, 0: it is another one. */
static inline int encode_common_case(struct usual *u) {
    const uint8_t *key = u->in + 8, *before = u->last + 8;
    const size_t key_n = be32(u->in), value_n = be32(u->in + 4), size = usual_size(u, key_n, value_n);
    if (!size) return 0;
    size_t head = key_n - DELTA_STAMP_BYTES, last_head = u->key_n - DELTA_STAMP_BYTES;
    size_t common = common_of(key, before, head < last_head ? head : last_head), from = common;
    if (common < u->qualifier_at) {
        size_t family_at = 2 + (size_t)be16(key);
        if (family_at + 1 > head) return 0;
        u->qualifier_at = family_at + 1 + key[family_at];
        if (u->qualifier_at > head || common >= family_at) return 0;
        from = u->qualifier_at;
    }
    const uint8_t *value = key + key_n, *ts = value - DELTA_STAMP_BYTES, *last_ts = before + last_head;
    unsigned same = ts_common(be64(ts), be64(last_ts)), flags = same;
    flags |= key_n == u->key_n ? FAST_DIFF_SAME_KEY_N : 0;
    flags |= ts[8] == last_ts[8] ? FAST_DIFF_SAME_TYPE : 0;
    if (value_n == u->value_n) {
        if (!memcmp(value, before + u->key_n, value_n)) return 0;
        flags |= FAST_DIFF_SAME_VALUE_N;
    }
    uint8_t *p = u->out;
    *p++ = (uint8_t)flags;
    *p = (uint8_t)key_n;
    p += key_n != u->key_n;
    p = value_n == u->value_n ? p : delta_put_c7(p, value_n);
    *p++ = (uint8_t)common;
    if (from != common) p = copy64(p, bytes_of(key + common, 2 + (size_t)be16(key) - common));
    memcpy(p, key + from, 16);
    if (head - from > 16) memcpy(p + 16, key + from + 16, head - from - 16);
    p += head - from;
    memcpy(p, ts + same, 8);
    p += 8 - same;
    *p = ts[8];
    p += ts[8] != last_ts[8];
    p = copy64(p, bytes_of(value, value_n));
    *p = 0;
    p += u->tags;
    *p = u->in[size - 1];
    u->out = p + u->mvcc;
    u->last = u->in;
    u->key_n = key_n;
    u->value_n = value_n;
    u->in += size;
    return 1;
}

/* As many cells as are usual, after e->cell. */
static int put_usual_cells(struct delta_encoder *e) {
    struct plain_cell *c = e->cell;
    struct bytes again = bytes_of(c->key.p - 8, (size_t)(e->end - (c->key.p - 8)));
    struct usual u = {.in = e->in.p,
                      .in_end = e->end,
                      .out = e->out->p + e->out->n,
                      .out_end = e->out->p + e->out->cap,
                      .last = again.p,
                      .key_n = c->key.n,
                      .value_n = c->value.n,
                      .qualifier_at = c->qualifier_at,
                      .tags = e->layout->tags,
                      .mvcc = e->layout->mvcc};
    while (u.in_end - u.in > SPARE && encode_common_case(&u)) {
    }
    if (u.last == again.p) return 0;
    again = bytes_of(u.last, (size_t)(e->end - u.last));
    if (!plain_cell_take(&again, e->layout, c)) return err_set(e->err, ERR_INTERNAL, "malformed cell");
    e->in = again;
    e->out->n = (size_t)(u.out - e->out->p);
    return 0;
}

int fast_diff_encode(struct bytes plain, const struct cell_layout *layout, struct buf *encoded, struct err *err) {
    struct delta_encoder e;
    int more;
    if (delta_encode_begin(&e, plain, layout, encoded, err)) return -1;
    while ((more = delta_next(&e)) == 1) {
        if (e.before)
            put_cell(&e);
        else
            put_first(&e);
        if (put_usual_cells(&e)) return -1;
    }
    return more;
}
