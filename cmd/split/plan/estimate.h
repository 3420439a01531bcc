/* What a partition will hold, out of what a sample put into it, and how far off that may be: all partitions of a choice lie
 * within their errors at once in 99.7 of 100 cases. */
#ifndef PLAN_ESTIMATE_H
#define PLAN_ESTIMATE_H

#include "cmd/split/plan/choice.h"

struct precision {
    double share;                   /* 1: exact */
    double common;                  /* relative: all partitions together may be off by a block more or fewer */
    double sigmas;                  /* standard deviations that an error has */
    double rows_least, bytes_least; /* what also a partition of which nothing was seen may hold */
};

struct estimate {
    double rows, cells, bytes;
    double rows_error, bytes_error;
};

/* blocks: read for the sample, 0 = it is none by blocks. */
struct precision precision_of(const struct plan_choice *c, double share, uint64_t blocks);
struct estimate estimate_of(const struct precision *p, const struct plan_part *part);

#endif
