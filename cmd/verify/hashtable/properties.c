/* Java's properties files, as java.util.Properties loads them: pairs with escapes, \uXXXX and lines that continue. What is not
 * text (a NUL, half an escape) is an error that names the line. */
#include "cmd/verify/hashtable/hash_table.h"

#include "base/buf.h"
#include "base/text.h"

struct properties {
    const uint8_t *p, *end;
    unsigned line;
    struct buf key, value;
};

static bool is_blank(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\f';
}

static bool is_line_end(uint8_t c) {
    return c == '\n' || c == '\r';
}

/* CR, LF or both. */
static void skip_line_end(struct properties *x) {
    bool cr = *x->p++ == '\r';
    if (cr && x->p < x->end && *x->p == '\n') x->p++;
    x->line++;
}

static void skip_blanks(struct properties *x) {
    while (x->p < x->end && is_blank(*x->p)) x->p++;
}

static int put_utf8(struct buf *out, uint32_t c, struct err *err) {
    uint8_t b[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; c >>= 6) b[i] = 0x80 | (c & 0x3f);
    b[0] = (uint8_t)(lead[n] | c);
    return buf_put(out, b, n, err);
}

/* The four digits after \u. */
static int take_unit(struct properties *x, uint32_t *unit, struct err *err) {
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        int v = x->p < x->end ? hex_digit(*x->p) : -1;
        if (v < 0) return err_set(err, ERR_INPUT, "line %u: \\u needs four hex digits", x->line);
        *unit = *unit << 4 | (uint32_t)v;
        x->p++;
    }
    return 0;
}

static int take_unicode(struct properties *x, struct buf *out, struct err *err) {
    uint32_t c, low;
    if (take_unit(x, &c, err)) return -1;
    if (c >= 0xd800 && c < 0xdc00 && x->end - x->p >= 2 && x->p[0] == '\\' && x->p[1] == 'u') {
        x->p += 2;
        if (take_unit(x, &low, err)) return -1;
        if (low >= 0xdc00 && low < 0xe000) return put_utf8(out, 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00), err);
        if (put_utf8(out, c, err)) return -1;
        c = low;
    }
    if (!c) return err_set(err, ERR_INPUT, "line %u: a NUL character", x->line);
    return put_utf8(out, c, err);
}

/* Takes what follows a backslash, and adds the character that it stands for. */
static int take_escape(struct properties *x, struct buf *out, struct err *err) {
    if (x->p == x->end) return 0;
    uint8_t c = *x->p;
    if (is_line_end(c)) { /* the line continues on the next one */
        skip_line_end(x);
        skip_blanks(x);
        return 0;
    }
    x->p++;
    if (c == 'u') return take_unicode(x, out, err);
    return buf_put_byte(out, c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c == 'f' ? '\f' : c, err);
}

/* Takes text up to the end of the line or, of a key, what ends it. */
static int take_text(struct properties *x, bool is_key, struct buf *out, struct err *err) {
    out->n = 0;
    while (x->p < x->end && !is_line_end(*x->p)) {
        uint8_t c = *x->p;
        if (is_key && (is_blank(c) || c == '=' || c == ':')) break;
        x->p++;
        if (!c) return err_set(err, ERR_INPUT, "line %u: a NUL byte", x->line);
        if (c == '\\' ? take_escape(x, out, err) : buf_put_byte(out, c, err)) return -1;
    }
    return buf_put_byte(out, 0, err);
}

static int take_pair(struct properties *x, struct err *err) {
    if (take_text(x, true, &x->key, err)) return -1;
    skip_blanks(x);
    if (x->p < x->end && (*x->p == '=' || *x->p == ':')) x->p++;
    skip_blanks(x);
    return take_text(x, false, &x->value, err);
}

static int each_pair(struct properties *x, int (*put)(void *arg, const char *key, const char *value, struct err *err), void *arg,
                     struct err *err) {
    for (;;) {
        while (x->p < x->end && (is_blank(*x->p) || is_line_end(*x->p)))
            if (is_blank(*x->p))
                x->p++;
            else
                skip_line_end(x);
        if (x->p == x->end) return 0;
        if (*x->p == '#' || *x->p == '!') {
            while (x->p < x->end && !is_line_end(*x->p)) x->p++;
            continue;
        }
        if (take_pair(x, err) || put(arg, (const char *)x->key.p, (const char *)x->value.p, err)) return -1;
    }
}

int properties_parse(struct bytes text, int (*put)(void *arg, const char *key, const char *value, struct err *err), void *arg,
                     struct err *err) {
    struct properties x = {.p = text.p, .end = text.p + text.n, .line = 1};
    int rc = text.n ? each_pair(&x, put, arg, err) : 0;
    buf_free(&x.key);
    buf_free(&x.value);
    return rc;
}
