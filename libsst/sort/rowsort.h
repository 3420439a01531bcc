/* Sorts references to records by row key. */
#ifndef SORT_ROWSORT_H
#define SORT_ROWSORT_H

#include "base/bytes.h"
#include "sort/sorted.h"

/* e[i].window must be rowsort_window(row, lcp); afterwards, all that windows say is that rows differ where they do.
 * scratch: room for n entries. */
void rowsort(const struct rowsort *s, struct sort_entry *e, size_t n, struct sort_entry *scratch);
/* The full order: row, shape, then first cell (explicit records) or ts desc, rank desc (records of a shape). */
int rowsort_cmp(const struct rowsort *s, const struct sort_entry *a, const struct sort_entry *b);
/* Window of a row at a depth. */
uint64_t rowsort_window(struct bytes row, size_t depth);

#endif
