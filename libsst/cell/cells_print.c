#include "cell/cells_print.h"

#include "base/hex.h"

enum { NUMBER_MAX = 20, NUMBERS_MAX_BYTES = 3 * (NUMBER_MAX + 1) + 5 };

static uint8_t *put_hex(uint8_t *p, struct bytes b) {
    if (!b.n) *p++ = '-';
    return hex_write(p, b);
}

static uint8_t *put_u64(uint8_t *p, uint64_t v) {
    uint8_t t[NUMBER_MAX];
    size_t n = 0;
    do t[n++] = (uint8_t)('0' + v % 10);
    while (v /= 10);
    while (n) *p++ = t[--n];
    return p;
}

static uint8_t *put_i64(uint8_t *p, int64_t v) {
    if (v >= 0) return put_u64(p, (uint64_t)v);
    *p++ = '-';
    return put_u64(p, 0 - (uint64_t)v);
}

static int print_cell(struct buf *out, const struct row_part *part, const struct cell *c, struct err *err) {
    size_t bytes = part->row.n + part->family.n + c->qualifier.n + c->value.n + c->tags.n;
    if (buf_reserve(out, 2 * bytes + 5 + NUMBERS_MAX_BYTES, err)) return -1;
    uint8_t *p = put_hex(out->p + out->n, part->row);
    *p++ = '\t';
    p = put_hex(p, part->family);
    *p++ = '\t';
    p = put_hex(p, c->qualifier);
    *p++ = '\t';
    p = put_i64(p, c->ts_ms);
    *p++ = '\t';
    p = put_u64(p, c->type);
    *p++ = '\t';
    p = put_u64(p, c->seq);
    *p++ = '\t';
    p = put_hex(p, c->value);
    *p++ = '\t';
    p = put_hex(p, c->tags);
    *p++ = '\n';
    out->n = (size_t)(p - out->p);
    return 0;
}

int cells_print(struct buf *out, const struct row_part *part, struct err *err) {
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (print_cell(out, part, &part->cells[i], err)) return -1;
    return 0;
}
