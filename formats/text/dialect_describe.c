/* A dialect in words, as --preview and --dry-run show it, and what of it cannot be meant together: a byte that is a delimiter
 * and a quote, or a line end and either. */
#include "formats/text/dialect.h"
#include "formats/text/dialect_bytes.h"
#include "formats/text/dialect_describe.h"

static bool is_line_end(int byte) {
    return byte == '\n' || byte == '\r';
}

int dialect_check(const struct dialect *d, struct err *err) {
    for (size_t i = 0; i < d->n_delimiter; i++) {
        if (is_line_end(d->delimiter[i]) || is_line_end(d->quote))
            return err_set(err, ERR_USAGE, "--delimiter and --quote cannot be a line end");
        if (d->delimiter[i] == d->quote)
            return err_set(err, ERR_USAGE,
                           d->n_delimiter > 1 ? "--delimiter holds the quote" : "--delimiter and --quote are the same byte");
        if (d->delimiter[i] == d->escape) return err_set(err, ERR_USAGE, "the delimiter holds the escape of --dialect");
    }
    if (is_line_end(d->escape)) return err_set(err, ERR_USAGE, "the escape of --dialect cannot be a line end");
    return 0;
}

static int put_byte(struct buf *out, const char *what, int byte, struct err *err) {
    const uint8_t b = (uint8_t)byte;
    if (byte < 0) return buf_printf(out, err, ", no %s", what);
    return buf_printf(out, err, ", %s ", what) || dialect_put_bytes(out, bytes_of(&b, 1), err) ? -1 : 0;
}

static int put_texts(struct buf *out, const char *what, const struct dialect_texts *t, struct err *err) {
    for (size_t i = 0; i < t->n; i++) {
        const struct bytes text = dialect_text(t, i);
        if (buf_printf(out, err, "%s'%.*s'", i ? " or " : what, (int)text.n, (const char *)text.p)) return -1;
    }
    return 0;
}

int dialect_describe(const struct dialect *d, struct buf *out, struct err *err) {
    static const char *const headers[] = {"no header", "a header in the first file", "a header"},
                             *const trailing[] = {"", ", a delimiter ends each record", ", empty fields at the end are dropped"},
                             *const lines[] = {"", ", lines end at LF alone", ", lines end at CRLF alone",
                                               ", lines end at LF, CRLF or CR"};
    if (d->name[0] && buf_printf(out, err, "%s: ", d->name)) return -1;
    if (buf_printf(out, err, "delimiter ") || dialect_put_bytes(out, dialect_delimiter(d), err)) return -1;
    if (put_byte(out, "quote", d->quote, err) || (d->escape >= 0 && put_byte(out, "escape", d->escape, err))) return -1;
    if (put_texts(out, ", null ", &d->nulls, err)) return -1;
    if (d->skip && buf_printf(out, err, ", %u line%s before the %s", d->skip, d->skip == 1 ? "" : "s",
                              d->header == DIALECT_HEADER_NONE ? "records" : "header"))
        return -1;
    if (buf_printf(out, err, ", %s", headers[d->header]) ||
        put_texts(out, ", no records where lines begin with ", &d->comments, err))
        return -1;
    return buf_printf(out, err, "%s%s%s", d->trim ? ", blanks around fields are dropped" : "", trailing[d->trailing],
                      lines[d->lines]);
}
