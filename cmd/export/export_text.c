/* The forms in which cells leave a dataset as text for people and pipelines: JSON lines hold a cell each, CSV is in
 * export_csv.c. Bytes are unchanged, or in hex. Rows for LOAD DATA have a form of their own (export_slice.c). */
#include "cmd/export/export_csv.h"
#include "cmd/export/export_text.h"

#include "base/text.h"
#include "cell/cell.h"

/* ---- JSON lines ----
 *
 * docs/formats/jsonl.md: text is JSON's own, bytes that are not UTF-8 are in hex, {"hex": "…"}. obkv-import reads it back
 * exactly. */

static uint8_t *put_escape(uint8_t *p, uint8_t c) {
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *at = c ? strchr(from, c) : NULL;
    *p++ = '\\';
    if (at) {
        *p++ = (uint8_t)to[at - from];
        return p;
    }
    p = (uint8_t *)memcpy(p, "u00", 3) + 3;
    return hex_write(p, bytes_of(&c, 1));
}

static int put_text(struct buf *out, struct bytes b, struct err *err) {
    enum { ESCAPE_BYTES = 6 };
    if (buf_reserve(out, ESCAPE_BYTES * b.n + 2, err)) return -1;
    uint8_t *p = out->p + out->n;
    *p++ = '"';
    for (size_t i = 0; i < b.n; i++) {
        uint8_t c = b.p[i];
        if (c < 0x20 || c == '"' || c == '\\')
            p = put_escape(p, c);
        else
            *p++ = c;
    }
    *p++ = '"';
    out->n = (size_t)(p - out->p);
    return 0;
}

static int put_bytes(struct buf *out, struct bytes b, bool hex, struct err *err) {
    if (!hex && text_is_utf8(b)) return put_text(out, b, err);
    return buf_put(out, "{\"hex\":\"", 8, err) || hex_put(out, b, err) || buf_put(out, "\"}", 2, err) ? -1 : 0;
}

static int put_number(struct buf *out, const char *name, int64_t v, struct err *err) {
    uint8_t text[DECIMAL_I64_BYTES];
    if (buf_put(out, name, strlen(name), err)) return -1;
    return buf_put(out, text, (size_t)(decimal_put_i64(text, v) - text), err);
}

static int put_member(struct buf *out, const char *name, struct bytes b, bool hex, struct err *err) {
    return buf_put(out, name, strlen(name), err) || put_bytes(out, b, hex, err) ? -1 : 0;
}

/* Adds the members that only some cells have. Tags other than a single TTL are written unchanged. */
static int put_extras(struct buf *out, const struct cell *c, struct err *err) {
    int64_t ttl_ms;
    bool ttl = c->tags.n && cell_ttl_ms(c->tags, &ttl_ms);
    if (ttl && put_number(out, ",\"ttl_ms\":", ttl_ms, err)) return -1;
    if (c->seq && buf_printf(out, err, ",\"seq\":%llu", (unsigned long long)c->seq)) return -1;
    if (!c->tags.n || (ttl && ttl_ms > 0 && c->tags.n == TTL_TAG_BYTES)) return 0;
    return put_member(out, ",\"tags\":", c->tags, true, err);
}

static int put_json_cell(struct buf *out, const struct row_part *part, const struct cell *c, bool hex, struct err *err) {
    if (put_member(out, "{\"v\":2,\"row\":", part->row, hex, err) || put_member(out, ",\"family\":", part->family, hex, err) ||
        put_member(out, ",\"qualifier\":", c->qualifier, hex, err) || put_number(out, ",\"ts\":", c->ts_ms, err) ||
        put_member(out, ",\"type\":", bytes_str(cell_type_name(c->type)), false, err) || put_extras(out, c, err))
        return -1;
    return put_member(out, ",\"value\":", c->value, hex, err) ? -1 : buf_put(out, "}\n", 2, err);
}

static int put_json(struct buf *out, const struct row_part *part, bool hex, struct err *err) {
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (put_json_cell(out, part, &part->cells[i], hex, err)) return -1;
    return 0;
}

static const struct export_form form_jsonl = {.name = "jsonl", .put = put_json, .has_hex = true, .keeps_tags = true};

/* ---- all forms ---- */

static int put_cells(struct buf *out, const struct row_part *part, bool hex, struct err *err) {
    (void)hex; /* always */
    return cells_print(out, part, err);
}

static const struct export_form form_cells = {.name = "cells", .put = put_cells, .keeps_tags = true};

const struct export_form *export_text_form(const char *name, struct err *err) {
    static const struct export_form *const all[] = {&export_kqvt, &export_csv, &form_jsonl, &form_cells};
    if (!name) return &export_kqvt;
    for (size_t i = 0; i < countof(all); i++)
        if (!strcmp(all[i]->name, name)) return all[i];
    if (!strcasecmp(name, "parquet"))
        err_set(err, ERR_USAGE,
                "--format parquet: write it by: python -m obkv_sst export --parquet -o DIR DATASET (docs/parquet.md)");
    else
        err_set(err, ERR_USAGE, "--format '%s': expected kqvt, csv, jsonl or cells", name);
    return NULL;
}
