/* Chooses ranges of rows: the windows of a sample, sorted, and every so many of them a border. A window is the eight bytes that
 * follow on what all rows of the sample begin with. */
#include "sort/row_ranges.h"

#include "base/bytes.h"

#include <stdlib.h>

static int order_windows(const void *pa, const void *pb) {
    uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return (a > b) - (a < b);
}

static size_t common_prefix(const struct bytes *rows, size_t n) {
    size_t lcp = rows[0].n;
    for (size_t i = 1; i < n && lcp; i++) lcp = bytes_lcp(bytes_of(rows[0].p, lcp), rows[i]);
    return lcp;
}

/* Borders that differ; what is left is never reached by a window but the largest one. */
static void choose_borders(struct row_ranges *r, const uint64_t *windows, size_t n, uint32_t most) {
    uint32_t borders = 0;
    for (uint32_t i = 1; i < most; i++) {
        uint64_t w = windows[n * i / most];
        if (w > (borders ? r->from[borders - 1] : windows[0])) r->from[borders++] = w;
    }
    r->n = borders + 1;
    for (uint32_t i = borders; i < ROW_RANGES_MOST; i++) r->from[i] = UINT64_MAX;
}

int row_ranges_choose(const struct bytes *rows, size_t n, uint32_t most, struct row_ranges **out, struct err *err) {
    struct row_ranges *r = calloc(1, sizeof *r);
    uint64_t *windows = malloc(n * sizeof *windows);
    int rc = r && windows ? 0 : err_nomem(err, sizeof *r + n * sizeof *windows, "ranges of rows");
    *out = NULL;
    if (!rc) rc = buf_copy(&r->prefix, bytes_of(rows[0].p, common_prefix(rows, n)), err);
    if (!rc) {
        for (size_t i = 0; i < n; i++) windows[i] = rowsort_window(rows[i], r->prefix.n);
        qsort(windows, n, sizeof *windows, order_windows);
        choose_borders(r, windows, n, most < ROW_RANGES_MOST ? most : ROW_RANGES_MOST);
    }
    free(windows);
    if (!rc && r->n > 1)
        *out = r;
    else
        row_ranges_free(r);
    return rc;
}

void row_ranges_free(struct row_ranges *r) {
    if (!r) return;
    buf_free(&r->prefix);
    free(r);
}

uint32_t row_ranges_odd(const struct row_ranges *r, struct bytes row) {
    return bytes_cmp(row, buf_bytes(&r->prefix)) < 0 ? 0 : r->n - 1;
}
