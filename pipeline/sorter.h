/* Sorts row parts per bucket within a memory limit: gathered in memory, spilled as sorted runs when the memory is full,
 * handed back as one sorted source per bucket.
 *
 *   sorter_new -> { sorter_put … until sorter_full -> sorter_spill } … -> sorter_finish -> sorter_each / sorter_open -> free */
#ifndef PIPELINE_SORTER_H
#define PIPELINE_SORTER_H

#include "cell/order.h"
#include "cell/source.h"
#include "flow/shapes.h"
#include "pipeline/job.h"

struct sorter_opts {
    const struct job *job;
    struct memory_plan plan; /* threads may come out smaller: see sorter_threads */
    uint32_t buckets;
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
/* No more is put. When anything was spilled the rest is too, and its memory goes to the merges. */
int sorter_finish(struct sorter *s, struct err *err);

/* fn(arg, bucket) for every bucket that holds something, largest first, as OpenMP tasks on all threads. The first error
 * stops it. */
int sorter_each(struct sorter *s, int (*fn)(void *arg, uint32_t bucket, struct err *err), void *arg, struct err *err);
/* The bucket as one source (its cells get this family); may be called from tasks. Each bucket once. */
struct source *sorter_open(struct sorter *s, uint32_t bucket, struct bytes family, struct err *err);
/* Its source is closed: the runs' disk space is given back. */
void sorter_release(struct sorter *s, uint32_t bucket);
uint64_t sorter_bytes(const struct sorter *s, uint32_t bucket); /* of records, all rounds */

struct sorter_stats {
    uint64_t spilled_bytes;
    uint32_t rounds, merge_passes; /* merge_passes: extra ones, because there were too many runs */
};
struct sorter_stats sorter_stats(const struct sorter *s);

#endif
