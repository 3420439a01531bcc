/* Compaction of datasets that share one partitioning: per family and partition, the inputs' files are merged directly,
 * version rules applied, and written. One task per partition; memory is one block per input and worker. */
#ifndef ENGINE_FUSE_H
#define ENGINE_FUSE_H

#include "engine/fuse_opts.h"

/* Can so many inputs be merged at once within memory and descriptors? If not, build_run does it in rounds. */
bool fuse_fits(const struct fuse_opts *o);
int fuse_run(const struct fuse_opts *o, struct build_result *out, struct err *err);
/* With a base: only decides, and fills the report. Writes nothing. */
int fuse_plan(const struct fuse_opts *o, struct err *err);
void fuse_slices_free(struct fuse_slices *l);

#endif
