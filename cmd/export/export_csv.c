/* CSV as RFC 4180 has it, but for lines that end in LF: a field with comma, quote, CR or LF is quoted, quotes inside are
 * doubled; bytes stay as they are, or stand in hex. An empty field is no bytes. */
#include "base/text.h"
#include "cmd/export/export_text.h"

enum {
    NAME_MAX_BYTES = 32, /* of a type */
    SEPARATORS = 7       /* with the line's end */
};

static bool needs_quotes(struct bytes b) {
    for (size_t i = 0; i < b.n; i++)
        if (b.p[i] == ',' || b.p[i] == '"' || b.p[i] == '\n' || b.p[i] == '\r') return true;
    return b.n && (b.p[0] == ' ' || b.p[b.n - 1] == ' ');
}

static uint8_t *put_plain(uint8_t *p, struct bytes b) {
    if (b.n) memcpy(p, b.p, b.n);
    return p + b.n;
}

static size_t field_bound(struct bytes b) {
    return 2 * b.n + 2;
}

/* At most field_bound bytes. */
static uint8_t *put_field(uint8_t *p, struct bytes b, bool hex) {
    if (hex) return hex_write(p, b);
    if (!needs_quotes(b)) return put_plain(p, b);
    *p++ = '"';
    for (size_t i = 0; i < b.n; i++) {
        if (b.p[i] == '"') *p++ = '"';
        *p++ = b.p[i];
    }
    *p++ = '"';
    return p;
}

static uint8_t *put_cell(uint8_t *p, const struct row_part *part, const struct cell *c, bool hex) {
    int64_t ttl_ms;
    p = put_field(p, part->row, hex);
    *p++ = ',';
    p = put_field(p, part->family, hex);
    *p++ = ',';
    p = put_field(p, c->qualifier, hex);
    *p++ = ',';
    p = decimal_put_i64(p, c->ts_ms);
    *p++ = ',';
    p = put_plain(p, bytes_str(cell_type_name(c->type)));
    *p++ = ',';
    if (c->tags.n && cell_ttl_ms(c->tags, &ttl_ms)) p = decimal_put_i64(p, ttl_ms);
    *p++ = ',';
    p = put_field(p, c->value, hex);
    *p++ = '\n';
    return p;
}

static int put(struct buf *out, const struct row_part *part, bool hex, struct err *err) {
    size_t fixed = field_bound(part->row) + field_bound(part->family) + 2 * DECIMAL_I64_BYTES + NAME_MAX_BYTES + SEPARATORS;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        if (buf_reserve(out, fixed + field_bound(c->qualifier) + field_bound(c->value), err)) return -1;
        out->n = (size_t)(put_cell(out->p + out->n, part, c, hex) - out->p);
    }
    return 0;
}

const struct export_form export_csv = {.name = "csv", .head = "row,family,qualifier,ts,type,ttl_ms,value\n", .put = put};
