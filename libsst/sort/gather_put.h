/* Collects row parts in memory, a bucket for each partition of each family. */
#ifndef SORT_GATHER_PUT_H
#define SORT_GATHER_PUT_H

#include "base/err.h"
#include "cell/cell.h"
#include "sort/gather.h"

struct gather;

/* ERR_LIMIT names the memory needed when memory_bytes cannot hold a minimal slab per thread and known bucket. */
struct gather *gather_new(const struct gather_opts *o, struct err *err);
void gather_free(struct gather *g);

/* ERR_LIMIT also where a bucket beyond the known ones has no room for its slabs. */
int gather_put(struct gather *g, unsigned thread, uint32_t bucket, const struct row_part *part, struct err *err);
/* Puts a record of another gather with the same shapes. */
int gather_copy(struct gather *g, unsigned thread, uint32_t bucket, const uint8_t *record, struct err *err);
/* Limits the memory from now on: at most to memory_bytes as it was in the beginning. */
void gather_limit(struct gather *g, size_t memory_bytes);
uint64_t gather_taken(const struct gather *g); /* of memory, when all that is in it is sorted */
bool gather_full(const struct gather *g);
size_t gather_left(const struct gather *g); /* of its memory then */
bool gather_empty(const struct gather *g);
uint32_t gather_buckets(const struct gather *g); /* known, or put into since then */
uint64_t gather_records(const struct gather *g, uint32_t bucket);
uint64_t gather_longest(const struct gather *g); /* bytes of a record */
uint64_t gather_bytes(const struct gather *g, uint32_t bucket);
/* Forgets all records; the memory stays for the next round. */
void gather_reset(struct gather *g);

#endif
