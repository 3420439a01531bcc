/* Compares two sets of inputs cell by cell, whatever their order, format and partitioning, within a memory limit.
 * Pass 1 adds the cells' digests of both sides into buckets by row hash; equal buckets are done. Pass 2 reads again, keeps
 * the rows of differing buckets only, sorts both sides and walks them side by side. */
#ifndef PIPELINE_DIFF_H
#define PIPELINE_DIFF_H

#include "pipeline/load.h"

struct diff_side {
    struct load_input *inputs;
    uint32_t n_inputs;
};

enum diff_kind { DIFF_MISSING, DIFF_EXTRA, DIFF_CHANGED };

struct diff_opts {
    const struct job *job;
    struct diff_side a, b;
    struct read_opts read; /* table: handmade, open families */
    bool ignore_timestamps, ignore_deleted;
    /* Called for every difference in row order. a or b is NULL for extra and missing. 0 go on, -1 error. */
    int (*found)(void *arg, enum diff_kind k, const struct row_part *where, const struct cell *a, const struct cell *b,
                 struct err *err);
    void *arg;
};

struct diff_result {
    struct tally a, b; /* cells compared */
    uint64_t missing, extra, changed;
    uint32_t buckets, differing;
};

int diff_run(const struct diff_opts *o, struct diff_result *out, struct err *err);

#endif
