/* Sums of digests on their way to their buckets. Row hashes choose buckets, which lie anywhere in memory: a thread that
 * added a sum at once would wait for its bucket longer than it took to hash the row. So a bucket is asked for when its sum is
 * known, and gets it when LATE_SUMS more sums are known. Sums add in any order. */

#include "base/prefetch.h"
#include "cmd/verify/diff/late_sums.h"

static void add_atomically(struct tally *t, const struct tally *more) {
    uint64_t lo = __atomic_fetch_add(&t->digest.lo, more->digest.lo, __ATOMIC_RELAXED);
    bool carry = lo + more->digest.lo < lo;
    __atomic_fetch_add(&t->digest.hi, more->digest.hi + carry, __ATOMIC_RELAXED);
    __atomic_fetch_add(&t->cells, more->cells, __ATOMIC_RELAXED);
}

static void add_oldest(struct late_sums *l, unsigned i) {
    if (l->buckets[i]) add_atomically(l->buckets[i], &l->sums[i]);
    l->buckets[i] = NULL;
}

void late_sums_add(struct late_sums *l, struct tally *bucket, const struct tally *sum) {
    unsigned i = l->next++ % LATE_SUMS;
    add_oldest(l, i);
    prefetch_to_write(bucket, 1);
    l->buckets[i] = bucket;
    l->sums[i] = *sum;
}

void late_sums_end(struct late_sums *l) {
    for (unsigned i = 0; i < LATE_SUMS; i++) add_oldest(l, i);
}
