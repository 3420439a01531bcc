/* A sorted bucket as a source: records of one row become parts that do not overlap.
 * One record of a row goes out as it is. Several of one shape are read column by column (no heap, the sort entries serve
 * as cursors); records of different shapes, or explicit ones that overlap, are merged cell by cell in lanes. */
#ifndef SORT_SEGMENT_H
#define SORT_SEGMENT_H

#include "cell/cell.h"
#include "sort/rowsort.h"

/* Borrows entries (overwrites their windows) and the records behind them; parts point into the records. */
struct source *segment_open(struct sort_entry *entries, size_t n, const struct shape_set *shapes, struct bytes family,
                            enum tie_rule tie, struct err *err);

#endif
