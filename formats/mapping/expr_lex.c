/* Words of an expression: names, quoted texts, numbers, signs. Errors say at which character of the text they are; characters are
 * counted as people do, not bytes. */

#include "base/text.h"
#include "formats/mapping/expr_lex.h"

#include <stdarg.h>
#include <stdio.h>

int expr_lex_error(const struct expr_lex *l, struct err *err, const char *fmt, ...) {
    char text[600];
    size_t characters = 1;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < l->start; i++) characters += (l->text.p[i] & 0xc0) != 0x80;
    return err_set(err, ERR_USAGE, "at character %zu: %s", characters, text);
}

static bool in_name(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c >= 0x80;
}

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

static int take_quoted(struct expr_lex *l, uint8_t quote, struct err *err) {
    const uint8_t *p = l->text.p;
    size_t i = l->start + 1;
    for (;; i++) {
        if (i >= l->text.n) return expr_lex_error(l, err, "the quote %c that opens here is never closed", quote);
        if (p[i] == '\\' && quote != '`' && i + 1 < l->text.n)
            i++;
        else if (p[i] == quote && i + 1 < l->text.n && p[i + 1] == quote)
            i++;
        else if (p[i] == quote)
            break;
    }
    l->raw = bytes_of(p + l->start + 1, i - l->start - 1);
    l->at = i + 1;
    l->token = quote == '`' ? TOKEN_QUOTED : TOKEN_STRING;
    return 0;
}

static int take_sign(struct expr_lex *l, struct err *err) {
    static const char *const signs[] = {"==", "!=", "<>", "<=", ">=", "(", ")", "[", "]", "}",
                                        ",",  ":",  "+",  "-",  "*",  "/", "%", "=", "<", ">"};
    struct bytes left = {l->text.p + l->start, l->text.n - l->start};
    for (size_t i = 0; i < countof(signs); i++) {
        size_t n = strlen(signs[i]);
        if (left.n < n || memcmp(left.p, signs[i], n) != 0) continue;
        l->raw = bytes_of(left.p, n);
        l->at = l->start + n;
        l->token = TOKEN_SIGN;
        return 0;
    }
    return expr_lex_error(l, err,
                          left.p[0] >= 0x20 && left.p[0] < 0x7f ? "'%c' has no meaning here" : "byte 0x%02x has no meaning here",
                          left.p[0]);
}

/* Returns where the brackets at i end: [3], ['any key'], ["any key"], a doubled quote inside being one. i itself: it is a
 * slice. */
static size_t bracket_end(const struct expr_lex *l, size_t i) {
    const uint8_t *p = l->text.p;
    size_t n = l->text.n, at = i + 1;
    if (at < n && (p[at] == '\'' || p[at] == '"')) {
        uint8_t quote = p[at++];
        for (; at < n && (p[at] != quote || (at + 1 < n && p[at + 1] == quote)); at++) at += p[at] == quote;
        return at + 1 < n && p[at + 1] == ']' ? at + 2 : i;
    }
    while (at < n && is_digit(p[at]) && at - i < 9) at++;
    return at > i + 1 && at < n && p[at] == ']' ? at + 1 : i;
}

/* A path into JSON, from its $ on: $.key[3]['any key'], or $ alone. */
static int take_path(struct expr_lex *l, struct err *err) {
    const uint8_t *p = l->text.p;
    size_t n = l->text.n, i = l->start + 1, end;
    for (; i < n; i = end) {
        end = i + 1;
        if (p[i] == '.')
            while (end < n && in_name(p[end]) && p[end] != '.') end++;
        else if (p[i] == '[')
            end = bracket_end(l, i);
        if (p[i] == '.' && end == i + 1) {
            l->start = i;
            return expr_lex_error(l, err,
                                  "expected a key after the dot; write keys with other characters than letters, "
                                  "digits and _ in ['…']");
        }
        if ((p[i] != '.' && p[i] != '[') || end == i) break;
    }
    l->raw = bytes_of(p + l->start, i - l->start);
    l->at = i;
    l->token = TOKEN_NAME;
    return 0;
}

int expr_lex_next(struct expr_lex *l, struct err *err) {
    const uint8_t *p = l->text.p;
    size_t n = l->text.n, i = l->at;
    while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\n' || p[i] == '\r')) i++;
    l->start = l->at = i;
    l->token = TOKEN_END;
    l->raw = bytes_of(p + i, 0);
    if (i == n) return 0;
    if (p[i] == '\'' || p[i] == '"' || p[i] == '`') return take_quoted(l, p[i], err);
    bool number = is_digit(p[i]), position = p[i] == '$' && i + 1 < n && is_digit(p[i + 1]);
    if (p[i] == '$' && !position) return take_path(l, err);
    if (!position && (!in_name(p[i]) || p[i] == '.')) return take_sign(l, err);
    const bool columns = l->columns && !number;
    for (i++; i < n && (in_name(p[i]) || (columns && p[i] == ':' && i + 1 < n && in_name(p[i + 1])));) i++;
    l->raw = bytes_of(p + l->start, i - l->start);
    l->at = i;
    l->token = number ? TOKEN_NUMBER : TOKEN_NAME;
    return 0;
}

bool expr_lex_is(const struct expr_lex *l, const char *what) {
    return (l->token == TOKEN_SIGN || l->token == TOKEN_NAME) && bytes_eq(l->raw, bytes_str(what));
}

/* p follows the backslash. Returns how many bytes the escape takes there, 0 = unknown. */
static size_t unescape(const uint8_t *p, size_t left, uint8_t *out) {
    static const char from[] = "ntr0\\'\"", to[] = "\n\t\r\0\\'\"";
    int byte = left >= 3 && *p == 'x' ? hex_byte(p + 1) : -1;
    if (byte >= 0) {
        *out = (uint8_t)byte;
        return 3;
    }
    const char *at = left && *p ? strchr(from, *p) : NULL;
    if (!at) return 0;
    *out = (uint8_t)to[at - from];
    return 1;
}

int expr_lex_unescape(const struct expr_lex *l, uint8_t *out, size_t *n, struct err *err) {
    const uint8_t *p = l->raw.p, *end = p + l->raw.n;
    uint8_t quote = l->text.p[l->start], *w = out;
    while (p < end) {
        if (*p == '\\' && quote != '`') {
            size_t taken = unescape(p + 1, (size_t)(end - p - 1), w++);
            if (!taken) return expr_lex_error(l, err, "\\ is followed by none of n t r 0 \\ ' \" or xNN");
            p += 1 + taken;
        } else {
            p += *p == quote; /* doubled */
            *w++ = *p++;
        }
    }
    *n = (size_t)(w - out);
    return 0;
}
