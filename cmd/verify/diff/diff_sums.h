/* Pass 1 of a diff adds up sums by row hash: buckets of digests, the order of cells of one key, and sums that are on their way
 * to their buckets. */
#ifndef DIFF_DIFF_SUMS_H
#define DIFF_DIFF_SUMS_H

#include "base/buf.h"
#include "cell/cell.h"

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

#endif
