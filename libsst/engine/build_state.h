/* Shared by build_run.c (the run) and build_buckets.c (sorted buckets on their way into files). */
#ifndef ENGINE_BUILD_STATE_H
#define ENGINE_BUILD_STATE_H

#include "engine/bucket_rules.h"
#include "engine/build.h"
#include "engine/memory_plan.h"
#include "engine/sorted_inputs.h"

struct input_facts;
struct input_order;
struct old_seqs;
struct packing_sample;
struct store_decisions;

struct bucket_writer;

struct build {
    const struct build_opts *o;
    struct build_result *out;
    enum compaction_kind kind;              /* o->kind until all is read, then what has come of it */
    struct memory_plan plan;                /* as it is made, before anything is sorted */
    struct output_opts output;              /* o->output, with the writers' share of the memory */
    uint32_t families, partitions, buckets; /* bucket = family * partitions + partition */
    struct sorted_inputs sorted;
    struct input_facts *facts;
    bool *is_store; /* by group */
    struct store_decisions *stores;
    struct old_seqs *old_seqs;
    struct input_order *order;   /* NULL: ids do not matter */
    struct bucket_writer **open; /* by bucket: those that stay open while inputs are read by rows; NULL: they are not */
    bool by_rows, in_window;     /* in_window: what is complete goes to the writers, which stay open */
    unsigned side_by_side;       /* compressed texts at once */
    struct window_plan window;
    struct packing_sample *packing; /* of the first thread's chunks; NULL: there is none */
    struct rules_total total;
};

#endif
