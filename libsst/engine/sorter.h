/* Sorts row parts per bucket within a memory limit: gathered in memory, spilled as sorted runs when the memory is full,
 * handed back as one sorted source per bucket.
 *
 *   sorter_new -> { sorter_put … until sorter_full -> sorter_spill } … -> sorter_finish -> sorter_each / sorter_open -> free */
#ifndef ENGINE_SORTER_H
#define ENGINE_SORTER_H

#include "cell/cell.h"
#include "engine/memory_plan.h"
#include "sort/record.h"
#include "sort/sorted.h"

struct sorter_opts {
    const struct job *job;
    struct memory_plan plan; /* threads may come out smaller: see sorter_threads */
    uint32_t buckets;        /* most; they are used from the first on */
    uint32_t known;          /* of them sure to be used: others take no memory until they are; 0 = all */
    const struct shape_set *shapes;
    enum tie_rule tie;
};
/* Takes complete rows out now and then instead of spilling them, where rows are put in about the order they have:
 *
 *   sorter_flush_begin -> { sorter_put … until sorter_full -> sorter_flush } … -> sorter_flush_end -> sorter_finish … */
struct sorted_records;
struct sorter_sink {
    struct bytes (*family)(void *arg, uint32_t bucket);                           /* of its cells */
    int (*take)(void *arg, uint32_t bucket, struct source *src, struct err *err); /* closes src, also when it fails */
    /* NULL, or what is asked first: 1 = the bucket has been taken, 0 = it has not been touched, -1. records: those that
     * sorter_flush takes out; NULL: all of the bucket. */
    int (*divide)(void *arg, uint32_t bucket, const struct sorted_records *records, struct err *err);
    void *arg;
};
struct sorter_flushed {
    uint64_t bytes, left; /* of records: there were, and stay */
    uint64_t longest;     /* record */
};
/* Several sources of a bucket that was spilled, instead of sorter_open, each of some of its rows. */
struct run_split {
    size_t n;            /* runs */
    size_t source_bytes; /* what such a source takes */
    uint64_t longest;    /* record in it, at most */
    uint64_t apart;      /* bytes of a run from one point to the next, about */
};
/* Records of a bucket, sorted. */
struct sorted_records {
    struct sort_entry *entries;
    uint64_t n, bytes; /* bytes of the records, not of the entries */
};

/* Figures of a sorter. Not to be asked for while tasks of sorter_each run. */
struct sorter_stats {
    uint64_t spilled_bytes;
    uint64_t gathered_bytes;       /* memory that all would have taken that was spilled */
    uint32_t rounds, merge_passes; /* merge_passes: extra ones, because there were too many runs */
};

#endif
