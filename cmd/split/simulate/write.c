/* A write, in the three forms that it has: made by a key design over counter, clock and random numbers; packed into one cell, so
 * that a sorter brings any number of writes into order; and as the simulation takes it. */
#include "base/wire.h"
#include "cell/keyvalue.h"
#include "cmd/split/simulate/write.h"
#include "cmd/split/simulate/write_stream.h"
#include "table/placement.h"

enum { CELL_PACKED_MAX = 3 * PB_VARINT_MAX + 1 };

static int put_number(struct buf *out, uint64_t v, struct err *err) {
    if (buf_reserve(out, PB_VARINT_MAX, err)) return -1;
    out->n += pb_varint_put(out->p + out->n, v);
    return 0;
}

static uint64_t take_number(struct bytes *in) {
    uint64_t v = 0;
    pb_varint_take(in, &v);
    return v;
}

int write_cell_put(struct buf *out, const struct write_cell *c, struct err *err) {
    if (buf_reserve(out, CELL_PACKED_MAX, err)) return -1;
    uint8_t *p = out->p + out->n;
    *p++ = c->type;
    p += pb_varint_put(p, c->qualifier_bytes);
    p += pb_varint_put(p, c->value_bytes);
    p += pb_varint_put(p, c->tags_bytes);
    out->n = (size_t)(p - out->p);
    return 0;
}

bool write_cell_next(struct bytes *cells, struct write_cell *out) {
    if (!cells->n) return false;
    out->type = cells->p[0];
    *cells = bytes_of(cells->p + 1, cells->n - 1);
    out->qualifier_bytes = take_number(cells);
    out->value_bytes = take_number(cells);
    out->tags_bytes = take_number(cells);
    return true;
}

int write_pack(const struct row_part *part, uint32_t from, uint32_t n, struct bytes row, uint32_t family, uint32_t partition,
               struct buf *out, struct err *err) {
    uint64_t bytes = 0;
    for (uint32_t i = from; i < from + n; i++)
        bytes += kv_size(part, &part->cells[i], part->cells[i].tags.n > 0) + row.n - part->row.n;
    if (put_number(out, family, err) || put_number(out, partition, err) || put_number(out, bytes, err) || put_number(out, n, err))
        return -1;
    for (uint32_t i = from; i < from + n; i++) {
        const struct cell *c = &part->cells[i];
        if (write_cell_put(out, &(struct write_cell){c->qualifier.n, c->value.n, c->tags.n, c->type}, err)) return -1;
    }
    return 0;
}

void write_unpack(const struct cell *packed, struct write *out) {
    struct bytes in = packed->value;
    *out = (struct write){.row = packed->qualifier, .ts_ms = packed->ts_ms};
    out->family = (uint32_t)take_number(&in);
    out->partition = (uint32_t)take_number(&in);
    out->bytes = take_number(&in);
    out->n_cells = (uint32_t)take_number(&in);
    out->cells = in;
}

int generated_init(struct generated *m, const struct plan_generator *g, const struct key_design *design,
                   const struct placement *place, const struct table *table, int64_t start_ms, struct err *err) {
    const struct write_cell one = {.value_bytes = g->cell_bytes, .type = CELL_PUT};
    *m = (struct generated){.g = g, .design = design, .place = place, .table = table, .start_ms = start_ms};
    return write_cell_put(&m->cells, &one, err);
}

uint32_t generated_writes_of_row(const struct table *table) {
    return table && table->n_families ? table->n_families : 1;
}

int generated_write(struct generated *m, uint64_t i, struct write *out, struct err *err) {
    const struct cell cell = {.qualifier = bytes_str(""), .value = {NULL, m->g->cell_bytes}, .type = CELL_PUT};
    uint32_t families = generated_writes_of_row(m->table), family = (uint32_t)(i % families);
    const char *name = m->table && m->table->n_families ? m->table->families[family].name : "f";
    struct row_part part = {.family = bytes_str(name), .cells = &cell, .n_cells = 1};
    uint64_t row = i / families, tick = row * (uint64_t)m->g->interval_us;
    int64_t at_ms = m->start_ms + (int64_t)(tick / 1000);
    int made = key_design_generate(m->design, &m->run, row, at_ms, m->g->seed, &part.row, err);
    if (made != 1) return made;
    *out = (struct write){.row = part.row,
                          .ts_ms = at_ms,
                          .at_ms = at_ms,
                          .tick = tick,
                          .family = family,
                          .partition = WRITE_NOWHERE,
                          .n_cells = 1,
                          .bytes = kv_size(&part, &cell, false),
                          .cells = buf_bytes(&m->cells)};
    uint32_t partition;
    struct cell placed = cell;
    placed.ts_ms = at_ms;
    if (placement_of_cell(m->place, part.row, &placed, &partition) == PLACE_OK) out->partition = partition;
    return 1;
}

const char *generated_fault(const struct generated *m) {
    return m->run.fault.text;
}

void generated_free(struct generated *m) {
    design_run_free(&m->run);
    buf_free(&m->cells);
}
