/* Reads and samples the inputs of a plan within --memory. */
#ifndef CMD_SPLIT_PLAN_PLAN_READ_H
#define CMD_SPLIT_PLAN_PLAN_READ_H

#include "base/err.h"
#include "cmd/split/plan/plan.h"
#include "engine/sorted_inputs.h"
#include "engine/sorter_state.h"

/* Returns the memory that the result of a plan takes. */
size_t plan_memory(const struct plan_opts *o);
/* Returns the memory that making a plan takes on top of its result. */
size_t plan_blocks_memory(const struct plan_opts *o);

struct plan_gathered {
    struct sorted_inputs read; /* what inputs, or a generator, put */
    struct sorter *sorter;     /* one bucket: the rows by the key that is planned for */
    struct sorter *rows;       /* where keys are made of the cells of rows: the rows by their own key first; else NULL */
    uint64_t bytes;            /* what the rows weigh */
    uint64_t blocks;           /* chunks that were read */
};

/* g must be freed, whatever is returned. */
int plan_gather(const struct plan_opts *o, struct plan_gathered *g, struct plan_result *out, struct err *err);
void plan_gathered_free(struct plan_gathered *g);

#endif
