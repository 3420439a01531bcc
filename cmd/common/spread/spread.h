/* How evenly an amount (bytes, rows …) is spread over partitions. Pure; empty partitions count. */
#ifndef SPREAD_SPREAD_H
#define SPREAD_SPREAD_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { SPREAD_LORENZ = 101 };

struct spread {
    uint64_t total, least, most, median;
    uint32_t n, empty;
    double mean;
    double max_mean; /* most / mean: 1 = even; 0 where there is nothing */
    double cv;       /* standard deviation (of all, not of a sample) / mean */
    double gini;     /* 0 = even, towards 1 = all in one */
    /* Lorenz curve: what share of the total the lightest i % of the partitions hold, in a straight line between partitions. */
    double lorenz[SPREAD_LORENZ];
};

/* n may be 0. Amounts stay below 2^53 in sum where all digits of cv and gini matter. */
int spread_make(const uint64_t *amounts, uint32_t n, struct spread *out, struct err *err);

#endif
