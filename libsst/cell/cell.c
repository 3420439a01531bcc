/* Tags of a cell, names of its types, and cells as lines of text. Tag bytes may come from a damaged file: whatever does not fit
 * ends the walk through them. */
#include "cell/cell.h"

#include "base/bytes.h"
#include "base/text.h"

/* One tag from the head: false when what is left is malformed. */
static bool take_tag(struct bytes *t, uint8_t *type, struct bytes *value) {
    if (t->n < 3) return false;
    size_t n = be16(t->p);
    if (n < 1 || n > t->n - 2) return false;
    *type = t->p[2];
    *value = bytes_of(t->p + 3, n - 1);
    *t = bytes_of(t->p + 2 + n, t->n - 2 - n);
    return true;
}

bool cell_ttl_ms(struct bytes tags, int64_t *ttl_ms) {
    uint8_t type;
    struct bytes value;
    while (tags.n && take_tag(&tags, &type, &value)) {
        if (type != TAG_TTL || value.n != 8) continue;
        *ttl_ms = (int64_t)be64(value.p);
        return true;
    }
    return false;
}

bool cell_has_other_tags(struct bytes tags) {
    uint8_t type;
    struct bytes value;
    while (tags.n && take_tag(&tags, &type, &value))
        if (type != TAG_TTL && type != TAG_MOB_REFERENCE && type != TAG_MOB_TABLE) return true;
    return false;
}

bool tags_valid(struct bytes tags) {
    uint8_t type;
    struct bytes value;
    while (tags.n)
        if (!take_tag(&tags, &type, &value)) return false;
    return true;
}

void cell_put_ttl_tag(uint8_t *p, int64_t ttl_ms) {
    p = put_be16(p, 9);
    *p++ = TAG_TTL;
    put_be64(p, (uint64_t)ttl_ms);
}

const char *cell_type_name(uint8_t type) {
    switch (type) {
    case CELL_MINIMUM: return "Minimum";
    case CELL_PUT: return "Put";
    case CELL_DELETE: return "Delete";
    case CELL_DELETE_FAMILY_VERSION: return "DeleteFamilyVersion";
    case CELL_DELETE_COLUMN: return "DeleteColumn";
    case CELL_DELETE_FAMILY: return "DeleteFamily";
    case CELL_MAXIMUM: return "Maximum";
    default: return "unknown";
    }
}

/* ---- cells as text ---- */

enum { NUMBERS_MAX_BYTES = 3 * (DECIMAL_I64_BYTES + 1) + 5 };

static uint8_t *put_hex(uint8_t *p, struct bytes b) {
    if (!b.n) *p++ = '-';
    return hex_write(p, b);
}

/* Row and family, the beginning of each line of a part: printed for its first cell, and copied from that line for others. */
struct line_start {
    size_t at, n; /* in out; n 0: not printed yet */
};

static uint8_t *put_line_start(struct buf *out, const struct row_part *part, struct line_start *start) {
    uint8_t *p = out->p + out->n;
    if (start->n) {
        memcpy(p, out->p + start->at, start->n);
        return p + start->n;
    }
    p = put_hex(p, part->row);
    *p++ = '\t';
    p = put_hex(p, part->family);
    *p++ = '\t';
    *start = (struct line_start){out->n, (size_t)(p - out->p) - out->n};
    return p;
}

static int print_cell(struct buf *out, const struct row_part *part, const struct cell *c, struct line_start *start,
                      struct err *err) {
    size_t bytes = part->row.n + part->family.n + c->qualifier.n + c->value.n + c->tags.n;
    if (buf_reserve(out, 2 * bytes + 5 + NUMBERS_MAX_BYTES, err)) return -1;
    uint8_t *p = put_line_start(out, part, start);
    p = put_hex(p, c->qualifier);
    *p++ = '\t';
    p = decimal_put_i64(p, c->ts_ms);
    *p++ = '\t';
    p = decimal_put_u64(p, c->type);
    *p++ = '\t';
    p = decimal_put_u64(p, c->seq);
    *p++ = '\t';
    p = put_hex(p, c->value);
    *p++ = '\t';
    p = put_hex(p, c->tags);
    *p++ = '\n';
    out->n = (size_t)(p - out->p);
    return 0;
}

int cells_print(struct buf *out, const struct row_part *part, struct err *err) {
    struct line_start start = {0};
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (print_cell(out, part, &part->cells[i], &start, err)) return -1;
    return 0;
}

bool cell_type_named(struct bytes name, uint8_t *type) {
    static const uint8_t all[] = {CELL_PUT, CELL_DELETE, CELL_DELETE_FAMILY_VERSION, CELL_DELETE_COLUMN, CELL_DELETE_FAMILY};
    for (size_t i = 0; i < countof(all); i++) {
        const char *want = cell_type_name(all[i]);
        size_t k = 0;
        for (; k < name.n && *want; k++)
            if (name.p[k] != '_' && (name.p[k] | 0x20) != (*want++ | 0x20)) break;
        if (k < name.n || *want) continue;
        *type = all[i];
        return true;
    }
    return false;
}
