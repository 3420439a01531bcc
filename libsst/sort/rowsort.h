/* Sorts references to records by row, then so that records of one row stand in the order their first cells have.
 *
 * Entries are 16 bytes: the 8 key bytes at the depth being sorted, and the record. MSD radix (in place) over those
 * bytes, small ranges by insertion, ties go on at the next 8 bytes. The bytes all rows share are skipped (lcp).
 * Input that is sorted already is noticed, and ascending runs (sorted files, one per source) are merged, not sorted. */
#ifndef SORT_ROWSORT_H
#define SORT_ROWSORT_H

#include "cell/cell.h"
#include "sort/shapes.h"

struct sort_entry {
    uint64_t window; /* row bytes [depth, depth + 8), big-endian, zero padded */
    const uint8_t *record;
};

struct rowsort {
    const struct shape_set *shapes;
    enum tie_rule tie;
    size_t lcp; /* leading bytes that all rows of this call share */
};

/* e[i].window must be rowsort_window(row, lcp). scratch: room for n entries. */
void rowsort(const struct rowsort *s, struct sort_entry *e, size_t n, struct sort_entry *scratch);
/* The full order: row, shape, then first cell (explicit records) or ts desc, rank desc (records of a shape). */
int rowsort_cmp(const struct rowsort *s, const struct sort_entry *a, const struct sort_entry *b);
/* Window of a row at a depth. */
uint64_t rowsort_window(struct bytes row, size_t depth);

#endif
