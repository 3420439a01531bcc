/* Writes made of a key design over counter, clock and random numbers: any of them by its number, so that any number of threads
 * may make them, each with an object of its own. A row is written into every family of the table, at one moment: as many writes
 * after each other, of one cell without a qualifier each. */
#ifndef SIMULATE_GENERATED_H
#define SIMULATE_GENERATED_H

#include "table/placement.h"
#include "cmd/split/plan/plan.h"
#include "cmd/split/simulate/write.h"
#include "table/table.h"

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
/* Why no key was made. */
const char *generated_fault(const struct generated *m);
void generated_free(struct generated *m);

#endif
