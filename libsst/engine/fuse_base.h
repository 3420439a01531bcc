/* The base of a compaction, in one slice: which of its files stay, how these are taken over, and the report of both. */
#ifndef ENGINE_FUSE_BASE_H
#define ENGINE_FUSE_BASE_H

#include "engine/fuse_merge.h"

/* Makes s->base, with a fate for each file, and s->left. */
int fuse_base_judge(struct slice_run *s, struct err *err);
/* Files that are taken over, and what lies before, between and behind them, in order of rows: so numbers follow rows. */
int fuse_base_write(struct slice_run *s, struct err *err);
/* Into fuse_base.report; s->base goes with it. */
void fuse_base_report(struct slice_run *s, struct err *err);

#endif
