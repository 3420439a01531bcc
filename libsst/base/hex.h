/* Bytes as lower-case hex digits. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include "base/buf.h"

/* Writes 2 * b.n digits (no NUL) and returns their end. */
static inline uint8_t *hex_write(uint8_t *out, struct bytes b) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < b.n; i++) {
        *out++ = (uint8_t)digits[b.p[i] >> 4];
        *out++ = (uint8_t)digits[b.p[i] & 15];
    }
    return out;
}

/* Appends them. */
static inline int hex_put(struct buf *out, struct bytes b, struct err *err) {
    if (buf_reserve(out, 2 * b.n, err)) return -1;
    if (b.n) hex_write(out->p + out->n, b);
    out->n += 2 * b.n;
    return 0;
}

#endif
