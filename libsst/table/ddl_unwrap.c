/* `mysql -e 'SHOW CREATE TABLE …' > file` writes one line per table: its name, a TAB, and the text with LF, TAB, NUL and
 * backslash escaped. Such lines are recognised by what no hand-written DDL has: TAB, CREATE TABLE, and (\n in letters. */
#include "table/ddl_parser.h"

static bool next_line(struct bytes *rest, struct bytes *line) {
    if (!rest->n) return false;
    const uint8_t *nl = memchr(rest->p, '\n', rest->n);
    size_t n = nl ? (size_t)(nl - rest->p) + 1 : rest->n;
    *line = (struct bytes){rest->p, n};
    rest->p += n;
    rest->n -= n;
    return true;
}

/* Where the DDL starts in a wrapped line; NULL when it is none. */
static const uint8_t *wrapped(struct bytes line) {
    static const char head[] = "CREATE TABLE ", open[] = "(\\n";
    const uint8_t *tab = memchr(line.p, '\t', line.n);
    if (!tab) return NULL;
    size_t left = line.n - (size_t)(tab + 1 - line.p);
    if (left < sizeof head || memcmp(tab + 1, head, sizeof head - 1) != 0) return NULL;
    return memmem(tab + 1, left, open, sizeof open - 1) ? tab + 1 : NULL;
}

static int put_unescaped(struct bytes s, struct buf *out, struct err *err) {
    for (size_t i = 0; i < s.n; i++) {
        uint8_t c = s.p[i];
        if (c == '\\' && i + 1 < s.n) {
            c = s.p[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == '0' ? 0 : c;
        }
        if (buf_put_byte(out, c, err)) return -1;
    }
    return 0;
}

int ddl_unwrap(struct bytes text, struct buf *out, struct err *err) {
    struct bytes rest = text, line;
    bool any = false;
    while (next_line(&rest, &line)) any = any || wrapped(line);
    for (rest = text; any && next_line(&rest, &line);) {
        const uint8_t *start = wrapped(line);
        int rc = start ? put_unescaped((struct bytes){start, (size_t)(line.p + line.n - start)}, out, err)
                       : buf_put(out, line.p, line.n, err);
        if (rc) return -1;
    }
    return 0;
}
