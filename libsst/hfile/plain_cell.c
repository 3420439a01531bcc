/* Takes a plain payload apart, cell by cell, without decoding what encoders copy unchanged. Lengths are checked against what
 * is left, though the cells are our own or verified: a mistake must not read beyond the block. */
#include "hfile/encoding.h"

#include "base/bytes.h"
#include "cell/keyvalue.h"

static inline bool take_key(struct bytes key, struct plain_cell *c) {
    if (key.n < KV_KEY_FIXED_BYTES) return false;
    c->key = key;
    c->row = bytes_of(key.p + 2, be16(key.p));
    if (c->row.n > key.n - KV_KEY_FIXED_BYTES) return false;
    c->family_at = 2 + c->row.n;
    size_t family_n = key.p[c->family_at];
    if (family_n > key.n - KV_KEY_FIXED_BYTES - c->row.n) return false;
    c->qualifier_at = c->family_at + 1 + family_n;
    return true;
}

/* Bytes of the vlong at p; 0: it reaches beyond `end`. */
static inline size_t vlong_size(const uint8_t *p, const uint8_t *end) {
    if (p == end) return 0;
    int8_t first = (int8_t)*p;
    size_t n = first >= -112 ? 1 : (size_t)(first < -120 ? -119 - first : -111 - first);
    return n <= (size_t)(end - p) ? n : 0;
}

bool plain_cell_take(struct bytes *in, const struct cell_layout *layout, struct plain_cell *c) {
    const uint8_t *p = in->p, *end = p + in->n;
    if (in->n < 8) return false;
    size_t key_n = be32(p), value_n = be32(p + 4), left = in->n - 8;
    if (key_n > left || value_n > left - key_n || !take_key(bytes_of(p + 8, key_n), c)) return false;
    p += 8 + key_n;
    c->value = bytes_of(p, value_n);
    p += value_n;
    c->tags = bytes_of(p, 0);
    if (layout->tags) {
        if (end - p < 2 || be16(p) > end - p - 2) return false;
        c->tags = bytes_of(p + 2, be16(p));
        p = c->tags.p + c->tags.n;
    }
    c->mvcc = bytes_of(p, layout->mvcc ? vlong_size(p, end) : 0);
    if (layout->mvcc && !c->mvcc.n) return false;
    p += c->mvcc.n;
    in->p = p;
    in->n = (size_t)(end - p);
    return true;
}
