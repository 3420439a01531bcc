/* Whole numbers and timestamps of fields. Most are timestamps of 10 to 16 digits, one in each record: eight digits are read at a
 * time, as four numbers of two, two of four, and one of eight. */

#include "base/bytes.h"
#include "formats/text/text_number.h"

/* Eight digits, the first one in the lowest byte, as a number; false: some byte is none. */
static inline bool take_eight(uint64_t text, uint64_t *v) {
    const uint64_t zeros = UINT64_C(0x3030303030303030), high = UINT64_C(0xf0f0f0f0f0f0f0f0),
                   pairs = UINT64_C(0x000000ff000000ff);
    if ((text & high) != zeros || ((text + UINT64_C(0x0606060606060606)) & high) != zeros) return false;
    uint64_t d = (text - zeros) * 10 + ((text - zeros) >> 8); /* every second byte: a number of two digits */
    *v = ((d & pairs) * (100 + (UINT64_C(1000000) << 32)) + (d >> 16 & pairs) * (1 + (UINT64_C(10000) << 32))) >> 32;
    return true;
}

/* Eight digits or more, as many as 64 bits hold: the last eight bytes are read again, with zeros for those that were read
 * before. */
static bool parse_long(const uint8_t *p, const uint8_t *end, uint64_t *v) {
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t x = 0, eight;
    for (; end - p >= 8; p += 8) {
        if (!take_eight(le64(p), &eight)) return false;
        x = x * 100000000 + eight;
    }
    if (p < end) {
        size_t left = (size_t)(end - p), shift = 64 - 8 * left;
        uint64_t text = (le64(end - 8) >> shift << shift) | UINT64_C(0x3030303030303030) >> 8 * left;
        if (!take_eight(text, &eight)) return false;
        x = x * powers[left] + eight;
    }
    *v = x;
    return true;
}

static bool parse_digits(const uint8_t *p, const uint8_t *end, uint64_t limit, uint64_t *v) {
    enum { SAFE_DIGITS = 18 }; /* fit in any limit, so that only what follows them is compared with it */
    uint64_t x = 0;
    if (p == end) return false;
    if (end - p >= 8) {
        const uint8_t *safe = end - p > SAFE_DIGITS ? p + SAFE_DIGITS : end;
        if (!parse_long(p, safe, &x)) return false;
        p = safe;
    }
    for (; p < end; p++) {
        unsigned d = (unsigned)*p - '0';
        if (d > 9 || x > limit / 10 || x * 10 > limit - d) return false;
        x = x * 10 + d;
    }
    *v = x;
    return true;
}

bool text_u64(struct bytes field, uint64_t *v) {
    return parse_digits(field.p, field.p + field.n, UINT64_MAX, v);
}

bool text_i64(struct bytes field, int64_t *v) {
    bool negative = field.n && field.p[0] == '-';
    bool sign = negative || (field.n && field.p[0] == '+');
    uint64_t x;
    if (!parse_digits(field.p + sign, field.p + field.n, (uint64_t)INT64_MAX + negative, &x)) return false;
    *v = negative ? (int64_t)(0 - x) : (int64_t)x;
    return true;
}

bool text_time(int64_t v, enum time_unit unit, int64_t *ms) {
    static const int64_t per_ms[] = {[TIME_MS] = 1, [TIME_US] = 1000, [TIME_NS] = 1000000};
    *ms = v;
    if (v == INT64_MAX || unit == TIME_MS) return true;
    if (unit == TIME_S) return !__builtin_mul_overflow(v, INT64_C(1000), ms);
    *ms = v / per_ms[unit];
    return true;
}
