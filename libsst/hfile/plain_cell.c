#include "hfile/plain_cell.h"

#include "base/be.h"
#include "base/varint.h"
#include "cell/keyvalue.h"

static bool take_key(struct bytes key, struct plain_cell *c) {
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

static bool take_tags(struct bytes *in, struct plain_cell *c) {
    if (in->n < 2 || be16(in->p) > in->n - 2) return false;
    c->tags = bytes_of(in->p + 2, be16(in->p));
    *in = bytes_of(c->tags.p + c->tags.n, in->n - 2 - c->tags.n);
    return true;
}

bool plain_cell_take(struct bytes *in, const struct cell_layout *layout, struct plain_cell *c) {
    struct bytes t = *in;
    int64_t seq;
    if (t.n < 8) return false;
    size_t key_n = be32(t.p), value_n = be32(t.p + 4);
    if (key_n > t.n - 8 || value_n > t.n - 8 - key_n || !take_key(bytes_of(t.p + 8, key_n), c)) return false;
    c->value = bytes_of(t.p + 8 + key_n, value_n);
    t = bytes_of(c->value.p + value_n, t.n - 8 - key_n - value_n);
    c->tags = c->mvcc = bytes_of(t.p, 0);
    if (layout->tags && !take_tags(&t, c)) return false;
    c->mvcc.p = t.p;
    if (layout->mvcc && !hadoop_vlong_take(&t, &seq)) return false;
    c->mvcc.n = (size_t)(t.p - c->mvcc.p);
    *in = t;
    return true;
}
