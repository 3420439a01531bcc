#include "base/pbwire.h"

#include "base/be.h"
#include "base/varint.h"

bool pbwire_delimited(struct bytes *in, struct bytes *out) {
    struct bytes t = *in;
    uint64_t n;
    if (!pb_varint_take(&t, &n) || n > t.n) return false;
    *out = bytes_of(t.p, (size_t)n);
    *in = bytes_of(t.p + n, t.n - (size_t)n);
    return true;
}

static bool take_fixed(struct bytes *in, size_t n, uint64_t *v) {
    if (in->n < n) return false;
    *v = n == 8 ? le64(in->p) : le32(in->p);
    *in = bytes_of(in->p + n, in->n - n);
    return true;
}

int pbwire_next(struct bytes *in, struct pbwire_field *f) {
    uint64_t tag;
    if (in->n == 0) return 0;
    if (!pb_varint_take(in, &tag) || tag > UINT32_MAX || tag >> 3 == 0) return -1;
    *f = (struct pbwire_field){.number = (uint32_t)(tag >> 3)};
    switch (tag & 7) {
    case PBWIRE_VARINT: f->type = PBWIRE_VARINT; return pb_varint_take(in, &f->value) ? 1 : -1;
    case PBWIRE_FIXED64: f->type = PBWIRE_FIXED64; return take_fixed(in, 8, &f->value) ? 1 : -1;
    case PBWIRE_BYTES: f->type = PBWIRE_BYTES; return pbwire_delimited(in, &f->bytes) ? 1 : -1;
    case PBWIRE_FIXED32: f->type = PBWIRE_FIXED32; return take_fixed(in, 4, &f->value) ? 1 : -1;
    default: return -1;
    }
}

int pbwire_put_varint(struct buf *b, uint64_t v, struct err *err) {
    if (buf_reserve(b, PB_VARINT_MAX, err)) return -1;
    b->n += pb_varint_put(b->p + b->n, v);
    return 0;
}

int pbwire_put_uint(struct buf *b, uint32_t number, uint64_t v, struct err *err) {
    if (pbwire_put_varint(b, (uint64_t)number << 3 | PBWIRE_VARINT, err)) return -1;
    return pbwire_put_varint(b, v, err);
}

int pbwire_put_bytes(struct buf *b, uint32_t number, struct bytes v, struct err *err) {
    if (pbwire_put_varint(b, (uint64_t)number << 3 | PBWIRE_BYTES, err)) return -1;
    if (pbwire_put_varint(b, v.n, err)) return -1;
    return buf_put(b, v.p, v.n, err);
}
