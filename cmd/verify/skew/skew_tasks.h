/* What runs over a dataset and over inputs have in common: a result that many tasks add to. */
#ifndef SKEW_SKEW_TASKS_H
#define SKEW_SKEW_TASKS_H

#include "cmd/verify/skew/skew.h"

struct skew_tasks {
    const struct skew_opts *o;
    struct skew_result *out;
    struct cell_sampler *samplers; /* [thread] */
    unsigned threads;
    uint32_t cuts; /* most of one partition */
    uint64_t done, total;
};

/* buckets: families * partitions. To be closed whatever is returned. */
int skew_tasks_open(struct skew_tasks *t, uint32_t families, uint32_t partitions, struct err *err);
/* Adds up partition `bucket` (family * partitions + partition), on an OpenMP thread; src stays the caller's. weight: progress. */
int skew_tasks_fold(struct skew_tasks *t, uint32_t bucket, struct source *src, uint64_t weight, struct err *err);
/* All is in: the sample is whole, positions are in order. */
int skew_tasks_finish(struct skew_tasks *t, struct err *err);
void skew_tasks_close(struct skew_tasks *t);
/* Most that all this takes. */
size_t skew_tasks_memory(unsigned threads, uint32_t buckets, uint32_t heaviest);

#endif
