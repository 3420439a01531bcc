/* Compaction of datasets that share one partitioning: per family and partition, the inputs' files are merged directly,
 * version rules applied, and written. One task per partition; memory is one block per input and worker. */
#ifndef PIPELINE_FUSE_H
#define PIPELINE_FUSE_H

#include "pipeline/build.h"

struct fuse_input {
    const struct manifest *manifest;
    struct load_input *files; /* as many as the manifest lists, in its order; all of one group */
};

struct fuse_opts {
    const struct job *job;
    const struct fuse_input *inputs; /* oldest first: input i is group i */
    uint32_t n_inputs;
    const struct table *table;
    enum tie_rule tie;
    enum compaction_kind kind;
    struct store_opts store;
};

/* Can so many inputs be merged at once within memory and descriptors? If not, build_run does it in rounds. */
bool fuse_fits(const struct fuse_opts *o);
int fuse_run(const struct fuse_opts *o, struct build_result *out, struct err *err);

#endif
