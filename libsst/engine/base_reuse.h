/* The base of a compaction, in one partition: which of its files are kept, how they are reused, and the report of both. */
#ifndef ENGINE_BASE_REUSE_H
#define ENGINE_BASE_REUSE_H

#include "engine/partition_merge.h"

/* Makes s->base, with a fate for each file, and s->left. */
int base_reuse_judge(struct partition_merge *s, struct err *err);
/* Writes reused files and what lies before, between and after them in row order, so that file numbers follow rows. */
int base_reuse_write(struct partition_merge *s, struct err *err);
/* Fills merge_base.report, which refers to s->base. */
void base_reuse_report(struct partition_merge *s, struct err *err);

#endif
