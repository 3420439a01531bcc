/* Compares two sides cell by cell, whatever their order, format and partitioning, within a memory limit.
 *
 * Pass 1 adds the cells' digests of both sides into buckets by row hash; buckets that are equal and hold nothing to look at are
 * done. Pass 2 reads again, keeps the rows of the other buckets only, sorts both sides (spilling to disk what does not fit) and
 * walks them side by side. A side that is compacted, or any side's markers where deleted cells are ignored, needs whole rows: a
 * compacted side is sorted in pass 1 too, and buckets with markers are always looked at. */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include "cmd/verify/diff/diff_opts.h"

/* "missing", "extra" …: as text and JSON have it. */
const char *diff_kind_name(enum diff_kind k);

/* Nothing was found, and both sides have the same cells by number and digest. */
bool diff_equal(const struct diff_result *r);
/* 0 whether sides differ or not: *out tells. -1: a side could not be read to its end, a limit, a stop. */
int diff_run(const struct diff_opts *o, struct diff_result *out, struct err *err);
void diff_result_free(struct diff_result *r);

#endif
