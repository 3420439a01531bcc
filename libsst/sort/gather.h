/* Collects row parts per bucket (a bucket = one partition of one family) in memory, as records in slabs.
 *
 *   gather_new -> { gather_put from many threads … until gather_full -> gather_sorted per bucket -> gather_reset } -> free
 *
 * Each thread fills its own slabs, so putting takes no lock. Memory is one region reserved once: slabs are bumped off it
 * and all are given back by gather_reset. The limit is soft by what the threads hold in their hands: the pipeline stops
 * handing out chunks once gather_full says so, and the region is reserved (not touched) larger than the limit. */
#ifndef SORT_GATHER_H
#define SORT_GATHER_H

#include "base/err.h"
#include "cell/cell.h"
#include "sort/sorted.h"
#include "sort/record.h"

struct gather;

struct gather_opts {
    uint32_t buckets; /* most; they are used from the first on */
    uint32_t known;   /* of them sure to be used: others take no memory until they are; 0 = all */
    unsigned threads;
    size_t memory_bytes; /* slabs and sort entries together */
    const struct shape_set *shapes;
};
/* ERR_LIMIT names the memory needed when memory_bytes cannot hold a minimal slab per thread and known bucket. */
struct gather *gather_new(const struct gather_opts *o, struct err *err);
void gather_free(struct gather *g);

/* ERR_LIMIT also where a bucket beyond the known ones has no room for its slabs. */
int gather_put(struct gather *g, unsigned thread, uint32_t bucket, const struct row_part *part, struct err *err);
/* Of another gather with the same shapes. */
int gather_copy(struct gather *g, unsigned thread, uint32_t bucket, const uint8_t *record, struct err *err);
/* From now on this is memory_bytes: at most what it was in the beginning. */
void gather_limit(struct gather *g, size_t memory_bytes);
uint64_t gather_taken(const struct gather *g); /* of memory, when all that is in it is sorted */
bool gather_full(const struct gather *g);
size_t gather_left(const struct gather *g); /* of its memory then */
bool gather_empty(const struct gather *g);
uint32_t gather_buckets(const struct gather *g); /* known, or put into since then */
uint64_t gather_records(const struct gather *g, uint32_t bucket);
uint64_t gather_longest(const struct gather *g); /* bytes of a record */
uint64_t gather_bytes(const struct gather *g, uint32_t bucket);

/* The bucket's records as sorted entries. `entries` has room for 2 * gather_records (second half is scratch). */
void gather_sorted(const struct gather *g, uint32_t bucket, enum tie_rule tie, struct sort_entry *entries);
/* Forgets all records; the memory stays for the next round. */
void gather_reset(struct gather *g);

#endif
