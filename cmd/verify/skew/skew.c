/* Rows, cells and bytes of partitions counted: one sorted stream a partition, by many threads, whose sums are merged under a
 * lock. Rows and columns are counted where the next one begins, so nothing is kept of them but the last key. */
#include "cmd/verify/skew/skew.h"

#include "cell/keyvalue.h"

#include <omp.h>
#include <stdlib.h>

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

/* Cells of a row in order: those of a column are adjacent, across the end of a part too. */
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

/* Cuts of all partitions together, and of one: with 97 partitions a prefix is known to within a tenth of a percent. */
enum { CUTS_MOST = 1 << 17, CUTS_LEAST = 16, CUTS_OF_ONE = 1024 };

static uint32_t cuts_of(uint32_t buckets) {
    uint32_t n = CUTS_MOST / (buckets ? buckets : 1);
    return n < CUTS_LEAST ? CUTS_LEAST : n > CUTS_OF_ONE ? CUTS_OF_ONE : n;
}

size_t skew_tasks_memory(unsigned threads, uint32_t buckets, uint32_t heaviest) {
    size_t cuts = cuts_of(buckets), all = cuts * buckets * sizeof(struct key_cut), rows = heaviest * sizeof(struct top_row);
    size_t task = sizeof(struct skew_fold) + 2 * cuts * sizeof(struct key_cut) + rows;
    return cell_sample_memory(threads) + all + all / 4 + buckets * sizeof(struct skew_part) + threads * task + rows;
}

int skew_tasks_open(struct skew_tasks *t, uint32_t families, uint32_t partitions, struct err *err) {
    uint32_t buckets = families * partitions;
    pthread_mutex_init(&t->lock, NULL);
    t->cuts = cuts_of(buckets);
    t->out->families = families;
    t->out->partitions = partitions;
    t->out->sums.heaviest.most = t->o->heaviest;
    t->out->parts = calloc((size_t)buckets + 1, sizeof *t->out->parts);
    t->samplers = calloc(t->threads, sizeof *t->samplers);
    if (!t->out->parts || !t->samplers) return err_nomem(err, buckets * sizeof *t->out->parts, "figures of partitions");
    for (unsigned i = 0; i < t->threads; i++)
        if (cell_sampler_open(&t->samplers[i], &t->out->sample, err)) return -1;
    return 0;
}

static int add_fold(struct skew_tasks *t, uint32_t bucket, const struct skew_fold *f, uint64_t weight, struct err *err) {
    const struct progress *p = &t->o->job->progress;
    pthread_mutex_lock(&t->lock);
    skew_part_add(&t->out->parts[bucket], &f->part);
    int rc = skew_sums_merge(&t->out->sums, &f->sums, err);
    t->done += weight;
    if (p->report) p->report(p->arg, "count", t->done, t->total);
    pthread_mutex_unlock(&t->lock);
    return rc;
}

int skew_tasks_fold(struct skew_tasks *t, uint32_t bucket, struct source *src, uint64_t weight, struct err *err) {
    struct skew_fold *f = calloc(1, sizeof *f);
    if (!f) return err_nomem(err, sizeof *f, "figures of a partition");
    f->sampler = &t->samplers[omp_get_thread_num()];
    f->family = bucket / t->out->partitions;
    f->partition = bucket % t->out->partitions;
    f->sums.heaviest.most = t->o->heaviest;
    key_cuts_limit(&f->sums.cuts, t->cuts);
    int rc = skew_fold_run(f, src, err);
    if (!rc) rc = add_fold(t, bucket, f, weight, err);
    skew_sums_free(&f->sums);
    free(f);
    return rc;
}

int skew_tasks_finish(struct skew_tasks *t, struct err *err) {
    for (unsigned i = 0; i < t->threads; i++)
        if (cell_sampler_flush(&t->samplers[i], err)) return -1;
    cell_sample_finish(&t->out->sample);
    key_cuts_sort(&t->out->sums.cuts);
    return 0;
}

void skew_tasks_close(struct skew_tasks *t) {
    for (unsigned i = 0; t->samplers && i < t->threads; i++) cell_sampler_close(&t->samplers[i]);
    free(t->samplers);
    t->samplers = NULL;
    pthread_mutex_destroy(&t->lock);
}

void skew_result_free(struct skew_result *r) {
    free(r->parts);
    skew_sums_free(&r->sums);
    cell_sample_free(&r->sample);
    *r = (struct skew_result){0};
}

struct skew_part skew_partition(const struct skew_result *r, uint32_t p) {
    struct skew_part sum = {0};
    for (uint32_t f = 0; f < r->families; f++) skew_part_add(&sum, &r->parts[(size_t)f * r->partitions + p]);
    return sum;
}
