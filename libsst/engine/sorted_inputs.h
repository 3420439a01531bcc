/* The driver of all runs that sort their inputs: what differs is where parts are put, and what takes them sorted.
 *
 *   open -> { read, with a consumer that puts into the sorter } … -> each, with a sink -> close
 *
 * To read several buckets side by side, call sorter_finish instead of `each` and open sources of the sorter. */
#ifndef ENGINE_SORTED_INPUTS_H
#define ENGINE_SORTED_INPUTS_H

#include "engine/input_reader.h"
#include "engine/memory_plan.h"
#include "engine/read_opts.h"
#include "engine/sorter.h"
#include "engine/sorter_state.h"
#include "rules/ledger.h"

struct input_reader;

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

/* Sets the limits of readers by a plan. */
void sorted_inputs_limits(const struct memory_plan *plan, struct read_opts *read);

struct inputs_read {
    struct ledger ledger;
    uint64_t rows_client_misplaces;
};
/* Called when the memory is full (more: inputs are left), and once at the end. NULL: records are spilled. */
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

#endif
