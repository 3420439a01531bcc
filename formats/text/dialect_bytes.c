/* Delimiters, quotes and escapes as people write them. A shell, a mapping and a settings file all leave control characters hard
 * to type, so they may be written as C, Java and other programs have them: \t, \001, \x01, \u0001, 0x01. Everything else is
 * itself. */
#include "formats/text/dialect_bytes.h"

#include "base/text.h"

/* 0x and digits: 0x1f, 0xe282ac. 0: it is none of this kind. */
static size_t take_hex(struct bytes t, uint8_t *out, size_t most) {
    size_t n = 0;
    if (t.n < 3 || t.p[0] != '0' || (t.p[1] | 32) != 'x') return 0;
    for (size_t i = 2; i < t.n; i++)
        if (hex_digit(t.p[i]) < 0) return 0;
    if (t.n % 2) out[n++] = (uint8_t)hex_digit(t.p[2]); /* 0x9 */
    for (size_t i = 2 + t.n % 2; i < t.n; i += 2) {
        if (n == most) return 0;
        out[n++] = (uint8_t)hex_byte(t.p + i);
    }
    return n;
}

/* Returns in *out the byte that the backslash at t.p[0] and what follows it stand for. Returns the bytes consumed, 0 if the
 * backslash is itself. */
static size_t take_escape(struct bytes t, uint8_t *out) {
    static const char letters[] = "tnr\\", meant[] = "\t\n\r\\";
    const char *at = t.n > 1 && t.p[1] ? strchr(letters, t.p[1]) : NULL;
    unsigned v = 0;
    size_t n = 1;
    if (at) {
        *out = (uint8_t)meant[at - letters];
        return 2;
    }
    if (t.n > 3 && t.p[1] == 'x' && hex_byte(t.p + 2) >= 0) {
        *out = (uint8_t)hex_byte(t.p + 2);
        return 4;
    }
    if (t.n > 2 && t.p[1] == 'x' && hex_digit(t.p[2]) >= 0) {
        *out = (uint8_t)hex_digit(t.p[2]);
        return 3;
    }
    for (; n < t.n && n < 4 && t.p[n] >= '0' && t.p[n] <= '7'; n++) v = v * 8 + (t.p[n] - '0');
    *out = (uint8_t)v;
    return n > 1 && v < 256 ? n : 0;
}

/* \u and four digits, in UTF-8; *n: its bytes. Returns the bytes consumed; 0: it is none of this kind, or has no room. */
static size_t take_unicode(struct bytes t, uint8_t *out, size_t room, size_t *n) {
    enum { UNICODE_BYTES = 6 };
    if (t.n < UNICODE_BYTES || t.p[1] != 'u' || hex_byte(t.p + 2) < 0 || hex_byte(t.p + 4) < 0) return 0;
    const unsigned c = (unsigned)hex_byte(t.p + 2) << 8 | (unsigned)hex_byte(t.p + 4);
    *n = c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
    if (*n > room) return 0;
    if (*n == 1) out[0] = (uint8_t)c;
    if (*n == 2) out[0] = (uint8_t)(0xc0 | c >> 6);
    if (*n == 3) out[0] = (uint8_t)(0xe0 | c >> 12);
    for (size_t i = 1; i < *n; i++) out[i] = (uint8_t)(0x80 | (c >> 6 * (*n - 1 - i) & 0x3f));
    return UNICODE_BYTES;
}

size_t dialect_bytes(struct bytes text, uint8_t *out, size_t most) {
    size_t n = 0;
    if (bytes_eq(text, bytes_str("tab"))) text = bytes_str("\t");
    if (most && (n = take_hex(text, out, most))) return n;
    for (size_t i = 0, used, made; i < text.n; i += used, n += made) {
        const struct bytes rest = bytes_of(text.p + i, text.n - i);
        if (n == most) return 0;
        made = 1;
        used = *rest.p == '\\' ? take_unicode(rest, out + n, most - n, &made) : 0;
        if (!used && *rest.p == '\\') used = take_escape(rest, out + n);
        if (used) continue;
        out[n] = *rest.p;
        used = made = 1;
    }
    return n;
}

int dialect_put_bytes(struct buf *out, struct bytes b, struct err *err) {
    bool plain = b.n > 0;
    for (size_t i = 0; i < b.n; i++) plain &= b.p[i] > ' ' && b.p[i] != 0x7f;
    for (size_t i = 0; i < b.n && b.p[0] != '0'; i++) plain &= b.p[i] < 0x80 || b.n > 1;
    if (b.n == 1 && b.p[0] == '\t') return buf_printf(out, err, "TAB");
    if (plain) return buf_printf(out, err, "'%.*s'", (int)b.n, (const char *)b.p);
    return buf_printf(out, err, "0x") ? -1 : hex_put(out, b, err);
}
