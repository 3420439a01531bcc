/* Divides buckets that are large beside the others into ranges of rows. */
#ifndef SORT_GATHER_RANGES_H
#define SORT_GATHER_RANGES_H

#include "base/err.h"
#include "sort/gather_state.h"

/* Returns whether the thread has put enough for ranges to be chosen, which no thread has done yet. */
static inline bool gather_may_divide(const struct gather *g, unsigned thread) {
    enum { DIVIDE_FROM_BYTES = 1 << 20 };
    return g->counts[thread].bytes >= DIVIDE_FROM_BYTES && !__atomic_load_n(&g->dividing, __ATOMIC_RELAXED);
}
/* Chooses them by the rows that the thread has put; does nothing if another thread is faster. */
int gather_divide(struct gather *g, unsigned thread, struct err *err);
/* Piles of one thread, with those of ranges, when so many buckets are open. */
size_t gather_piles(const struct gather *g, uint32_t buckets);
void divisions_free(struct divisions *d); /* accepts NULL */

#endif
