/* What a compaction of datasets is given, and what it tells about its base. */
#ifndef ENGINE_FUSE_OPTS_H
#define ENGINE_FUSE_OPTS_H

#include "rules/whole_files.h"
#include "engine/build.h"
#include "engine/takeover.h"

struct fuse_input {
    const struct manifest *manifest;
    struct load_input *files; /* as many as the manifest lists, in its order; all of one group */
};

/* What became of the base in one (family, partition), for reports. */
struct fuse_slice {
    uint32_t family, partition;
    struct takeover_file *files; /* of the base, in order of rows */
    size_t n_files;
    uint64_t new_cells, new_files; /* of the other inputs, as far as they are not merged yet */
    bool left;                     /* for a later night: the base stays as it is, the other inputs were not read */
};
struct fuse_slices {
    struct fuse_slice *slices; /* by family and partition */
    size_t n;
    uint64_t taken[LINK_COPIED + 1]; /* files, by link_way */
    struct tally taken_cells;
};

/* Input 0 is a base: files of it that need no rewriting are taken over whole. */
struct fuse_base {
    bool verify;                        /* read what is taken over */
    const struct explore_opts *explore; /* merge only where this would select all there is; NULL: wherever there are new cells */
    /* [(input * families + family) * partitions + partition]: its cells are in the base already; NULL = none are. */
    const bool *merged;
    struct fuse_slices *report;
};

struct fuse_opts {
    const struct job *job;
    const struct fuse_base *base;    /* NULL: everything is rewritten */
    const struct fuse_input *inputs; /* oldest first: input i is group i */
    uint32_t n_inputs;
    const struct table *table;
    enum tie_rule tie;
    enum compaction_kind kind;
    struct store_opts store;
};

#endif
