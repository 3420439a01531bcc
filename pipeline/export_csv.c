/* CSV as RFC 4180 has it, but for lines that end in LF: a field with comma, quote, CR or LF is quoted, quotes inside are
 * doubled; bytes stay as they are, or stand in hex. An empty field is no bytes. */
#include "base/decimal.h"
#include "pipeline/export_text.h"

static int put_hex(struct buf *out, struct bytes b, struct err *err) {
    static const char digits[] = "0123456789abcdef";
    if (buf_reserve(out, 2 * b.n, err)) return -1;
    for (size_t i = 0; i < b.n; i++) {
        out->p[out->n++] = (uint8_t)digits[b.p[i] >> 4];
        out->p[out->n++] = (uint8_t)digits[b.p[i] & 15];
    }
    return 0;
}

static bool needs_quotes(struct bytes b) {
    for (size_t i = 0; i < b.n; i++)
        if (b.p[i] == ',' || b.p[i] == '"' || b.p[i] == '\n' || b.p[i] == '\r') return true;
    return b.n && (b.p[0] == ' ' || b.p[b.n - 1] == ' ');
}

static int put_field(struct buf *out, struct bytes b, bool hex, struct err *err) {
    if (hex) return put_hex(out, b, err);
    if (!needs_quotes(b)) return buf_put(out, b.p, b.n, err);
    if (buf_reserve(out, 2 * b.n + 2, err)) return -1;
    uint8_t *p = out->p + out->n;
    *p++ = '"';
    for (size_t i = 0; i < b.n; i++) {
        if (b.p[i] == '"') *p++ = '"';
        *p++ = b.p[i];
    }
    *p++ = '"';
    out->n = (size_t)(p - out->p);
    return 0;
}

static int put_number(struct buf *out, int64_t v, struct err *err) {
    uint8_t text[DECIMAL_I64_BYTES];
    return buf_put(out, text, (size_t)(decimal_put_i64(text, v) - text), err);
}

static int put_cell(struct buf *out, const struct row_part *part, const struct cell *c, bool hex, struct err *err) {
    int64_t ttl_ms;
    bool has_ttl = c->tags.n && cell_ttl_ms(c->tags, &ttl_ms);
    const char *type = cell_type_name(c->type);
    if (put_field(out, part->row, hex, err) || buf_put_byte(out, ',', err) || put_field(out, part->family, hex, err) ||
        buf_put_byte(out, ',', err) || put_field(out, c->qualifier, hex, err) || buf_put_byte(out, ',', err) ||
        put_number(out, c->ts_ms, err) || buf_put_byte(out, ',', err) || buf_put(out, type, strlen(type), err) ||
        buf_put_byte(out, ',', err) || (has_ttl && put_number(out, ttl_ms, err)) || buf_put_byte(out, ',', err) ||
        put_field(out, c->value, hex, err))
        return -1;
    return buf_put_byte(out, '\n', err);
}

static int put(struct buf *out, const struct row_part *part, bool hex, struct err *err) {
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (put_cell(out, part, &part->cells[i], hex, err)) return -1;
    return 0;
}

const struct export_form export_csv = {.name = "csv", .head = "row,family,qualifier,timestamp,type,ttl_ms,value\n", .put = put};
