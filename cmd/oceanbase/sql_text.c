#include "cmd/oceanbase/sql_text.h"

#include "base/text.h"

int sql_put_name(struct buf *out, const char *name, struct err *err) {
    int rc = buf_put_byte(out, '`', err);
    for (const char *p = name; !rc && *p; p++) {
        if (*p == '`') rc = buf_put_byte(out, '`', err);
        if (!rc) rc = buf_put_byte(out, (uint8_t)*p, err);
    }
    return rc ? -1 : buf_put_byte(out, '`', err);
}

/* What follows the backslash; 0 = the byte needs none. */
static uint8_t escape_of(uint8_t c) {
    switch (c) {
    case '\'':
    case '\\': return c;
    case 0: return '0';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case 0x1a: return 'Z';
    default: return 0;
    }
}

int sql_put_string(struct buf *out, struct bytes text, struct err *err) {
    int rc = buf_put_byte(out, '\'', err);
    for (size_t i = 0; !rc && i < text.n; i++) {
        uint8_t c = text.p[i], e = escape_of(c);
        rc = e ? buf_put_byte(out, '\\', err) || buf_put_byte(out, e, err) : buf_put_byte(out, c, err);
    }
    return rc ? -1 : buf_put_byte(out, '\'', err);
}

int sql_put_hex(struct buf *out, struct bytes value, struct err *err) {
    return buf_put(out, "x'", 2, err) || hex_put(out, value, err) || buf_put_byte(out, '\'', err) ? -1 : 0;
}
