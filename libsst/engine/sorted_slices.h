/* Reads a sorted bucket in slices of rows, side by side. */
#ifndef ENGINE_SORTED_SLICES_H
#define ENGINE_SORTED_SLICES_H

#include "base/bytes.h"
#include "base/err.h"
#include "engine/sorted_inputs.h"
#include "engine/sorter.h"

struct partition_writer;

struct past_rules;
struct bucket_rules;
struct bucket_rules_env;
struct sorted_slices_opts {
    uint32_t bucket;
    const struct sorted_records *records; /* of it; NULL: all it has */
    struct bytes family;
    const struct past_rules *past;      /* what its cells have been through; NULL: nothing */
    const struct bucket_rules_env *env; /* the version rules that are applied; NULL: none */
    struct bucket_rules *rules;         /* their facts and results */
    /* As sorted_slices_fit says. */
    unsigned at_once;
    uint64_t slice_bytes; /* of records */
    uint64_t row_bytes;   /* of records of a row, which may all be in one block, that half of the memory suffices for */
};
/* Decides how many slices of o->bucket may be prepared side by side within `memory`, where all buckets have so many bytes;
 * at_once 0: it is not to be cut. */
void sorted_slices_fit(const struct sorted_inputs *s, uint64_t all_bytes, size_t memory, struct sorted_slices_opts *o);
/* Writes, within a task of the sorter, all rows to w in slices, instead of as one source: 1. 0: a row is so long that its block
 * may need the memory of the slices; nothing went to w. -1: error. */
int sorted_slices_write(const struct sorted_inputs *s, const struct sorted_slices_opts *o, struct partition_writer *w,
                        struct err *err);

#endif
