/* A partition of a target, cut into slices of its keys, so that what is done shows before all of it is read. Bounds are
 * spaced evenly between the first and the last key of the export. However unevenly rows lie between them, the slices together
 * have every row once: the first begins before all keys, the last ends after all. */

#include "base/text.h"
#include "cell/cell.h"
#include "cmd/verify/target/key_slices.h"

enum { SLICE_ROWS = 50000, SLICES_MAX = 64 };

/* ---- bounds ---- */

/* Returns the 8 bytes after the prefix as a number. */
static uint64_t number_after(struct bytes key, size_t prefix) {
    return bytes_prefix8(bytes_of(key.p + prefix, key.n - prefix));
}

/* Writes where slice i of n begins, as SQL. */
static int put_bound(const struct key_span *span, unsigned i, unsigned n, struct buf *out, struct err *err) {
    size_t prefix = bytes_lcp(span->first, span->last);
    uint64_t a = number_after(span->first, prefix), b = number_after(span->last, prefix);
    uint64_t at = a + (uint64_t)((unsigned __int128)(b - a) * i / n);
    if (buf_printf(out, err, "x'") || hex_put(out, bytes_of(span->first.p, prefix), err)) return -1;
    return buf_printf(out, err, "%016llx'", (unsigned long long)at);
}

unsigned key_slice_count(const struct key_span *span) {
    if (!span->first.n || bytes_cmp(span->first, span->last) >= 0) return 1;
    const uint64_t n = span->rows / SLICE_ROWS;
    return n < 1 ? 1 : n > SLICES_MAX ? SLICES_MAX : (unsigned)n;
}

/* ---- slices ---- */

int key_slice_where(const struct key_span *span, unsigned i, unsigned n, struct buf *out, struct err *err) {
    out->n = 0;
    if (n == 1 && buf_printf(out, err, "1 = 1")) return -1;
    if (i && (buf_printf(out, err, "K >= ") || put_bound(span, i, n, out, err))) return -1;
    if (i + 1 < n && (buf_printf(out, err, i ? " AND K < " : "K < ") || put_bound(span, i + 1, n, out, err))) return -1;
    return buf_put_byte(out, 0, err);
}
