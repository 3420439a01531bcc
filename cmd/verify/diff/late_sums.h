/* Sums of one thread that are not in their buckets yet. Zero-initialise. */
#ifndef CMD_VERIFY_DIFF_LATE_SUMS_H
#define CMD_VERIFY_DIFF_LATE_SUMS_H

#include "base/buf.h"
#include "base/threads.h"
#include "cell/keyvalue.h"
#include "cmd/verify/diff/diff_sums.h"

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

/* State of one thread. */
struct diff_worker {
    struct buf scratch;
    struct last_key last;
    struct late_sums late;
    uint8_t apart[APART_BYTES];
};

#endif
