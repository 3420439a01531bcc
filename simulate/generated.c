#include "simulate/generated.h"

#include "cell/keyvalue.h"

int generated_init(struct generated *m, const struct plan_generator *g, const struct key_design *design,
                   const struct placement *place, int64_t start_ms, struct err *err) {
    const struct write_cell one = {.value_bytes = g->cell_bytes, .type = CELL_PUT};
    *m = (struct generated){.g = g, .design = design, .place = place, .start_ms = start_ms};
    return write_cell_put(&m->cells, &one, err);
}

int generated_write(struct generated *m, uint64_t i, struct write *out, struct err *err) {
    const struct cell cell = {.qualifier = bytes_str(""), .value = {NULL, m->g->cell_bytes}, .type = CELL_PUT};
    struct row_part part = {.family = bytes_str("f"), .cells = &cell, .n_cells = 1};
    uint64_t tick = i * (uint64_t)m->g->interval_us;
    int64_t at_ms = m->start_ms + (int64_t)(tick / 1000);
    int made = key_design_generate(m->design, &m->run, i, at_ms, m->g->seed, &part.row, err);
    if (made != 1) return made;
    *out = (struct write){.row = part.row,
                          .ts_ms = at_ms,
                          .at_ms = at_ms,
                          .tick = tick,
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
