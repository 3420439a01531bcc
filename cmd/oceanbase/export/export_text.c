/* The forms in which cells leave a dataset as text for people and pipelines. CSV is that of RFC 4180, but lines end in LF; JSON
 * lines hold a cell each. Bytes are unchanged, or in hex. Rows for LOAD DATA have a form of their own
 * (export_slice.c). */
#include "cmd/oceanbase/export/export_parts.h"

#include "base/text.h"
#include "cell/cell.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ---- CSV ---- */

enum {
    NAME_MAX_BYTES = 32, /* of a type */
    SEPARATORS = 7       /* with the line's end */
};

#ifdef __SSE2__
static inline bool has_special(struct word16 w) {
    __m128i v = _mm_set_epi64x((int64_t)w.high, (int64_t)w.low);
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(',')), _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
    hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
    return _mm_movemask_epi8(_mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('\r'))));
}

/* false: the field needs quotes, and what is at p is to be written anew. */
static inline bool put_unquoted(uint8_t *p, struct bytes b) {
    size_t n = b.n & ~(size_t)15;
    for (size_t i = 0; i < n; i += 16) {
        struct word16 w = load16(b.p + i);
        if (has_special(w)) return false;
        store16(p + i, w);
    }
    struct word16 w = load16_short(b.p + n, b.n - n);
    store16(p + n, w);
    return !has_special(w) && !(b.n && (b.p[0] == ' ' || b.p[b.n - 1] == ' '));
}
#else
static bool needs_quotes(struct bytes b) {
    for (size_t i = 0; i < b.n; i++)
        if (b.p[i] == ',' || b.p[i] == '"' || b.p[i] == '\n' || b.p[i] == '\r') return true;
    return b.n && (b.p[0] == ' ' || b.p[b.n - 1] == ' ');
}

static bool put_unquoted(uint8_t *p, struct bytes b) {
    if (needs_quotes(b)) return false;
    copy16(p, b);
    return true;
}
#endif

static size_t field_bound(struct bytes b) {
    return 2 * b.n + 2;
}

static uint8_t *put_quoted(uint8_t *p, struct bytes b) {
    *p++ = '"';
    for (size_t i = 0; i < b.n; i++) {
        if (b.p[i] == '"') *p++ = '"';
        *p++ = b.p[i];
    }
    *p++ = '"';
    return p;
}

/* At most field_bound bytes; COPY16_SPARE more may be overwritten. */
static inline uint8_t *put_field(uint8_t *p, struct bytes b, bool hex) {
    if (hex) return hex_write(p, b);
    return put_unquoted(p, b) ? p + b.n : put_quoted(p, b);
}

/* Timestamp, type and TTL, with a comma after each. */
static uint8_t *put_stamp(uint8_t *p, const struct cell *c) {
    int64_t ttl_ms;
    p = decimal_put_i64(p, c->ts_ms);
    *p++ = ',';
    p = copy16(p, bytes_str(cell_type_name(c->type)));
    *p++ = ',';
    if (c->tags.n && cell_ttl_ms(c->tags, &ttl_ms)) p = decimal_put_i64(p, ttl_ms);
    *p++ = ',';
    return p;
}

static bool same_stamp(const struct cell *a, const struct cell *b) {
    return a->ts_ms == b->ts_ms && a->type == b->type && !a->tags.n && !b->tags.n;
}

/* A piece of the text, to be written again. */
struct piece {
    size_t at, n;
};

/* Appended since the text ended at `at`. */
static struct piece piece_since(const struct buf *out, size_t at, const uint8_t *end) {
    return (struct piece){at, (size_t)(end - out->p) - at};
}

static inline uint8_t *put_again(uint8_t *p, const struct buf *out, struct piece what) {
    return copy16(p, bytes_of(out->p + what.at, what.n));
}

static int put_csv(struct buf *out, const struct row_part *part, bool hex, struct err *err) {
    size_t fixed = field_bound(part->row) + field_bound(part->family) + 2 * DECIMAL_I64_BYTES + NAME_MAX_BYTES + SEPARATORS;
    struct piece key = {0}, stamp = {0};
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        if (buf_reserve(out, fixed + field_bound(c->qualifier) + field_bound(c->value) + COPY16_SPARE, err)) return -1;
        uint8_t *p = out->p + out->n;
        if (i) {
            p = put_again(p, out, key);
        } else {
            p = put_field(p, part->row, hex);
            *p++ = ',';
            p = put_field(p, part->family, hex);
            *p++ = ',';
            key = piece_since(out, out->n, p);
        }
        p = put_field(p, c->qualifier, hex);
        *p++ = ',';
        size_t at = (size_t)(p - out->p);
        p = i && same_stamp(c - 1, c) ? put_again(p, out, stamp) : put_stamp(p, c);
        stamp = piece_since(out, at, p);
        p = put_field(p, c->value, hex);
        *p++ = '\n';
        out->n = (size_t)(p - out->p);
    }
    return 0;
}

const struct export_form export_csv = {.name = "csv", .head = "row,family,qualifier,ts,type,ttl_ms,value\n", .put = put_csv};

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

/* What only some cells have. Tags other than a single TTL are written unchanged. */
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

const struct export_form export_jsonl = {.name = "jsonl", .put = put_json};

/* ---- all forms ---- */

static int put_cells(struct buf *out, const struct row_part *part, bool hex, struct err *err) {
    (void)hex; /* always */
    return cells_print(out, part, err);
}

const struct export_form export_kqvt = {.name = "kqvt"};
const struct export_form export_cells = {.name = "cells", .put = put_cells};

const struct export_form *export_form_by_name(const char *name) {
    static const struct export_form *const all[] = {&export_kqvt, &export_csv, &export_jsonl, &export_cells};
    for (size_t i = 0; i < countof(all); i++)
        if (!strcmp(all[i]->name, name)) return all[i];
    return NULL;
}
