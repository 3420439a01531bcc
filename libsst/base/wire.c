/* Variable-length integers of Hadoop and protobuf, and protobuf's fields. What is read may be hostile: every length is checked
 * against what is left, and a failed take leaves the input as it was. */
#include "base/wire.h"

#include "base/bytes.h"

size_t hadoop_vlong_size(int64_t v) {
    if (v >= -112 && v <= 127) return 1;
    uint64_t m = (uint64_t)(v < 0 ? ~v : v);
    size_t n = 1;
    while (m) {
        n++;
        m >>= 8;
    }
    return n;
}

size_t hadoop_vlong_put(uint8_t *p, int64_t v) {
    if (v >= -112 && v <= 127) {
        p[0] = (uint8_t)v;
        return 1;
    }
    uint64_t m = (uint64_t)(v < 0 ? ~v : v);
    size_t size = hadoop_vlong_size(v), n = size - 1;
    p[0] = (uint8_t)(v < 0 ? -120 - (int)n : -112 - (int)n);
    for (size_t i = 0; i < n; i++) p[1 + i] = (uint8_t)(m >> (8 * (n - 1 - i)));
    return size;
}

bool hadoop_vlong_take(struct bytes *in, int64_t *v) {
    if (in->n == 0) return false;
    int8_t f = (int8_t)in->p[0];
    if (f >= -112) {
        *v = f;
        in->p++;
        in->n--;
        return true;
    }
    size_t n = (size_t)(f < -120 ? -120 - f : -112 - f);
    if (in->n < n + 1) return false;
    uint64_t m = 0;
    for (size_t i = 0; i < n; i++) m = m << 8 | in->p[1 + i];
    *v = (int64_t)(f < -120 ? ~m : m);
    in->p += n + 1;
    in->n -= n + 1;
    return true;
}

size_t pb_varint_put(uint8_t *p, uint64_t v) {
    size_t n = 0;
    while (v >= 0x80) {
        p[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    p[n++] = (uint8_t)v;
    return n;
}

bool pb_varint_take(struct bytes *in, uint64_t *v) {
    uint64_t r = 0;
    for (size_t i = 0; i < in->n && i < PB_VARINT_MAX; i++) {
        uint8_t b = in->p[i];
        if (i == 9 && b > 1) return false;
        r |= (uint64_t)(b & 0x7f) << (7 * i);
        if (!(b & 0x80)) {
            *v = r;
            in->p += i + 1;
            in->n -= i + 1;
            return true;
        }
    }
    return false;
}

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
