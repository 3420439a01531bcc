/* Reuses the files or blocks of a base in one partition and family of a nightly compaction. */
#ifndef ENGINE_BASE_REUSE_H
#define ENGINE_BASE_REUSE_H

#include "base/err.h"
#include "engine/partition_merge.h"

/* Makes s->base, with a verdict for each file, and s->left. */
int base_reuse_judge(struct partition_merge *s, struct err *err);
/* Writes reused files and what is before, between and after them in row order, so that file numbers follow rows. */
int base_reuse_write(struct partition_merge *s, struct err *err);
/* Fills merge_base.report, which refers to s->base. */
void base_reuse_report(struct partition_merge *s, struct err *err);

#endif
