/* The driver of all runs that sort their inputs: what differs is where parts are put, and what takes them sorted.
 *
 *   open -> { read, with a consumer that puts into the sorter } … -> each, with a sink -> close
 *
 * To read several buckets side by side, call sorter_finish instead of `each` and open sources of the sorter. */
#ifndef ENGINE_SORTED_INPUTS_H
#define ENGINE_SORTED_INPUTS_H

#include "engine/input.h"
#include "engine/memory_plan.h"
#include "engine/partition_writer.h"
#include "engine/sorter.h"

struct sorted_inputs_opts {
    const struct job *job;
    struct memory_plan plan; /* without what the run holds besides */
    uint32_t buckets, known; /* as sorter_opts; no buckets: nothing is sorted */
    enum tie_rule tie;
};

struct sorted_inputs {
    const struct job *job;
    struct memory_plan plan; /* threads: as many as work */
    enum tie_rule tie;
    struct shape_set shapes;
    struct sorter *sorter;
    struct input_reader *reader; /* while inputs are read */
};

int sorted_inputs_open(struct sorted_inputs *s, const struct sorted_inputs_opts *o, struct err *err);
void sorted_inputs_close(struct sorted_inputs *s);

/* What readers may hold, out of a plan. */
void sorted_inputs_limits(const struct memory_plan *plan, struct read_opts *read);

struct inputs_read {
    struct ledger ledger;
    uint64_t client_rows;
};
/* What is done when the memory is full (more: inputs are left), and once at the end. NULL: it is spilled. */
struct memory_drain {
    int (*drain)(void *arg, bool more, struct err *err);
    void *arg;
};
/* o: inputs, table, placement and consumer; threads, shapes and limits of readers come from s (but read.memory.chunk, where it is
 * given). *out may be NULL. */
int sorted_inputs_read(struct sorted_inputs *s, const struct input_reader_opts *o, const struct memory_drain *drain,
                       struct inputs_read *out, struct err *err);

/* No more is read: each bucket that holds something goes to sink, sorted, as a task on any thread, largest first. */
int sorted_inputs_each(struct sorted_inputs *s, const struct sorter_sink *sink, struct err *err);
/* The same, but `divide` is asked first: 1 = it has taken the bucket itself, 0, -1. */
int sorted_inputs_divide(struct sorted_inputs *s, const struct sorter_sink *sink,
                         int (*divide)(void *arg, uint32_t bucket, struct err *err), struct err *err);

/* ---- a bucket in slices (sorted_slices.c) ---- */

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
/* How many slices of o->bucket may be prepared side by side within `memory`, where all buckets have so many bytes; at_once 0: it
 * is not to be cut. */
void sorted_slices_fit(const struct sorted_inputs *s, uint64_t all_bytes, size_t memory, struct sorted_slices_opts *o);
/* Within a task of the sorter: instead of one source, all rows go to w in slices: 1. 0: a row is so long that its block may need
 * the memory of the slices; nothing went to w. -1: error. */
int sorted_slices_write(const struct sorted_inputs *s, const struct sorted_slices_opts *o, struct partition_writer *w,
                        struct err *err);

#endif
