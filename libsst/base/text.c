/* Numbers as decimal text and back. Printing timestamps is a good part of writing text, so eight digits are made at once, side by
 * side in one word. */
#include "base/text.h"

/* The n-th: the least number of n + 1 digits; of one digit all. */
static const uint64_t least[20] = {0,
                                   10,
                                   100,
                                   1000,
                                   10000,
                                   100000,
                                   1000000,
                                   10000000,
                                   100000000,
                                   1000000000,
                                   10000000000,
                                   100000000000,
                                   1000000000000,
                                   10000000000000,
                                   100000000000000,
                                   1000000000000000,
                                   10000000000000000,
                                   100000000000000000,
                                   1000000000000000000,
                                   UINT64_C(10000000000000000000)};

/* 1233 / 4096 is a little less than the logarithm of 2 by 10: what it makes of the bits is right or one too small. */
static size_t count_digits(uint64_t v) {
    size_t bits = 64 - (size_t)__builtin_clzll(v | 1), n = bits * 1233 >> 12;
    return n + (v >= least[n]);
}

/* A number below 10^8 as 8 digits, the first in the lowest byte: halves, then quarters, then digits side by side in one word,
 * each divided by a multiplication that is exact in its range. */
static uint64_t eight_digits(uint32_t v) {
    uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32;
    uint64_t hundreds = (x * 5243 >> 19) & UINT64_C(0x0000007f0000007f);
    x = hundreds | (x - hundreds * 100) << 16;
    uint64_t tens = (x * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return (tens | (x - tens * 10) << 8) + UINT64_C(0x3030303030303030);
}

/* The last n of them, 8 bytes are written. */
static void put_digits(uint8_t *out, uint32_t v, size_t n) {
    put_le64(out, eight_digits(v) >> 8 * (8 - n));
}

uint8_t *decimal_put_u64(uint8_t *out, uint64_t v) {
    enum { EIGHT = 100000000 };
    if (v < 10) {
        *out = (uint8_t)('0' + v);
        return out + 1;
    }
    if (v < 100) {
        out[0] = (uint8_t)('0' + v / 10);
        out[1] = (uint8_t)('0' + v % 10);
        return out + 2;
    }
    size_t n = count_digits(v);
    if (n <= 8) {
        put_digits(out, (uint32_t)v, n);
        return out + n;
    }
    if (n <= 16) {
        put_digits(out, (uint32_t)(v / EIGHT), n - 8);
    } else {
        put_digits(out, (uint32_t)(v / EIGHT / EIGHT), n - 16);
        put_digits(out + n - 16, (uint32_t)(v / EIGHT % EIGHT), 8);
    }
    put_digits(out + n - 8, (uint32_t)(v % EIGHT), 8);
    return out + n;
}

uint8_t *decimal_put_i64(uint8_t *out, int64_t v) {
    if (v >= 0) return decimal_put_u64(out, (uint64_t)v);
    *out++ = '-';
    return decimal_put_u64(out, -(uint64_t)v);
}

void decimal_print_u128(u128 v, char out[DECIMAL_U128_BYTES + 1]) {
    char digits[DECIMAL_U128_BYTES];
    size_t n = 0, at = 0;
    do digits[n++] = (char)('0' + (int)(v % 10));
    while (v /= 10);
    while (n) out[at++] = digits[--n];
    out[at] = 0;
}

bool decimal_parse_u128(struct bytes text, u128 *v) {
    u128 sum = 0;
    if (text.n == 0 || text.n > DECIMAL_U128_BYTES) return false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9') return false;
        if (__builtin_mul_overflow(sum, (u128)10, &sum) || __builtin_add_overflow(sum, (u128)(text.p[i] - '0'), &sum))
            return false;
    }
    *v = sum;
    return true;
}

bool decimal_parse_i64(struct bytes text, int64_t *v) {
    bool minus = text.n && text.p[0] == '-';
    u128 u;
    if (!decimal_parse_u128((struct bytes){text.p + minus, text.n - minus}, &u) || u > (u128)INT64_MAX + minus) return false;
    *v = minus ? (int64_t) - (uint64_t)u : (int64_t)u;
    return true;
}

enum { ASCII_STEP = 256 };

static bool is_ascii(const uint8_t *p) {
    uint8_t all = 0;
    for (size_t i = 0; i < ASCII_STEP; i++) all |= p[i];
    return all < 0x80;
}

bool text_is_utf8(struct bytes text) {
    uint32_t code;
    for (size_t i = 0, n; i < text.n; i += n) {
        if (text.n - i >= ASCII_STEP && is_ascii(text.p + i))
            n = ASCII_STEP;
        else if (text.p[i] < 0x80)
            n = 1;
        else if (!(n = utf8_next(text.p + i, text.n - i, &code)))
            return false;
    }
    return true;
}
