/* Rows, cells and bytes of partitions counted: many threads read the sorted streams of a partition's families side by side, so
 * that a row of several families counts once, and merge their sums under a lock. Rows and columns are counted where the next
 * one begins, so nothing is kept of them but the last key. */
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
    const struct key_weight w = {f->row_bytes, f->row_cells, !f->other_has_row};
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

/* All parts of the row that the lane stands at. first: no other lane has taken this row. */
static int take_row(struct skew_lane *l, bool first, struct err *err) {
    struct skew_fold *f = &l->fold;
    if (end_row(f, err) || buf_copy(&f->row, l->part.row, err)) return -1;
    f->other_has_row = !first;
    buf_clear(&f->qualifier);
    do {
        if (add_part(f, &l->part, err) || cell_sampler_put(f->sampler, &l->part, err)) return -1;
        l->more = source_next(l->src, &l->part, err);
    } while (l->more == 1 && bytes_eq(l->part.row, buf_bytes(&f->row)));
    return l->more < 0 ? -1 : 0;
}

/* The lane with the least row; NULL: none has any more. */
static struct skew_lane *least_lane(struct skew_lane *lanes, uint32_t n) {
    struct skew_lane *least = NULL;
    for (uint32_t i = 0; i < n; i++)
        if (lanes[i].more == 1 && (!least || bytes_cmp(lanes[i].part.row, least->part.row) < 0)) least = &lanes[i];
    return least;
}

/* The first lane's row stays in its fold, where the others are compared with it. */
static int take_row_of_all(struct skew_lane *lanes, uint32_t n, struct skew_lane *least, struct err *err) {
    if (take_row(least, true, err)) return -1;
    const struct bytes row = buf_bytes(&least->fold.row);
    for (struct skew_lane *l = lanes; l < lanes + n; l++)
        if (l != least && l->more == 1 && bytes_eq(l->part.row, row) && take_row(l, false, err)) return -1;
    return 0;
}

int skew_lanes_run(struct skew_lane *lanes, uint32_t n, uint64_t *rows, struct err *err) {
    int rc = 0;
    *rows = 0;
    for (uint32_t i = 0; i < n && !rc; i++) rc = (lanes[i].more = source_next(lanes[i].src, &lanes[i].part, err)) < 0 ? -1 : 0;
    for (struct skew_lane *least; !rc && (least = least_lane(lanes, n)); ++*rows) rc = take_row_of_all(lanes, n, least, err);
    for (uint32_t i = 0; i < n; i++) {
        struct skew_fold *f = &lanes[i].fold;
        if (!rc) rc = end_row(f, err);
        key_cuts_finish(&f->sums.cuts);
        buf_free(&f->row);
        buf_free(&f->qualifier);
    }
    return rc;
}

/* Cuts of all partitions together, and of one: with 97 partitions a prefix is known to within a tenth of a percent. */
enum { CUTS_MOST = 1 << 17, CUTS_LEAST = 16, CUTS_OF_ONE = 1024 };

static uint32_t cuts_of(uint32_t buckets) {
    uint32_t n = CUTS_MOST / (buckets ? buckets : 1);
    return n < CUTS_LEAST ? CUTS_LEAST : n > CUTS_OF_ONE ? CUTS_OF_ONE : n;
}

size_t skew_tasks_memory(unsigned threads, uint32_t families, uint32_t partitions, uint32_t heaviest) {
    const size_t buckets = (size_t)families * partitions, tasks = partitions < threads ? partitions : threads;
    const size_t cuts = cuts_of((uint32_t)buckets), all = cuts * buckets * sizeof(struct key_cut);
    const size_t rows = heaviest * sizeof(struct top_row);
    const size_t lane = sizeof(struct skew_lane) + 2 * cuts * sizeof(struct key_cut) + rows;
    return cell_sample_memory(threads) + all + all / 4 + buckets * sizeof(struct skew_part) + tasks * families * lane + rows;
}

int skew_tasks_open(struct skew_tasks *t, uint32_t families, uint32_t partitions, struct err *err) {
    uint32_t buckets = families * partitions;
    pthread_mutex_init(&t->lock, NULL);
    t->cuts = cuts_of(buckets);
    t->out->families = families;
    t->out->partitions = partitions;
    t->out->sums.heaviest.most = t->o->heaviest;
    t->out->parts = calloc((size_t)buckets + 1, sizeof *t->out->parts);
    t->out->rows = calloc((size_t)partitions + 1, sizeof *t->out->rows);
    t->samplers = calloc(t->threads, sizeof *t->samplers);
    if (!t->out->parts || !t->out->rows || !t->samplers)
        return err_nomem(err, buckets * sizeof *t->out->parts, "figures of partitions");
    for (unsigned i = 0; i < t->threads; i++)
        if (cell_sampler_open(&t->samplers[i], &t->out->sample, err)) return -1;
    return 0;
}

static int add_lanes(struct skew_tasks *t, const struct skew_lane *lanes, uint32_t n, uint64_t rows, uint64_t weight,
                     struct err *err) {
    const struct progress *p = &t->o->job->progress;
    int rc = 0;
    pthread_mutex_lock(&t->lock);
    for (uint32_t i = 0; i < n && !rc; i++) {
        const struct skew_fold *f = &lanes[i].fold;
        skew_part_add(&t->out->parts[(size_t)f->family * t->out->partitions + f->partition], &f->part);
        rc = skew_sums_merge(&t->out->sums, &f->sums, err);
    }
    if (n) t->out->rows[lanes[0].fold.partition] += rows;
    t->done += weight;
    if (p->report) p->report(p->arg, "count", t->done, t->total);
    pthread_mutex_unlock(&t->lock);
    return rc;
}

int skew_tasks_fold(struct skew_tasks *t, uint32_t partition, const struct skew_stream *families, uint32_t n, uint64_t weight,
                    struct err *err) {
    struct skew_lane *lanes = calloc(n + 1, sizeof *lanes);
    uint64_t rows;
    if (!lanes) return err_nomem(err, n * sizeof *lanes, "figures of a partition");
    for (uint32_t i = 0; i < n; i++) {
        struct skew_fold *f = &lanes[i].fold;
        lanes[i].src = families[i].src;
        f->sampler = &t->samplers[omp_get_thread_num()];
        f->family = families[i].family;
        f->partition = partition;
        f->sums.heaviest.most = t->o->heaviest;
        key_cuts_limit(&f->sums.cuts, t->cuts);
    }
    int rc = skew_lanes_run(lanes, n, &rows, err);
    if (!rc) rc = add_lanes(t, lanes, n, rows, weight, err);
    for (uint32_t i = 0; i < n; i++) skew_sums_free(&lanes[i].fold.sums);
    free(lanes);
    return rc;
}

static void run_task(struct skew_tasks *t, int (*fn)(void *arg, size_t i, struct err *err), void *arg, size_t i,
                     struct first_error *first) {
    struct err mine = {0};
    if (first_error_failed(first)) return;
    if (!stop_check(t->o->job->stop, &mine)) (void)fn(arg, i, &mine);
    first_error_keep(first, &mine);
}

int skew_tasks_each(struct skew_tasks *t, size_t n, int (*fn)(void *arg, size_t i, struct err *err), void *arg, struct err *err) {
    struct first_error first;
    first_error_init(&first);
#pragma omp parallel num_threads(t->threads)
#pragma omp single
    for (size_t i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
        run_task(t, fn, arg, i, &first);
    }
    return first_error_end(&first, err);
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
    free(r->rows);
    skew_sums_free(&r->sums);
    cell_sample_free(&r->sample);
    *r = (struct skew_result){0};
}

struct skew_part skew_partition(const struct skew_result *r, uint32_t p) {
    struct skew_part sum = {0};
    for (uint32_t f = 0; f < r->families; f++) skew_part_add(&sum, &r->parts[(size_t)f * r->partitions + p]);
    sum.rows = r->rows[p];
    return sum;
}
