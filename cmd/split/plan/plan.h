/* What partitionings would make of the rows of some inputs: one pass that reads, sorts and weighs them, and every figure that
 * follows from the sorted rows. Exact where all rows are taken; of a sample (sampling.h) the figures say how far off they
 * may be. The same for any number of threads. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "cmd/split/plan/plan_opts.h"

/* *out is to be freed whatever is returned. */
int plan_run(const struct plan_opts *o, struct plan_result *out, struct err *err);
void plan_result_free(struct plan_result *r, uint32_t n_counts);

#endif
