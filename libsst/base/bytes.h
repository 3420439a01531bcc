/* Bytes: a borrowed view of them, integers of fixed width among them, and the copying of short ones. A view is never freed; it is
 * valid as long as its owner says. HFiles are big-endian; the few little-endian integers rely on the machine being so. */
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

/* 1 to 8 bytes as a number: of two of the same length, the smaller one comes first. */
static inline uint64_t bytes_short(const uint8_t *p, size_t n) {
    uint32_t head, tail;
    if (n < 4) return (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1];
    memcpy(&head, p, 4);
    memcpy(&tail, p + n - 4, 4);
    return (uint64_t)__builtin_bswap32(head) << 32 | __builtin_bswap32(tail);
}

/* As memcmp. Qualifiers and the like are a few bytes, for which a call takes longer than the comparison. */
static inline int bytes_cmp_n(const uint8_t *a, const uint8_t *b, size_t n) {
    if (n > 8) return memcmp(a, b, n);
    if (!n) return 0;
    uint64_t x = bytes_short(a, n), y = bytes_short(b, n);
    return (x > y) - (x < y);
}

static inline bool bytes_eq(struct bytes a, struct bytes b) {
    return a.n == b.n && bytes_cmp_n(a.p, b.p, a.n) == 0;
}

/* Returns b without the blanks and TABs around it. */
static inline struct bytes bytes_trim(struct bytes b) {
    for (; b.n && (b.p[0] == ' ' || b.p[0] == '\t'); b.p++) b.n--;
    while (b.n && (b.p[b.n - 1] == ' ' || b.p[b.n - 1] == '\t')) b.n--;
    return b;
}

/* Returns b without the byte order mark of UTF-8 that a text may begin with. */
static inline struct bytes bytes_without_mark(struct bytes b) {
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
    const size_t n = b.n >= sizeof mark && !memcmp(b.p, mark, sizeof mark) ? sizeof mark : 0;
    return b.n ? bytes_of(b.p + n, b.n - n) : b;
}

/* Unsigned bytes, a proper prefix first: HBase's Bytes.compareTo, OceanBase's binary collation. */
static inline int bytes_cmp(struct bytes a, struct bytes b) {
    int c = bytes_cmp_n(a.p, b.p, a.n < b.n ? a.n : b.n);
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

/* ---- integers ---- */

static inline uint16_t be16(const uint8_t *p) {
    return (uint16_t)(p[0] << 8 | p[1]);
}
static inline uint32_t be32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return __builtin_bswap32(v);
}
static inline uint64_t be64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, 8);
    return __builtin_bswap64(v);
}
static inline uint8_t *put_be16(uint8_t *p, uint16_t v) {
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
    return p + 2;
}
static inline uint8_t *put_be32(uint8_t *p, uint32_t v) {
    v = __builtin_bswap32(v);
    memcpy(p, &v, 4);
    return p + 4;
}
static inline uint8_t *put_be64(uint8_t *p, uint64_t v) {
    v = __builtin_bswap64(v);
    memcpy(p, &v, 8);
    return p + 8;
}
static inline uint32_t le32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}
static inline uint64_t le64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}
static inline uint8_t *put_le64(uint8_t *p, uint64_t v) {
    memcpy(p, &v, 8);
    return p + 8;
}

/* ---- short copies ----
 *
 * In steps of 16 bytes, where a call of memcpy would cost more than the copy. Nothing but the source's own bytes is read; up to
 * COPY16_SPARE bytes after the copy are written. */

enum { COPY16_SPARE = 16 };

struct word16 {
    uint64_t low, high; /* the first byte is the lowest of low */
};

static inline struct word16 load16(const uint8_t *p) {
    return (struct word16){le64(p), le64(p + 8)};
}

/* Loads at most 15 bytes, zero-padded. */
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
    const uint8_t *rest = (const uint8_t *)((uintptr_t)b.p + n); /* p may be NULL: no pointer to add to */
    store16(out + n, load16_short(rest, b.n - n));
    return out + b.n;
}

/* Copies in steps of 64 bytes, at least one: the lengths of values vary, and a processor that guesses a length wrong loses more
 * time than the copy needs. COPY64_SPARE bytes after b are read, and after the copy are written. Returns the end of the copy. */
enum { COPY64_SPARE = 64 };

static inline uint8_t *copy64(uint8_t *out, struct bytes b) {
    enum { STEPS_MOST = 16 * 64 }; /* beyond, the library's copy is faster */
    memcpy(out, b.p, 64);
    if (b.n <= STEPS_MOST)
        for (size_t i = 64; i < b.n; i += 64) memcpy(out + i, b.p + i, 64);
    else
        memcpy(out + 64, b.p + 64, b.n - 64);
    return out + b.n;
}

#endif
