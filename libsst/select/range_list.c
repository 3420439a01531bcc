/* Lists of row ranges: put in order, joined, intersected, and searched by halving. A range without start or stop is open there;
 * an empty key as a start is the same as none. */
#include "select/selection_state.h"

#include <stdlib.h>

int range_list_add(struct range_list *l, struct row_range r, struct err *err) {
    if (l->n == SELECTION_ITEMS_MAX) return err_set(err, ERR_USAGE, "more than %d ranges of rows", SELECTION_ITEMS_MAX);
    if (!r.start.n) r.start = (struct bytes){0};
    if (r.stop.p && bytes_cmp(r.start, r.stop) >= 0) return 0; /* holds nothing */
    if (grow_array(&l->x, l->n, sizeof *l->x, "ranges of rows", err)) return -1;
    l->x[l->n++] = r;
    return 0;
}

static int by_start(const void *pa, const void *pb) {
    const struct row_range *a = pa, *b = pb;
    return bytes_cmp(a->start, b->start);
}

/* NULL ends after all. */
static bool ends_before(struct bytes a, struct bytes b) {
    return a.p && (!b.p || bytes_cmp(a, b) < 0);
}

void range_list_order(struct range_list *l) {
    size_t n = 0;
    if (l->n) qsort(l->x, l->n, sizeof *l->x, by_start);
    for (size_t i = 0; i < l->n; i++) {
        struct row_range *last = n ? &l->x[n - 1] : NULL;
        if (last && (!last->stop.p || bytes_cmp(l->x[i].start, last->stop) <= 0)) {
            if (ends_before(last->stop, l->x[i].stop)) last->stop = l->x[i].stop;
        } else {
            l->x[n++] = l->x[i];
        }
    }
    l->n = n;
}

int range_list_meet(const struct range_list *a, const struct range_list *b, struct range_list *out, struct err *err) {
    for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
        const struct row_range *x = &a->x[i], *y = &b->x[k];
        struct row_range both = {.start = bytes_cmp(x->start, y->start) > 0 ? x->start : y->start,
                                 .stop = ends_before(x->stop, y->stop) ? x->stop : y->stop};
        if (range_list_add(out, both, err)) return -1;
        if (ends_before(x->stop, y->stop))
            i++;
        else
            k++;
    }
    return 0;
}

bool range_list_holds(const struct range_list *l, struct bytes row) {
    size_t lo = 0, n = l->n; /* the first range that begins after row */
    while (lo < n) {
        size_t mid = lo + (n - lo) / 2;
        if (bytes_cmp(l->x[mid].start, row) <= 0)
            lo = mid + 1;
        else
            n = mid;
    }
    return lo && (!l->x[lo - 1].stop.p || bytes_cmp(row, l->x[lo - 1].stop) < 0);
}
