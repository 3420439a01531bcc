/* The parts of a compaction of datasets that share one partitioning, and what a partition of a family has to go through: its
 * files are chosen, its rows merged and written. */
#ifndef ENGINE_PARTITION_MERGE_H
#define ENGINE_PARTITION_MERGE_H

#include "base/err.h"
#include "engine/bucket_rules.h"
#include "engine/build.h"
#include "engine/memory_plan.h"
#include "engine/reusable_file.h"
#include "hfile/hfile_reader.h"
#include "rules/whole_files.h"
#include "sort/sorted.h"

#include <stdlib.h>

/* ---- what a merge of datasets is given, and what it reports about its base ---- */

struct merge_input {
    const struct manifest *manifest;
    struct input *files; /* as many as the manifest lists, in its order; all of one group */
};

/* The outcome of the base in one (family, partition), for reports. */
struct base_outcome {
    uint32_t family, partition;
    struct base_file *files; /* of the base, in order of rows */
    size_t n_files;
    uint64_t new_cells, new_files; /* of the other inputs, as far as they are not merged yet */
    bool left;                     /* for a later night: the base stays as it is, the other inputs were not read */
};
struct base_outcomes {
    struct base_outcome *partitions; /* by family and partition */
    size_t n;
    uint64_t taken[LINK_COPIED + 1]; /* files, by link_way */
    struct tally taken_cells;
};

/* Input 0 is a base: files of it that need no rewriting are linked. */
struct merge_base {
    bool verify;                        /* read what is linked */
    const struct explore_opts *explore; /* merge only where this would select all there is; NULL: wherever there are new cells */
    /* [(input * families + family) * partitions + partition]: its cells are in the base already; NULL = none are. */
    const bool *merged;
    struct base_outcomes *report;
};

struct merge_datasets_opts {
    const struct job *job;
    const struct merge_base *base;    /* NULL: everything is rewritten */
    const struct merge_input *inputs; /* oldest first: input i is group i */
    uint32_t n_inputs;
    const struct table *table;
    enum tie_rule tie;
    enum compaction_kind kind;
    struct output_opts output;
    bool keeps_all;         /* every cell stays: no version rules */
    bool as_one;            /* inputs are parts of one dataset, which counts as one file for the rules */
    uint32_t share, shares; /* only every shares-th partition, from number share (from 0) on; shares 0: all */
    uint64_t scan_bytes;    /* what reading the inputs takes, as merge_datasets_room found it; 0: not known */
    size_t width; /* inputs that are read at a time, as merge_datasets_room found it: they are merged in levels; 0: all */
};

/* Returns the place of an input that is a run. */
static inline struct kept_run_place run_place(const struct input *in) {
    return (struct kept_run_place){in->path, in->part.begin, in->part.end - in->part.begin, strtoull(in->checksum, NULL, 16)};
}

/* The files of one dataset, family and partition as one source: disjoint and ascending, opened one at a time. files[i]->tally and
 * records grow as the cells go by; `files` is copied, the rows of span (NULL: all) are borrowed. group goes into rank. */
struct source *file_chain_open(struct input *const *files, size_t n, const struct row_span *span, size_t block_limit,
                               struct err *err);

/* The whole merge. */
struct dataset_merge {
    const struct merge_datasets_opts *o;
    struct build_result *out; /* NULL: nothing is written */
    bool *in_order;           /* of each input: whether its manifest has its files in order */
    struct memory_plan plan;  /* row_bytes: what scans leave of a worker's share */
    struct output_opts output;
    struct rules_total total;
    struct first_error first;
    pthread_mutex_t base_lock; /* over o->base->report */
    uint64_t bytes, cells;     /* of all files: progress */
    uint64_t kv_bytes;         /* of all files */
    uint64_t scan_bytes;       /* what reading one file of each input takes, of those that are read at a time */
    bool has_runs;             /* among the files: they can only be read as a whole */
    uint64_t *seqs;            /* by input: for cells that have no sequence id, 0 = they keep none; NULL: ids do not matter */
};

/* One partition of one family, merged by one worker. */
struct partition_merge {
    struct dataset_merge *all;
    struct output_slot slot;
    const struct family *family;
    struct input ***files; /* [input]: its files here */
    size_t *n_files;
    struct bucket_rules rules;
    struct base_file *base; /* as many as n_files[0]; NULL: there is no base */
    uint32_t number;        /* of the next file */
    bool left;              /* for a later night */
};

/* Rows that are merged anew: all of a partition, or what is between files that are linked. */
struct row_stretch {
    struct row_span span;
    size_t first, end;         /* files of the base */
    struct hfile_range blocks; /* of these files, if it is one; {0, 0}: all */
};

/* Returns the memory that reading a file takes: its blocks, or the frames of a run, may be of any size, and are not larger in
 * larger files. */
uint64_t merge_file_memory(const struct input *in, size_t block_limit);
/* Lists the files of input i that are here; files whose cells are in the base already are marked as `earlier` instead. */
int partition_merge_pick(struct partition_merge *s, uint32_t i, struct err *err);
/* Returns what the manifest says of the k-th file of input i here. */
const struct manifest_file *partition_merge_entry(const struct partition_merge *s, uint32_t i, size_t k);
/* Decides which inputs have expired as a whole, and the earliest Put: over all inputs, before anything is merged. */
int partition_merge_decide(struct partition_merge *s, struct err *err);

/* The files of input i that reach into the stretch: so many from *first on. */
size_t partition_merge_within(const struct partition_merge *s, uint32_t i, const struct row_stretch *t, size_t *first);
/* The rows of the stretch, merged, after the rules. tallies: where to count what was read, of all files by input; NULL: in the
 * inputs themselves. row_bytes: what the rules may hold of a row. */
struct source *partition_merge_open(struct partition_merge *s, const struct row_stretch *t, struct bucket_rules *rules,
                                    size_t row_bytes, struct tally *tallies, struct err *err);

#endif
