/* Short strings in steps of 16 bytes, where a call of memcpy would cost more than the copy. Nothing but the source's own bytes is
 * read; up to COPY16_SPARE bytes behind them are written. */
#ifndef BASE_COPY16_H
#define BASE_COPY16_H

#include "base/be.h"
#include "base/bytes.h"

enum { COPY16_SPARE = 16 };

struct word16 {
    uint64_t low, high; /* the first byte is the lowest of low */
};

static inline struct word16 load16(const uint8_t *p) {
    return (struct word16){le64(p), le64(p + 8)};
}

/* At most 15 bytes, zeroes behind them. */
static inline struct word16 load16_short(const uint8_t *p, size_t n) {
    if (n > 8) return (struct word16){le64(p), le64(p + n - 8) >> 8 * (16 - n)};
    if (n == 8) return (struct word16){le64(p), 0};
    if (n >= 4) return (struct word16){le32(p) | (uint64_t)le32(p + n - 4) << 8 * (n - 4), 0};
    if (!n) return (struct word16){0, 0};
    return (struct word16){p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) | (uint64_t)p[n - 1] << 8 * (n - 1), 0};
}

static inline void store16(uint8_t *out, struct word16 w) {
    put_le64(put_le64(out, w.low), w.high);
}

/* The end of the copy; out has room for b.n + COPY16_SPARE bytes. */
static inline uint8_t *copy16(uint8_t *out, struct bytes b) {
    size_t n = b.n & ~(size_t)15;
    for (size_t i = 0; i < n; i += 16) store16(out + i, load16(b.p + i));
    store16(out + n, load16_short(b.p + n, b.n - n));
    return out + b.n;
}

#endif
