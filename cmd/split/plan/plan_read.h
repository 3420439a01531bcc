/* The rows that a plan is about, gathered in a sorter. */
#ifndef PLAN_PLAN_READ_H
#define PLAN_PLAN_READ_H

#include "engine/sorter.h"
#include "cmd/split/plan/plan_opts.h"

struct plan_gathered {
    struct sorter *sorter; /* one bucket: the rows by the key that is planned for */
    struct sorter *rows;   /* where keys are made of the cells of rows: the rows by their own key first; else NULL */
    struct shape_set shapes;
    uint64_t bytes;  /* what the rows weigh */
    uint64_t blocks; /* chunks that were read */
};

/* g is to be freed whatever is returned. */
int plan_gather(const struct plan_opts *o, struct plan_gathered *g, struct plan_result *out, struct err *err);
void plan_gathered_free(struct plan_gathered *g);

#endif
