/* Makes the writes of a key design over counter, clock and random numbers: any of them by its number, in any number of
 * threads. */
#ifndef CMD_SPLIT_SIMULATE_WRITE_H
#define CMD_SPLIT_SIMULATE_WRITE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cell/cell.h"
#include "cmd/split/plan/key_design.h"
#include "cmd/split/plan/plan.h"
#include "cmd/split/simulate/write_stream.h"
#include "table/partitioner.h"
#include "table/table.h"

/* Cells from..from+n of the part, all of one timestamp, as a write of the row `row`: appended to out. */
int write_pack(const struct row_part *part, uint32_t from, uint32_t n, struct bytes row, uint32_t family, uint32_t partition,
               struct buf *out, struct err *err);
/* Unpacks a write out of a cell of the sorter: all but at_ms and tick. Borrowed from it. */
void write_unpack(const struct cell *packed, struct write *out);
/* Takes the next cell off cells (a copy of write.cells). false: no more. */
bool write_cell_next(struct bytes *cells, struct write_cell *out);
/* Appends a cell as write_cell_next takes it. */
int write_cell_put(struct buf *out, const struct write_cell *c, struct err *err);

struct generated { /* zero-initialise */
    const struct plan_generator *g;
    const struct key_design *design;
    const struct placement *place; /* of OceanBase */
    const struct table *table;
    int64_t start_ms;
    struct design_run run;
    struct buf cells; /* the one cell */
};

/* table NULL or without families: there is one. */
int generated_init(struct generated *m, const struct plan_generator *g, const struct key_design *design,
                   const struct placement *place, const struct table *table, int64_t start_ms, struct err *err);
/* Writes that a row is. */
uint32_t generated_writes_of_row(const struct table *table);
/* 1 = *out, valid until the next call; 0 = no key can be made of it, -1 error. */
int generated_write(struct generated *m, uint64_t i, struct write *out, struct err *err);
/* Returns why no key was made. */
const char *generated_fault(const struct generated *m);
void generated_free(struct generated *m);

#endif
