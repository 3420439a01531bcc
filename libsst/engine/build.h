/* Inputs of any kind -> gathered per partition -> sorted -> (version rules) -> HFiles of a dataset.
 * Used by obkv-import, obkv-split apply, and by obkv-compact for what cannot be merged directly.
 *
 * Rounds: all threads parse until the memory is full; then every partition is sorted and spilled as one run each, and
 * reading continues. At the end each partition is one task: its runs, or the sorted memory, are merged and written. */
#ifndef ENGINE_BUILD_H
#define ENGINE_BUILD_H

#include "engine/file_rules.h"
#include "engine/input.h"
#include "engine/memory_plan.h"
#include "engine/partition_writer.h"
#include "engine/rejects.h"
#include "engine/sorter.h"
#include "rules/ledger.h"
#include "table/partitioner.h"

struct reject_log;

struct build_opts {
    const struct job *job;
    struct input *inputs;
    uint32_t n_inputs, n_groups;      /* groups: logical inputs, see struct input */
    uint32_t n_others;                /* after n_inputs: those of other shards */
    bool is_shard, seqs_stated;       /* see input_order_opts */
    const struct store_input *stores; /* the groups that are stores of HBase */
    size_t n_stores;
    struct read_opts read; /* table, columns …; chunk_bytes and shapes are set here */
    const struct placement *placement;
    struct reject_log *rejects;
    const struct reject_limit *reject_limit;
    enum tie_rule tie;
    bool compact; /* apply each family's rules */
    enum compaction_kind kind;
    enum compaction_kind kind_of_edits; /* instead, where all that is read is HOLDS_EDITS */
    const struct past_rules *past; /* where they are not applied: what the inputs have been through, by family; NULL = nothing */
    struct output_opts output;
};

struct build_result {
    struct written_files files;
    struct ledger ledger;
    struct rule_diff diff; /* with COMPACTION_OCEANBASE */
    uint64_t zeroed;       /* cells whose sequence ids have had their time */
    uint64_t repeats;      /* under NEW_VERSION_BEHAVIOR: cells of the first input that another one has again */
    uint64_t rows_client_misplaces;
    struct sorter_stats sort;
    uint32_t windows; /* in which stores were read by rows */
    unsigned threads;
};

/* ---- stores read by rows (by_rows.c) ---- */

struct window_plan {
    size_t open_bytes;   /* what open inputs and outputs hold all the time */
    size_t window_bytes; /* gathered at a time */
    size_t chunk_bytes;
};
struct window_opts {
    const struct store_input *stores;
    size_t n;
    const struct hfile_write_opts *writer; /* of each output */
    uint32_t outputs;
    const struct memory_plan *plan;
};
/* Pure, but for the limit of open files. false: files do not say where their rows begin, or there is too little memory to make it
 * worth it. */
bool window_plan_make(const struct window_opts *o, struct window_plan *out);

#endif
