#include "cmd/split/simulate/generated.h"

#include "cell/keyvalue.h"

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
