/* Ranges of rows in ascending order, with about as many rows in each, chosen from a sample of them. Finding a row's range takes
 * no branch that a processor could guess wrong. */
#ifndef SORT_ROW_RANGES_H
#define SORT_ROW_RANGES_H

#include "base/buf.h"
#include "base/err.h"
#include "sort/rowsort.h"

enum { ROW_RANGES_MOST = 256 };

struct row_ranges {
    struct buf prefix;              /* what most rows begin with */
    uint32_t n;                     /* ranges, at least 2 */
    uint64_t from[ROW_RANGES_MOST]; /* from[i]: the window, after the prefix, with which range i + 1 begins */
};

/* Chooses at most `most` ranges by at least one row, in any order. *out: NULL if the rows do not differ enough to be divided. */
int row_ranges_choose(const struct bytes *rows, size_t n, uint32_t most, struct row_ranges **out, struct err *err);
void row_ranges_free(struct row_ranges *r); /* accepts NULL */

/* The range of rows that begin otherwise. */
uint32_t row_ranges_odd(const struct row_ranges *r, struct bytes row);

/* Rows of one range come before all rows of the next one; equal rows have one range. */
static inline uint32_t row_ranges_of(const struct row_ranges *r, struct bytes row) {
    size_t n = r->prefix.n;
    if (row.n < n || (n && memcmp(row.p, r->prefix.p, n))) return row_ranges_odd(r, row);
    uint64_t window = rowsort_window(row, n);
    uint32_t at = 0;
    for (uint32_t step = ROW_RANGES_MOST / 2; step; step /= 2) at += step * (r->from[at + step - 1] <= window);
    return at < r->n ? at : r->n - 1;
}

#endif
