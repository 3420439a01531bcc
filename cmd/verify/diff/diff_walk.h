/* Finds differences: the walk of pass 2 over two sorted sides, cells out of order, and side A as a compaction would leave it. */
#ifndef DIFF_DIFF_WALK_H
#define DIFF_DIFF_WALK_H

#include "cmd/verify/diff/diff.h"

void diff_result_free(struct diff_result *r);

/* Nothing was found, and both sides have the same cells by number and digest. */
bool diff_equal(const struct diff_result *r);
/* "missing", "extra" …: as text and JSON have it. */
const char *diff_kind_name(enum diff_kind k);

/* ---- the walk: two sorted sources of one family, side by side. Cells of one key (duplicates) are compared as sets first, what
 * is left over is paired. ---- */

struct diff_walk;
/* result: its counts grow. cells: that both sides have, about, for progress. */
struct diff_walk *diff_walk_new(const struct diff_opts *o, struct diff_result *result, uint64_t cells, struct err *err);
void diff_walk_free(struct diff_walk *w);
size_t diff_walk_memory(void);
/* Sources may be NULL: empty. seen[side] adds up. */
int diff_walk_run(struct diff_walk *w, struct bytes family, struct source *a, struct source *b, struct tally seen[DIFF_SIDES],
                  struct err *err);
/* Counts and reports a finding. */
int diff_report(const struct diff_opts *o, struct diff_result *r, const struct diff_finding *f, struct err *err);

#endif
