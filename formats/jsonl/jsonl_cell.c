/* Makes a cell of a line of obkv-export's JSON. Form 2 ("v": 2): text is JSON's, and bytes that are no UTF-8 are {"hex": "…"}.
 * Form 1, of version 1.0.0, has no "v": printable ASCII, everything else as \xNN inside the text. */
#include "formats/jsonl/jsonl_cell.h"

#include "base/text.h"
#include "cell/cell.h"
#include "formats/text/text_input.h"
#include "formats/text/text_number.h"

enum member { ROW, FAMILY, QUALIFIER, VALUE, TAGS, N_BYTES, TS = N_BYTES, TYPE, VERSION, TTL, SEQ, N_MEMBERS };

/* Slots follow from the order in which paths are added: those of the members, then of "hex" in those that are bytes. */
static const char *const names[N_MEMBERS] = {
    [ROW] = "row", [FAMILY] = "family", [QUALIFIER] = "qualifier", [VALUE] = "value", [TAGS] = "tags",
    [TS] = "ts",   [TYPE] = "type",     [VERSION] = "v",           [TTL] = "ttl_ms",  [SEQ] = "seq"};

int jsonl_cell_paths(struct jline_paths *p, struct err *err) {
    static const char *const hex[N_BYTES] = {"$.row.hex", "$.family.hex", "$.qualifier.hex", "$.value.hex", "$.tags.hex"};
    uint32_t slot;
    for (int i = 0; i < N_MEMBERS; i++)
        if (jline_paths_add(p, bytes_str(names[i]), &slot, err)) return -1;
    for (int i = 0; i < N_BYTES; i++)
        if (jline_paths_add(p, bytes_str(hex[i]), &slot, err)) return -1;
    p->closed = true;
    return 0;
}

bool jsonl_cell_is(const struct jline_scan *s) {
    return s->values[ROW].kind && s->values[FAMILY].kind && s->values[QUALIFIER].kind && s->values[TS].kind;
}

/* Always 0. */
static int wrong(enum member m, struct reason *why, const char *text) {
    return text_why(why, 0, "\"%s\" %s", names[m], text);
}

static int take_hex(enum member m, struct bytes hex, uint8_t **room, struct bytes *out, struct reason *why) {
    if (hex.n % 2) return wrong(m, why, "has an odd number of hex digits");
    if (!hex_read(*room, hex)) return wrong(m, why, "holds a character that is not a hex digit");
    *out = bytes_of(*room, hex.n / 2);
    *room += hex.n / 2;
    return 1;
}

/* Form 1: \xNN is a byte, and nothing else has a backslash. */
static int take_escaped(enum member m, struct bytes text, uint8_t **room, struct bytes *out, struct reason *why) {
    uint8_t *p = *room;
    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = text.p[i];
        int v = c == '\\' && text.n - i > 3 && text.p[i + 1] == 'x' ? hex_byte(text.p + i + 2) : -1;
        if (c == '\\' ? v < 0 : c < 0x20 || c > 0x7e)
            return wrong(m, why, "is not as version 1.0.0 wrote it (\\xNN), and there is no \"v\": 2");
        if (c == '\\') i += 3;
        *p++ = c == '\\' ? (uint8_t)v : c;
    }
    *out = bytes_of(*room, (size_t)(p - *room));
    *room = p;
    return 1;
}

/* A text, or {"hex": …}. Absent: no bytes, where that may be. */
static int take_bytes(struct jline_scan *s, enum member m, bool old, uint8_t **room, struct bytes *out, struct reason *why) {
    struct jline_value *v = &s->values[m], *hex = &s->values[N_MEMBERS + m];
    *out = bytes_of("", 0);
    if (v->kind == JLINE_ABSENT && (m == TAGS || m == VALUE)) return 1;
    if (v->kind == JLINE_ABSENT) return wrong(m, why, "is missing");
    if (v->kind == JLINE_OBJECT && hex->kind == JLINE_STRING) return take_hex(m, jline_text(s, hex), room, out, why);
    if (v->kind != JLINE_STRING) return wrong(m, why, "is neither text nor {\"hex\": \"…\"}");
    *out = jline_text(s, v);
    return old ? take_escaped(m, *out, room, out, why) : 1;
}

/* A whole number of at least 0; *there: it is present. */
static int take_number(const struct jline_scan *s, enum member m, bool *there, int64_t *v, struct reason *why) {
    const struct jline_value *value = &s->values[m];
    *there = value->kind != JLINE_ABSENT;
    if (!*there) return 1;
    if (value->kind != JLINE_NUMBER || !text_i64(value->raw, v)) return wrong(m, why, "is not a whole number of 64 bits");
    return *v >= 0 ? 1 : wrong(m, why, "is negative");
}

static int take_type(struct jline_scan *s, uint8_t *type, struct reason *why) {
    struct jline_value *v = &s->values[TYPE];
    *type = CELL_PUT;
    if (v->kind == JLINE_ABSENT) return 1;
    if (v->kind == JLINE_STRING && cell_type_named(jline_text(s, v), type)) return 1;
    return wrong(TYPE, why, "is none of Put, Delete, DeleteColumn, DeleteFamily and DeleteFamilyVersion");
}

static int take_version(const struct jline_scan *s, bool *old, struct reason *why) {
    const struct jline_value *v = &s->values[VERSION];
    *old = v->kind == JLINE_ABSENT;
    if (*old || (v->kind == JLINE_NUMBER && bytes_eq(v->raw, bytes_str("2")))) return 1;
    return wrong(VERSION, why, "is not 2: a newer program wrote it");
}

static int take_numbers(const struct jline_scan *s, uint8_t *tag, struct cell *cell, struct reason *why) {
    bool there;
    int64_t seq = 0, ttl = 0;
    if (!take_number(s, TS, &there, &cell->ts_ms, why)) return 0;
    if (!there) return wrong(TS, why, "is missing");
    if (!take_number(s, SEQ, &there, &seq, why)) return 0;
    cell->seq = (uint64_t)seq;
    if (!take_number(s, TTL, &there, &ttl, why)) return 0;
    if (!there || cell->tags.n) return 1; /* the tags hold it */
    if (!ttl) return wrong(TTL, why, "is not above 0");
    cell_put_ttl_tag(tag, ttl);
    cell->tags = bytes_of(tag, TTL_TAG_BYTES);
    return 1;
}

static int check_lengths(const struct row_part *part, const struct cell *cell, struct reason *why) {
    if (!part->row.n || part->row.n > ROW_MAX_BYTES) return wrong(ROW, why, "is empty, or longer than 32767 bytes");
    if (!part->family.n || part->family.n > FAMILY_MAX_BYTES) return wrong(FAMILY, why, "is empty, or longer than 127 bytes");
    if (cell->tags.n > TAGS_MAX_BYTES || !tags_valid(cell->tags)) return wrong(TAGS, why, "are malformed");
    return 1;
}

int jsonl_cell_take(struct jline_scan *s, uint8_t tags[TTL_TAG_BYTES], uint8_t *hex, struct row_part *part, struct cell *cell,
                    struct reason *why) {
    bool old;
    int rc = take_version(s, &old, why) && take_bytes(s, ROW, old, &hex, &part->row, why) &&
             take_bytes(s, FAMILY, old, &hex, &part->family, why) && take_bytes(s, QUALIFIER, old, &hex, &cell->qualifier, why) &&
             take_bytes(s, VALUE, old, &hex, &cell->value, why) && take_bytes(s, TAGS, old, &hex, &cell->tags, why) &&
             take_type(s, &cell->type, why) && take_numbers(s, tags, cell, why);
    part->cells = cell;
    part->n_cells = 1;
    return rc ? check_lengths(part, cell, why) : 0;
}
