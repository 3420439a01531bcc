#include "base/decimal.h"

uint8_t *decimal_put_u64(uint8_t *out, uint64_t v) {
    uint8_t digits[DECIMAL_I64_BYTES];
    size_t n = 0;
    do digits[n++] = (uint8_t)('0' + v % 10);
    while (v /= 10);
    while (n) *out++ = digits[--n];
    return out;
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
