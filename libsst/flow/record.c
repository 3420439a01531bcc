#include "flow/record.h"

#include "base/be.h"
#include "base/varint.h"

size_t record_bound(const struct row_part *part, const struct shape_set *shapes) {
    size_t n = RECORD_HEAD_BYTES + part->row.n + 8;
    if (part->shape) {
        n += shape_get(shapes, part->shape)->n * (size_t)PB_VARINT_MAX;
        for (uint32_t i = 0; i < part->n_cells; i++) n += part->cells[i].value.n;
        return n;
    }
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        n += 17 + 4 * 10 + c->qualifier.n + c->value.n + c->tags.n;
    }
    return n;
}

static uint8_t *put_c7(uint8_t *p, uint64_t v) {
    if (v < 0x80) {
        *p = (uint8_t)v;
        return p + 1;
    }
    return p + pb_varint_put(p, v);
}

static uint8_t *put_raw(uint8_t *p, struct bytes b) {
    if (b.n) memcpy(p, b.p, b.n);
    return p + b.n;
}

static uint8_t *put_u64(uint8_t *p, uint64_t v) {
    memcpy(p, &v, 8);
    return p + 8;
}

static uint8_t *put_shaped(uint8_t *p, const struct row_part *part, const struct shape *shape) {
    uint32_t i = 0;
    for (uint32_t col = 0; col < shape->n; col++) {
        if (i == part->n_cells || part->cells[i].qualifier.p != shape->qualifiers[col].p) {
            *p++ = 0;
            continue;
        }
        struct bytes v = part->cells[i++].value;
        p = put_c7(p, v.n + 1);
        p = put_raw(p, v);
    }
    return p;
}

static uint8_t *put_cells(uint8_t *p, const struct row_part *part) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        *p++ = c->type;
        p = put_u64(p, (uint64_t)c->ts_ms);
        p = put_u64(p, c->rank);
        p = put_c7(p, c->seq);
        p = put_c7(p, c->qualifier.n);
        p = put_c7(p, c->value.n);
        p = put_c7(p, c->tags.n);
        p = put_raw(p, c->qualifier);
        p = put_raw(p, c->value);
        p = put_raw(p, c->tags);
    }
    return p;
}

size_t record_put(uint8_t *p, const struct row_part *part, const struct shape_set *shapes) {
    const struct cell *c = &part->cells[0];
    bool ttl = part->shape && c->tags.n;
    uint16_t shape = (uint16_t)(part->shape | (ttl ? 0x8000u : 0)), row_n = (uint16_t)(part->row.n | (part->first ? 0x8000u : 0));
    uint8_t *w = p + 4;
    memcpy(w, &shape, 2);
    memcpy(w + 2, &row_n, 2);
    w = put_u64(w + 4, c->rank);
    w = put_u64(w, part->shape ? (uint64_t)c->ts_ms : part->n_cells);
    w = put_raw(w, part->row);
    if (ttl) w = put_u64(w, be64(c->tags.p + 3));
    w = part->shape ? put_shaped(w, part, shape_get(shapes, part->shape)) : put_cells(w, part);
    uint32_t size = (uint32_t)(w - p);
    memcpy(p, &size, 4);
    return size;
}

void record_cells_begin(struct record_cells *it, const uint8_t *r, const struct shape_set *shapes) {
    struct bytes row = record_row(r);
    it->p = row.p + row.n;
    it->end = r + record_size(r);
    it->shape = NULL;
    if (!record_shape(r)) return;
    it->shape = shape_get(shapes, record_shape(r));
    it->column = 0;
    it->cell = (struct cell){.ts_ms = record_ts(r), .rank = record_rank(r), .type = CELL_PUT};
    if (!record_has_ttl(r)) return;
    int64_t ttl;
    memcpy(&ttl, it->p, 8);
    it->p += 8;
    cell_put_ttl_tag(it->ttl_tag, ttl);
    it->cell.tags = bytes_of(it->ttl_tag, TTL_TAG_BYTES);
}

static bool next_column(struct record_cells *it) {
    while (it->p < it->end) {
        uint64_t n;
        it->p = record_take_c7(it->p, &n);
        uint32_t col = it->column++;
        if (!n) continue;
        it->cell.qualifier = it->shape->qualifiers[col];
        it->cell.value = bytes_of(it->p, n - 1);
        it->p += n - 1;
        return true;
    }
    return false;
}

bool record_cells_next(struct record_cells *it) {
    if (it->shape) return next_column(it);
    if (it->p == it->end) return false;
    struct cell *c = &it->cell;
    const uint8_t *p = it->p;
    uint64_t q, v, t;
    c->type = *p;
    memcpy(&c->ts_ms, p + 1, 8);
    memcpy(&c->rank, p + 9, 8);
    p = record_take_c7(p + 17, &c->seq);
    p = record_take_c7(p, &q);
    p = record_take_c7(p, &v);
    p = record_take_c7(p, &t);
    c->qualifier = bytes_of(p, q);
    c->value = bytes_of(p + q, v);
    c->tags = bytes_of(p + q + v, t);
    it->p = p + q + v + t;
    return true;
}
