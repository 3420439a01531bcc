/* Keys made of cells of whole rows: cells of a row come from several families, files and records, so rows are gathered by their
 * own key first, each time with the values that the design may need, and get their new key when they have come together. */
#ifndef PLAN_ROW_JOIN_H
#define PLAN_ROW_JOIN_H

#include "engine/sorter.h"
#include "cmd/split/plan/key_design.h"
#include "cmd/split/plan/weighed_row.h"

/* One time that a row was met, as it travels through the first sorter. `value` is the caller's, and is overwritten. */
int row_join_put(struct sorter *rows, unsigned thread, const struct key_design *d, const struct row_part *part,
                 const struct row_weight *w, struct buf *value, struct err *err);

struct row_join {
    const struct key_design *design;
    struct design_run *run; /* borrowed */
    struct sorter *rows;    /* finished */
    struct sorter *to;      /* gets the rows under their new keys, from thread 0 */
    const struct stop *stop;
    /* Called with a row of which no key can be made: run->fault says why. */
    void (*unfit)(void *arg, const struct weighed_row *row);
    void *arg;
    uint64_t bytes; /* out: what the rows weigh under their new keys */
};
int row_join_run(struct row_join *j, struct err *err);

#endif
