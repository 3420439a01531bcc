/* Sorts row parts per bucket within a memory limit: gathered in memory, spilled as sorted runs when the memory is full,
 * handed back as one sorted source per bucket.
 *
 *   sorter_new -> { sorter_put … until sorter_full -> sorter_spill } … -> sorter_finish -> sorter_each / sorter_open -> free */
#ifndef ENGINE_SORTER_H
#define ENGINE_SORTER_H

#include "cell/cell.h"
#include "engine/memory_plan.h"
#include "sort/record.h"

struct sorter_opts {
    const struct job *job;
    struct memory_plan plan; /* threads may come out smaller: see sorter_threads */
    uint32_t buckets;        /* most; they are used from the first on */
    uint32_t known;          /* of them sure to be used: others take no memory until they are; 0 = all */
    const struct shape_set *shapes;
    enum tie_rule tie;
};

struct sorter;
struct sorter *sorter_new(const struct sorter_opts *o, struct err *err);
void sorter_free(struct sorter *s);
unsigned sorter_threads(const struct sorter *s);

int sorter_put(struct sorter *s, unsigned thread, uint32_t bucket, const struct row_part *part, struct err *err);
bool sorter_full(const struct sorter *s);
/* Everything gathered becomes one run per bucket. Not while others put. */
int sorter_spill(struct sorter *s, struct err *err);
/* Where rows are put in about the order they have, what is complete may be taken out now and then instead of spilled:
 *
 *   sorter_flush_begin -> { sorter_put … until sorter_full -> sorter_flush } … -> sorter_flush_end -> as above */
struct sorted_records;
struct sorter_sink {
    struct bytes (*family)(void *arg, uint32_t bucket);                           /* of its cells */
    int (*take)(void *arg, uint32_t bucket, struct source *src, struct err *err); /* closes src, also when it fails */
    /* NULL, or what sorter_flush asks first: 1 = the records have been taken, 0 = they have not been touched, -1. */
    int (*divide)(void *arg, uint32_t bucket, const struct sorted_records *records, struct err *err);
    void *arg;
};
struct sorter_flushed {
    uint64_t bytes, left; /* of records: there were, and stay */
    uint64_t longest;     /* record */
};
int sorter_flush_begin(struct sorter *s, size_t memory_bytes, struct err *err);
/* Rows before *below go to sink, as tasks, a bucket each; others stay. NULL: all go. */
int sorter_flush(struct sorter *s, const struct bytes *below, const struct sorter_sink *sink, struct sorter_flushed *out,
                 struct err *err);
void sorter_flush_end(struct sorter *s); /* what is left stays, and the memory is that of the plan again */

/* No more is put; once is enough. When anything was spilled the rest is too, and its memory goes to the merges. */
int sorter_finish(struct sorter *s, struct err *err);

/* fn(arg, bucket) for every bucket that holds something, largest first, as OpenMP tasks on all threads. The first error
 * stops it. */
int sorter_each(struct sorter *s, int (*fn)(void *arg, uint32_t bucket, struct err *err), void *arg, struct err *err);
/* So many sources are to be open on one thread, all at a time: they share the memory for merges. After sorter_finish. */
void sorter_at_once(struct sorter *s, uint32_t sources);
/* The bucket as one source (its cells get this family); may be called from tasks. Each bucket once. */
struct source *sorter_open(struct sorter *s, uint32_t bucket, struct bytes family, struct err *err);
/* Several sources of a bucket that was spilled, instead of sorter_open, each of some of its rows. */
struct run_split {
    size_t n;            /* runs */
    size_t source_bytes; /* what such a source takes */
    uint64_t longest;    /* record in it, at most */
    uint64_t apart;      /* bytes of a run from one point to the next, about */
};
bool sorter_can_split(const struct sorter *s, uint32_t bucket, struct run_split *out);
/* Rows to split it at: how many there are, and, where out is not NULL, which; they are borrowed. */
struct slice_point;
size_t sorter_points(const struct sorter *s, uint32_t bucket, struct slice_point *out);
/* Its rows in span, which is copied; what it points to is borrowed. */
struct source *sorter_open_rows(struct sorter *s, uint32_t bucket, const struct row_span *span, struct bytes family,
                                struct err *err);
/* Memory that the writer of the bucket may use in addition to its file writer and its source. */
size_t sorter_spare(const struct sorter *s, uint32_t bucket);
/* Its source is closed: the runs' disk space is given back. */
void sorter_release(struct sorter *s, uint32_t bucket);
uint64_t sorter_bytes(const struct sorter *s, uint32_t bucket); /* of records, all rounds */
/* Records of a bucket, sorted. */
struct sorted_records {
    struct sort_entry *entries;
    uint64_t n, bytes; /* bytes of the records, not of the entries */
};
/* While all are in memory, instead of sorter_open: the bucket's records. Their entries are to be freed. */
int sorter_records(struct sorter *s, uint32_t bucket, struct sorted_records *out, struct err *err);

/* Bytes of a record, while all are in memory; 0: some are not. */
uint64_t sorter_longest(const struct sorter *s);

/* Not while tasks of sorter_each run. */
struct sorter_stats {
    uint64_t spilled_bytes;
    uint64_t gathered_bytes;       /* memory that all would have taken that was spilled */
    uint32_t rounds, merge_passes; /* merge_passes: extra ones, because there were too many runs */
};
struct sorter_stats sorter_stats(const struct sorter *s);

#endif
