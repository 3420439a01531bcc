#include "base/decimal.h"

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
                            "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
                            "9899";

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

/* Two digits at a time, from the end. */
uint8_t *decimal_put_u64(uint8_t *out, uint64_t v) {
    uint8_t *end = out + count_digits(v), *p = end;
    while (v >= 100) {
        memcpy(p -= 2, pairs + 2 * (v % 100), 2);
        v /= 100;
    }
    if (v >= 10)
        memcpy(p - 2, pairs + 2 * v, 2);
    else
        p[-1] = (uint8_t)('0' + v);
    return end;
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
