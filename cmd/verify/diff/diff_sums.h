/* Pass 1 of a diff adds up sums by row hash: buckets of digests, the order of cells of one key, and sums that are on their way
 * to their buckets. */
#ifndef DIFF_DIFF_SUMS_H
#define DIFF_DIFF_SUMS_H

#include "cmd/verify/diff/diff.h"

/* ---- buckets. A row's bucket is its hash, modulo their number. Any thread may add to it. ---- */

struct diff_buckets {
    uint64_t n;                     /* a power of two */
    struct tally *sums[DIFF_SIDES]; /* [n] */
    uint64_t *order[DIFF_SIDES];    /* [n]: see struct repeats */
    uint64_t *look;                 /* [n / 64]: a bit for each bucket whose rows are read again */
};
/* How many are worth their memory. */
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
/* Of one side in these. */
uint64_t diff_buckets_cells(const struct diff_buckets *b, unsigned side);
/* Of both sides, in all buckets. */
uint64_t diff_buckets_all(const struct diff_buckets *b);

/* ---- cells that have the same key: is their order the same on both sides? ---- */

/* The last key that a thread has read. Zeros: none. */
struct last_key {
    uint64_t row_hash, qualifier_hash;
    int64_t ts_ms;
    uint64_t rank, seq;
    uint64_t nth; /* cells of this key right before it */
    uint32_t family;
    uint8_t type;
    bool any;
};
/* Cells of a part that repeat the key before them. */
struct repeats {
    uint64_t order; /* sum over these cells and their places: the same on both sides if the orders are */
    bool unsure;    /* the order of some does not follow from their file */
};
struct repeats_of {
    struct buf *scratch;
    uint64_t row_hash;
    uint32_t family;
    bool in_order; /* see struct diff_side */
};
/* The last key is that of the part from then on. */
int last_key_repeats(struct last_key *key, const struct repeats_of *of, const struct row_part *part, struct repeats *out,
                     struct err *err);

/* ---- sums of one thread that are not in their buckets yet. Zeros: none. ---- */

enum { LATE_SUMS = 16 };
struct late_sums {
    struct tally sums[LATE_SUMS];
    struct tally *buckets[LATE_SUMS]; /* NULL: none */
    unsigned next;
};
/* Adds *sum to *bucket, now or later; other threads may add to it, too. */
void late_sums_add(struct late_sums *l, struct tally *bucket, const struct tally *sum);
/* Adds what is left. */
void late_sums_end(struct late_sums *l);

/* What a thread has of its own. */
struct diff_worker {
    struct buf scratch;
    struct last_key last;
    struct late_sums late;
    uint8_t apart[APART_BYTES];
};

#endif
