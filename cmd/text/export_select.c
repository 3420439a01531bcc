/* Selects cells of a dataset on their way from its files to text: a source around the scan of a stretch. Cells that are left out
 * are tallied as they were, those taken as they are written, so the ledger balances whatever was renamed or masked. */

#include "cmd/text/export_select.h"
#include "select/selection.h"
#include "select/selection_make.h"
#include "select/selector.h"
#include "table/partitioning.h"

#include <stdlib.h>

struct selected {
    struct source base;
    struct source *inner;
    struct selector *selector;
    struct tally *taken, *left;
    struct buf scratch;
};

static int refuse_row(const struct row_part *part, const struct selection_fault *why, struct err *err) {
    char row[80];
    partitioning_show_bound(part->row, row);
    return err_set(err, ERR_INPUT, "row %s: %s", row, why->text);
}

static int next(struct source *base, struct row_part *part, struct err *err) {
    struct selected *s = (struct selected *)base;
    struct selection_fault why;
    struct row_part read;
    int more;
    while ((more = source_next(s->inner, &read, err)) == 1) {
        if (selector_begin(s->selector, read.n_cells, err)) return -1;
        int rc = selector_take(s->selector, &read, part, s->left, &why, err);
        if (rc == SELECTOR_REFUSES) return refuse_row(&read, &why, err);
        if (rc == 1 && digest_part(&s->scratch, part, s->taken, err)) return -1;
        if (rc) return rc;
    }
    return more;
}

static void close_both(struct source *base) {
    struct selected *s = (struct selected *)base;
    source_close(s->inner);
    selector_free(s->selector);
    buf_free(&s->scratch);
    free(s);
}

struct source *export_select_open(struct source *inner, const struct selection *selection, struct tally *taken,
                                  struct tally *left, struct err *err) {
    static const struct source_ops ops = {next, close_both};
    struct selected *s = calloc(1, sizeof *s);
    if (!s) {
        source_close(inner);
        err_nomem(err, sizeof *s, "a source");
        return NULL;
    }
    *s = (struct selected){.base = {&ops}, .inner = inner, .taken = taken, .left = left};
    s->selector = selector_new(selection, INT64_MAX, err);
    if (s->selector) return &s->base;
    close_both(&s->base);
    return NULL;
}

bool export_select_rows(const struct selection *selection, struct bytes start, struct bytes stop) {
    const struct row_range *ranges;
    size_t n = selection_ranges(selection, &ranges);
    for (size_t i = 0; i < n; i++) {
        bool ends = ranges[i].stop.p && bytes_cmp(ranges[i].stop, start) <= 0;
        bool begins_after = stop.p && bytes_cmp(ranges[i].start, stop) >= 0;
        if (!ends && !begins_after) return true;
    }
    return !n;
}
