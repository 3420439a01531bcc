#include "cmd/verify/skew/skew_fold.h"

#include "cell/keyvalue.h"

void skew_part_add(struct skew_part *to, const struct skew_part *p) {
    to->rows += p->rows;
    to->cells += p->cells;
    to->deletes += p->deletes;
    to->columns += p->columns;
    if (p->versions_most > to->versions_most) to->versions_most = p->versions_most;
    to->kv_bytes += p->kv_bytes;
    to->file_bytes += p->file_bytes;
    to->files += p->files;
}

void skew_sums_free(struct skew_sums *s) {
    top_rows_free(&s->heaviest);
    key_cuts_free(&s->cuts);
}

int skew_sums_merge(struct skew_sums *to, const struct skew_sums *from, struct err *err) {
    histogram_merge(&to->versions, &from->versions);
    histogram_merge(&to->row_cells, &from->row_cells);
    histogram_merge(&to->row_bytes, &from->row_bytes);
    return top_rows_merge(&to->heaviest, &from->heaviest, err) || key_cuts_merge(&to->cuts, &from->cuts, err) ? -1 : 0;
}

static void end_column(struct skew_fold *f) {
    if (!f->puts) return;
    f->part.columns++;
    if (f->puts > f->part.versions_most) f->part.versions_most = f->puts;
    histogram_add(&f->sums.versions, f->puts);
    f->puts = 0;
}

static int end_row(struct skew_fold *f, struct err *err) {
    end_column(f);
    if (!f->row_cells) return 0;
    const struct key_weight w = {f->row_bytes, f->row_cells, 1};
    const struct top_row t = {.bytes = w.bytes, .cells = w.cells, .family = f->family, .partition = f->partition};
    f->part.rows++;
    histogram_add(&f->sums.row_cells, w.cells);
    histogram_add(&f->sums.row_bytes, w.bytes);
    f->row_cells = f->row_bytes = 0;
    if (key_cuts_add(&f->sums.cuts, buf_bytes(&f->row), &w, err)) return -1;
    return top_rows_add(&f->sums.heaviest, &t, buf_bytes(&f->row), err);
}

/* Cells of a row in order: a column's stand next to each other, over the end of a part too. */
static int add_part(struct skew_fold *f, const struct row_part *part, struct err *err) {
    struct bytes column = buf_bytes(&f->qualifier);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        if (!bytes_eq(c->qualifier, column)) {
            end_column(f);
            column = c->qualifier;
        }
        bytes += kv_size(part, c, c->tags.n > 0);
        if (c->type == CELL_PUT)
            f->puts++;
        else
            f->part.deletes++;
    }
    f->row_bytes += bytes;
    f->part.kv_bytes += bytes;
    f->row_cells += part->n_cells;
    f->part.cells += part->n_cells;
    struct buf *last = &f->qualifier;
    return column.p == last->p ? 0 : buf_copy(last, column, err);
}

int skew_fold_run(struct skew_fold *f, struct source *src, struct err *err) {
    struct row_part part;
    int more;
    while ((more = source_next(src, &part, err)) == 1) {
        if (!bytes_eq(part.row, buf_bytes(&f->row)) || !f->row.n) {
            if (end_row(f, err) || buf_copy(&f->row, part.row, err)) break;
            buf_clear(&f->qualifier);
        }
        if (add_part(f, &part, err) || cell_sampler_put(f->sampler, &part, err)) break;
    }
    int rc = more || end_row(f, err) ? -1 : 0;
    key_cuts_finish(&f->sums.cuts);
    buf_free(&f->row);
    buf_free(&f->qualifier);
    return rc;
}
