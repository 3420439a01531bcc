/* The walk of a diff: two sorted sources of one family, side by side. Cells of one key (duplicates) are compared as sets first,
 * what is left over is paired. */
#ifndef DIFF_DIFF_WALK_H
#define DIFF_DIFF_WALK_H

#include "cell/cell.h"
#include "cmd/verify/diff/diff_opts.h"

struct diff_walk;
/* paths: how a cell's rank leads to its file. result: its counts grow. */
struct diff_walk *diff_walk_new(const struct diff_opts *o, struct diff_result *result, struct err *err);
void diff_walk_free(struct diff_walk *w);
size_t diff_walk_memory(void);
/* Sources may be NULL: empty. seen[side] adds up. */
int diff_walk_run(struct diff_walk *w, struct bytes family, struct source *a, struct source *b, struct tally seen[DIFF_SIDES],
                  struct err *err);
/* Books and tells a finding. */
int diff_tell(const struct diff_opts *o, struct diff_result *r, const struct diff_finding *f, struct err *err);

#endif
