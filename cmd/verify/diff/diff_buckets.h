/* Sums of rows in buckets, by the hash of the row. Any thread may add to them. */
#ifndef CMD_VERIFY_DIFF_DIFF_BUCKETS_H
#define CMD_VERIFY_DIFF_DIFF_BUCKETS_H

#include "base/err.h"
#include "cell/keyvalue.h"
#include "cmd/verify/diff/diff.h"

struct diff_buckets {
    uint64_t n;                     /* a power of two */
    struct tally *sums[DIFF_SIDES]; /* [n] */
    uint64_t *order[DIFF_SIDES];    /* [n]: see struct repeats */
    uint64_t *look;                 /* [n / 64]: a bit for each bucket whose rows are read again */
};
/* Returns in *n how many buckets are worth their memory. */
int diff_buckets_number(const struct diff_opts *o, uint64_t *n, struct err *err);
size_t diff_buckets_bytes(uint64_t n);
/* b: zeros. To be released in any case. */
int diff_buckets_init(struct diff_buckets *b, uint64_t n, struct err *err);
void diff_buckets_release(struct diff_buckets *b);
/* The rows of this bucket are to be read again. */
void diff_buckets_look(struct diff_buckets *b, uint64_t hash);
static inline bool diff_buckets_looked(const struct diff_buckets *b, uint64_t hash) {
    uint64_t i = hash & (b->n - 1);
    return b->look[i / 64] >> i % 64 & 1;
}
void diff_buckets_order(struct diff_buckets *b, unsigned side, uint64_t hash, uint64_t order);
/* All is summed up: those that differ are read again, too. How many are. */
uint64_t diff_buckets_choose(struct diff_buckets *b);
/* Returns the cells of one side in the buckets that are read again. */
uint64_t diff_buckets_cells(const struct diff_buckets *b, unsigned side);
/* Returns the cells of both sides in all buckets. */
uint64_t diff_buckets_all(const struct diff_buckets *b);

#endif
