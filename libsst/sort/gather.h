/* Collects row parts per bucket (a bucket = one partition of one family) in memory, as records in slabs.
 *
 *   gather_new -> { gather_put from many threads … until gather_full -> gather_sorted per bucket -> gather_reset } -> free
 *
 * Each thread fills its own slabs, so putting takes no lock. Memory is one region reserved once: slabs are bumped off it
 * and all are given back by gather_reset. The limit is soft by what the threads hold in their hands: the pipeline stops
 * handing out chunks once gather_full says so, and the region is reserved (not touched) larger than the limit. */
#ifndef SORT_GATHER_H
#define SORT_GATHER_H

#include "cell/cell.h"
#include "sort/record.h"
#include "sort/sorted.h"

struct gather;

struct gather_opts {
    uint32_t buckets; /* most; they are used from the first on */
    uint32_t known;   /* of them sure to be used: others take no memory until they are; 0 = all */
    unsigned threads;
    size_t memory_bytes; /* slabs and sort entries together */
    const struct shape_set *shapes;
};

/* The bucket's records as sorted entries. `entries` has room for 2 * gather_records (second half is scratch). */
void gather_sorted(const struct gather *g, uint32_t bucket, enum tie_rule tie, struct sort_entry *entries);

#endif
