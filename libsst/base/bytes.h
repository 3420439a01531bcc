/* A borrowed view of bytes: never freed, valid as long as its owner says. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
    const uint8_t *p;
    size_t n;
};

#define countof(a) (sizeof(a) / sizeof((a)[0]))

static inline struct bytes bytes_of(const void *p, size_t n) {
    return (struct bytes){p, n};
}

static inline struct bytes bytes_str(const char *s) {
    return (struct bytes){(const uint8_t *)s, strlen(s)};
}

static inline bool bytes_eq(struct bytes a, struct bytes b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Unsigned bytes, a proper prefix first: HBase's Bytes.compareTo, OceanBase's binary collation. */
static inline int bytes_cmp(struct bytes a, struct bytes b) {
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    if (c) return c;
    return (a.n > b.n) - (a.n < b.n);
}

/* Length of the longest common prefix. */
static inline size_t bytes_lcp(struct bytes a, struct bytes b) {
    size_t n = a.n < b.n ? a.n : b.n, i = 0;
    for (uint64_t x, y; i + 8 <= n; i += 8) {
        memcpy(&x, a.p + i, 8);
        memcpy(&y, b.p + i, 8);
        if (x != y) return i + (size_t)__builtin_ctzll(x ^ y) / 8; /* little-endian: the first byte is the lowest */
    }
    while (i < n && a.p[i] == b.p[i]) i++;
    return i;
}

#endif
