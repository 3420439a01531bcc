#include "table/bound_code.h"

#include "base/wire.h"

enum { TYPE_VARCHAR = 0x16, TYPE_EXTEND = 0x19, COLLATION_BINARY = 63 };

static int digit(uint8_t c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

int bound_code_unhex(struct bytes hex, struct buf *out, struct err *err) {
    if (hex.n % 2) return 1;
    if (buf_reserve(out, hex.n / 2, err)) return -1;
    for (size_t i = 0; i < hex.n; i += 2) {
        int a = digit(hex.p[i]), b = digit(hex.p[i + 1]);
        if (a < 0 || b < 0) return 1;
        out->p[out->n++] = (uint8_t)(a << 4 | b);
    }
    return 0;
}

static enum bound_code classify(struct bytes in, struct bytes *value) {
    if (in.n < 6 || in.p[0] != 1) return BOUND_NOT_CODE;
    uint8_t type = in.p[1], collation = in.p[3];
    struct bytes rest = {in.p + 5, in.n - 5};
    uint64_t v;
    if (!pb_varint_take(&rest, &v)) return BOUND_NOT_CODE;
    if (type == TYPE_EXTEND) return rest.n == 0 && (int64_t)v == -2 ? BOUND_MAXVALUE : BOUND_NOT_CODE;
    if (type == TYPE_VARCHAR && rest.n >= 1 && v == rest.n - 1 && rest.p[rest.n - 1] == 0) {
        *value = (struct bytes){rest.p, rest.n - 1};
        return collation == COLLATION_BINARY ? BOUND_VALUE : BOUND_OTHER_TYPE;
    }
    /* Integers: the varint is the value. Anything else is left unread. */
    return rest.n == 0 && type < TYPE_VARCHAR ? BOUND_OTHER_TYPE : BOUND_NOT_CODE;
}

int bound_code_decode(struct bytes hex, struct buf *value, enum bound_code *kind, struct err *err) {
    *kind = BOUND_NOT_CODE;
    buf_clear(value);
    int rc = bound_code_unhex(hex, value, err);
    if (rc) return rc < 0 ? -1 : 0;
    struct bytes inner = {0};
    *kind = classify(buf_bytes(value), &inner);
    if (*kind == BOUND_VALUE) memmove(value->p, inner.p, inner.n);
    value->n = *kind == BOUND_VALUE ? inner.n : 0;
    return 0;
}
