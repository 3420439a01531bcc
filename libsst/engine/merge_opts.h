/* What a merge of datasets is given, and what it reports about its base. */
#ifndef ENGINE_MERGE_OPTS_H
#define ENGINE_MERGE_OPTS_H

#include "engine/build.h"
#include "engine/reusable_file.h"
#include "rules/whole_files.h"

struct merge_input {
    const struct manifest *manifest;
    struct input *files; /* as many as the manifest lists, in its order; all of one group */
};

/* What became of the base in one (family, partition), for reports. */
struct base_outcome {
    uint32_t family, partition;
    struct base_file *files; /* of the base, in order of rows */
    size_t n_files;
    uint64_t new_cells, new_files; /* of the other inputs, as far as they are not merged yet */
    bool left;                     /* for a later night: the base stays as it is, the other inputs were not read */
};
struct base_outcomes {
    struct base_outcome *slices; /* by family and partition */
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
};

#endif
