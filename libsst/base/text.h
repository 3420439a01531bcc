/* Writes and reads numbers and bytes as text: decimal digits up to 128 bits (sums inside a database are wider than 64), hex
 * digits, and UTF-8 as RFC 3629 has it: shortest forms only, no surrogates, nothing above U+10FFFF. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/buf.h"
#include "base/bytes.h"

/* ---- decimal ---- */

__extension__ typedef unsigned __int128 u128;

enum { DECIMAL_I64_BYTES = 20, DECIMAL_U128_BYTES = 39 };

/* Write the digits (no NUL) and return the end; out has DECIMAL_I64_BYTES bytes. */
uint8_t *decimal_put_u64(uint8_t *out, uint64_t v);
uint8_t *decimal_put_i64(uint8_t *out, int64_t v);

/* Prints v in decimal, with a NUL. */
void decimal_print_u128(u128 v, char out[DECIMAL_U128_BYTES + 1]);
/* Digits only, at least one. false: anything else, or too large. */
bool decimal_parse_u128(struct bytes text, u128 *v);
/* As decimal_parse_u128, with a minus in front allowed. */
bool decimal_parse_i64(struct bytes text, int64_t *v);

/* ---- hex ---- */

/* The digits of four bytes, as a little-endian number: bytes move apart, their halves become numbers from 0 to 15 in a byte each,
 * and those above 9 get the distance from '9' to 'a' added. */
static inline uint64_t hex_digits_of_four(uint32_t four) {
    uint64_t v = (four | (uint64_t)four << 16) & UINT64_C(0x0000ffff0000ffff);
    v = (v | v << 8) & UINT64_C(0x00ff00ff00ff00ff);
    v = ((v >> 4) | v << 8) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    uint64_t letters = ((v + UINT64_C(0x0606060606060606)) >> 4) & UINT64_C(0x0101010101010101);
    return v + UINT64_C(0x3030303030303030) + letters * ('a' - '9' - 1);
}

/* Writes 2 * b.n digits (no NUL) and returns their end. */
static inline uint8_t *hex_write(uint8_t *out, struct bytes b) {
    static const char digits[] = "0123456789abcdef";
    size_t i = 0;
    for (; i + 4 <= b.n; i += 4) out = put_le64(out, hex_digits_of_four(le32(b.p + i)));
    for (; i < b.n; i++) {
        *out++ = (uint8_t)digits[b.p[i] >> 4];
        *out++ = (uint8_t)digits[b.p[i] & 15];
    }
    return out;
}

/* The value of a digit of either case; -1: it is none. */
static inline int hex_digit(uint8_t c) {
    unsigned d = c - (unsigned)'0', letter = (c | 0x20u) - 'a';
    return d < 10 ? (int)d : letter < 6 ? (int)letter + 10 : -1;
}

/* The byte of two digits; -1: they are none. */
static inline int hex_byte(const uint8_t *p) {
    int high = hex_digit(p[0]), low = hex_digit(p[1]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* Writes digits.n / 2 bytes. false: other characters, or an odd number of digits. */
static inline bool hex_read(uint8_t *out, struct bytes digits) {
    bool good = digits.n % 2 == 0;
    for (size_t i = 0; good && i < digits.n; i += 2) {
        int byte = hex_byte(digits.p + i);
        good = byte >= 0;
        *out++ = (uint8_t)byte;
    }
    return good;
}

/* Appends the digits of b. */
static inline int hex_put(struct buf *out, struct bytes b, struct err *err) {
    if (buf_reserve(out, 2 * b.n, err)) return -1;
    if (b.n) hex_write(out->p + out->n, b);
    out->n += 2 * b.n;
    return 0;
}

/* ---- UTF-8 ---- */

/* The character that begins at p: its length and code; 0 = it is not a character. left > 0. */
static inline size_t utf8_next(const uint8_t *p, size_t left, uint32_t *code) {
    uint8_t c = p[0];
    if (c < 0x80) {
        *code = c;
        return 1;
    }
    size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || left < n) return 0;
    uint32_t v = c & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        v = v << 6 | (p[i] & 0x3fu);
    }
    if ((n == 3 && v < 0x800) || (n == 4 && v < 0x10000) || v > 0x10ffff || (v >= 0xd800 && v < 0xe000)) return 0;
    *code = v;
    return n;
}

/* Returns whether all of text is UTF-8; of ASCII in little time. */
bool text_is_utf8(struct bytes text);

#endif
