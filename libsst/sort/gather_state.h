/* Memory of gathered records, for the files that make up a gather: gather_put.c fills it, gather_ranges.c divides large buckets
 * into ranges of rows, gather_sorted.c sorts. */
#ifndef SORT_GATHER_STATE_H
#define SORT_GATHER_STATE_H

#include "base/threads.h"
#include "sort/gather.h"
#include "sort/row_ranges.h"

/* A slab: link to the next one of the same list, then records. */
struct slab {
    struct slab *next;
    size_t used, cap; /* of data */
    uint8_t data[];
};

/* Records that one thread holds of one bucket, or of a range of its rows. */
struct pile {
    struct slab *first, *last;
    uint64_t records, bytes;
    size_t lcp;              /* common prefix of all rows with that of the first record */
    uint64_t bucket_records; /* in the pile of a bucket: with those in the piles of its ranges */
};

/* A bucket whose rows are put by range from some time on. What came before stays in the piles of the bucket. */
struct divided {
    struct row_ranges *ranges;
    struct pile *piles; /* [thread][range]; those of a thread are apart from the next one's */
    size_t stride;      /* piles from one thread to the next */
};

enum { DIVIDED_MOST = 8 };

struct divisions {
    uint32_t n;
    struct divided x[DIVIDED_MOST];
    uint8_t of[]; /* for each bucket: 1 + its place in x; 0: it is not divided */
};

struct gather {
    struct gather_opts o;
    uint32_t open;     /* atomic: buckets that are known, or were put into */
    size_t slab_bytes; /* atomic: smaller with more of them */
    size_t region_bytes;
    uint8_t *region;
    size_t bumped;               /* atomic: bytes of the region in use */
    struct divisions *divisions; /* atomic: NULL until they are chosen, or if no bucket is large */
    bool dividing;               /* atomic: some thread chooses, or has chosen */
    struct pile *piles;          /* [thread][bucket]; those of a thread are apart from the next one's */
    size_t stride;               /* piles from one thread to the next */
    struct count {               /* per thread, lines of the caches apart */
        uint64_t records, bytes;
        uint64_t largest, record_bytes; /* largest: records of one bucket; record_bytes: the longest record */
        uint8_t apart[APART_BYTES];
    } * counts;
};

static inline struct pile *pile_at(const struct gather *g, unsigned thread, uint32_t bucket) {
    return &g->piles[thread * g->stride + bucket];
}
static inline size_t piles_stride(size_t piles) {
    return piles + APART_BYTES / sizeof(struct pile) + 1;
}
/* Returns the ranges of a bucket; NULL: it has none. */
static inline const struct divided *divided_at(const struct divisions *d, uint32_t bucket) {
    return d && d->of[bucket] ? &d->x[d->of[bucket] - 1] : NULL;
}
static inline struct pile *divided_pile(const struct divided *d, unsigned thread, uint32_t range) {
    return &d->piles[thread * d->stride + range];
}

#endif
