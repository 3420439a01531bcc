/* One JSON object a line. Bytes are text in which every byte stands for itself: printable ASCII as it is, all others, the
 * backslash too, as \xNN (in JSON: "\\xNN"). So any bytes come through and nothing can be read in two ways. */
#include "base/text.h"
#include "cmd/export/export_text.h"

static int put_text(struct buf *out, struct bytes b, bool hex, struct err *err) {
    if (buf_reserve(out, 5 * b.n + 2, err)) return -1;
    uint8_t *p = out->p + out->n;
    *p++ = '"';
    for (size_t i = 0; i < b.n; i++) {
        uint8_t c = b.p[i];
        bool plain = !hex && c >= 0x20 && c < 0x7f && c != '\\' && c != '"';
        if (!plain && !hex) p = (uint8_t *)memcpy(p, "\\\\x", 3) + 3;
        if (plain)
            *p++ = c;
        else
            p = hex_write(p, bytes_of(&c, 1));
    }
    *p++ = '"';
    out->n = (size_t)(p - out->p);
    return 0;
}

static int put_number(struct buf *out, const char *name, int64_t v, struct err *err) {
    uint8_t text[DECIMAL_I64_BYTES];
    if (buf_put(out, name, strlen(name), err)) return -1;
    return buf_put(out, text, (size_t)(decimal_put_i64(text, v) - text), err);
}

static int put_member(struct buf *out, const char *name, struct bytes b, bool hex, struct err *err) {
    return buf_put(out, name, strlen(name), err) || put_text(out, b, hex, err) ? -1 : 0;
}

static int put_cell(struct buf *out, const struct row_part *part, const struct cell *c, bool hex, struct err *err) {
    int64_t ttl_ms;
    if (put_member(out, "{\"row\":", part->row, hex, err) || put_member(out, ",\"family\":", part->family, hex, err) ||
        put_member(out, ",\"qualifier\":", c->qualifier, hex, err) || put_number(out, ",\"ts\":", c->ts_ms, err) ||
        put_member(out, ",\"type\":", bytes_str(cell_type_name(c->type)), false, err))
        return -1;
    if (c->tags.n && cell_ttl_ms(c->tags, &ttl_ms) && put_number(out, ",\"ttl_ms\":", ttl_ms, err)) return -1;
    return put_member(out, ",\"value\":", c->value, hex, err) ? -1 : buf_put(out, "}\n", 2, err);
}

static int put(struct buf *out, const struct row_part *part, bool hex, struct err *err) {
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (put_cell(out, part, &part->cells[i], hex, err)) return -1;
    return 0;
}

const struct export_form export_jsonl = {.name = "jsonl", .put = put};
