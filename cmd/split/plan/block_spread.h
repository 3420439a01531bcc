/* What each block of a sample gave to one partition (or to the rows under one prefix), and what the whole may be off by.
 *
 * Blocks are taken one out of each stretch of the inputs, so neighbours in the sample are neighbours in the inputs: half the sum
 * of the squared differences of neighbours is the variance (the successive difference estimator of systematic samples). It is
 * small where a sorted input fills a partition block after block, and that of independent draws where it is shuffled. */
#ifndef PLAN_BLOCK_SPREAD_H
#define PLAN_BLOCK_SPREAD_H

#include "cmd/split/plan/weighed_row.h"

struct block_amount {
    double rows, bytes;
};

struct block_spread {             /* zero-initialise */
    struct block_amount *amounts; /* [blocks + 1], zero but for those touched */
    uint32_t *touched, n_touched;
};

struct block_sums {
    double rows_var, bytes_var, rows_sq, bytes_sq; /* variances, and plain sums of squares */
};

/* What a spread takes. */
size_t block_spread_memory(uint64_t blocks);
int block_spread_init(struct block_spread *s, uint64_t blocks, struct err *err);
void block_spread_add(struct block_spread *s, const struct weighed_row *row);
/* Of what was added, which is emptied. */
struct block_sums block_spread_take(struct block_spread *s);
/* to, which is empty, becomes as from; both of as many blocks. */
void block_spread_copy(struct block_spread *to, const struct block_spread *from);
void block_spread_free(struct block_spread *s);

#endif
