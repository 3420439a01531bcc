/* Cuts a bucket into slices of whole rows, which threads turn into cells side by side: one whose records lie sorted in memory
 * between any two rows, one that was spilled at points of its runs, which each slice reads and merges for itself. Only a bucket
 * that is large beside the others is cut: else they keep all threads busy. */
#include "engine/file_rules.h"
#include "engine/slice_points.h"
#include "engine/sorted_inputs.h"

#include "rules/compact.h"
#include "sort/sorted.h"

#include <stdlib.h>

enum {
    SLICE_BYTES = 1 << 20, /* of records, … */
    CELLS_OF_RECORDS = 4,  /* … which become two to three times as many bytes of cells */
    POINTS_OF_RUN = 2,     /* from which to which a slice has each run, of which half is read in vain; one at least */
    SLICES_LEAST = 4,
    LONG_RECORD_BYTES = 256 << 10, /* a batch of rows has no share for such cells */
    MEMORY_OF_BLOCK = 4            /* of a block of cells with one key, for each of its bytes */
};

/* ---- whether to cut ---- */

static uint64_t memory_of(unsigned at_once, uint64_t slice_bytes, size_t source_bytes) {
    return slices_memory(at_once, CELLS_OF_RECORDS * slice_bytes) + 2 * at_once * source_bytes;
}

void sorted_slices_fit(const struct sorted_inputs *s, uint64_t all_bytes, size_t memory, struct sorted_slices_opts *o) {
    uint64_t bytes = sorter_bytes(s->sorter, o->bucket);
    unsigned threads = s->plan.threads, n = 2 * threads;
    struct run_split runs = {.longest = sorter_longest(s->sorter)};
    o->at_once = 0;
    if (threads < 2 || bytes < SLICES_LEAST * SLICE_BYTES || bytes < all_bytes / (4 * threads)) return;
    if (!runs.longest && !sorter_can_split(s->sorter, o->bucket, &runs)) return;
    if (runs.longest > LONG_RECORD_BYTES) return;
    o->slice_bytes = POINTS_OF_RUN * runs.n * runs.apart;
    if (o->slice_bytes < SLICE_BYTES) o->slice_bytes = SLICE_BYTES;
    if (memory_of(n, o->slice_bytes, runs.source_bytes) > memory && o->slice_bytes / 2 >= SLICE_BYTES) o->slice_bytes /= 2;
    while (n > 1 && memory_of(n, o->slice_bytes, runs.source_bytes) > memory) n--;
    o->at_once = n > 1 ? n : 0;
    o->row_bytes = memory / CELLS_OF_RECORDS / MEMORY_OF_BLOCK;
}

/* ---- a slice ---- */

struct bucket_cut {
    const struct sorted_inputs *s;
    const struct sorted_slices_opts *o;
    /* In memory: slice i has the entries [i * each, (i + 1) * each), but a row that begins in one slice is all in that one. */
    struct sort_entry *entries;
    uint64_t n, each;
    /* Spilled. */
    struct slice_point *points;
    size_t n_points;
};

/* src may be NULL: it could not be opened. */
static int begin_slice(const struct bucket_cut *c, struct source *src, struct slice *out, struct err *err) {
    const struct past_rules *past = c->o->past;
    int64_t *moment = src && past ? malloc(sizeof *moment) : NULL;
    if (src && past && !moment) {
        source_close(src);
        return err_nomem(err, sizeof *moment, "a slice of a partition");
    }
    if (moment) *moment = INT64_MAX;
    if (moment) src = next_expiry_open(src, &past->rules, past->now_ms, moment, err);
    *out = (struct slice){.src = src, .next_drop_ms = moment, .own = moment};
    if (!src) free(moment);
    return src ? 0 : -1;
}

static int close_slice(void *arg, struct slice *slice, struct err *err) {
    (void)arg;
    (void)err;
    source_close(slice->src);
    free(slice->own);
    return 0;
}

static int put_slices(struct bucket_cut *c, size_t n, int (*open)(void *arg, size_t i, struct slice *out, struct err *err),
                      struct partition_writer *w, struct err *err) {
    const struct slices slices = {.n = n,
                                  .at_once = c->o->at_once,
                                  .batch_bytes = CELLS_OF_RECORDS * c->o->slice_bytes,
                                  .open = open,
                                  .close = close_slice,
                                  .arg = c};
    return partition_writer_put_slices(w, &slices, err);
}

/* ---- in memory ---- */

/* The first entry from `at` on that begins a row. One row may have most of the entries, so its end is searched in steps that
 * double, and then between the last two. */
static uint64_t row_from(const struct bucket_cut *c, uint64_t at) {
    if (!at || at >= c->n) return at < c->n ? at : c->n;
    const struct bytes row = record_row(c->entries[at - 1].record);
    uint64_t same = at - 1, other = at;
    for (uint64_t step = 1; other < c->n && bytes_eq(record_row(c->entries[other].record), row); step *= 2) {
        same = other;
        other = step < c->n - other ? other + step : c->n;
    }
    while (other - same > 1) {
        uint64_t mid = same + (other - same) / 2;
        if (bytes_eq(record_row(c->entries[mid].record), row))
            same = mid;
        else
            other = mid;
    }
    return other;
}

static int open_entries(void *arg, size_t i, struct slice *out, struct err *err) {
    const struct bucket_cut *c = arg;
    uint64_t from = row_from(c, i * c->each), to = row_from(c, (i + 1) * c->each);
    struct source *src = segment_open(c->entries + from, to - from, &c->s->shapes, c->o->family, c->s->tie, err);
    return begin_slice(c, stoppable_open(src, NULL, c->s->job->stop, err), out, err);
}

/* Of the row that has most entries, if they fill a slice; about. */
static uint64_t longest_row(const struct bucket_cut *c) {
    uint64_t most = 0;
    for (uint64_t at = 0; at < c->n; at += c->each) {
        uint64_t n = row_from(c, at + 1) - at;
        if (n > most) most = n;
    }
    return most < c->each ? 0 : most + c->each;
}

static int write_entries(struct bucket_cut *c, struct partition_writer *w, struct err *err) {
    uint64_t bytes = sorter_bytes(c->s->sorter, c->o->bucket);
    if (!(c->entries = sorter_entries(c->s->sorter, c->o->bucket, &c->n, err))) return -1;
    c->each = c->n / (bytes / c->o->slice_bytes) + 1;
    bool fits = bytes / c->n * longest_row(c) <= c->o->row_bytes;
    int rc = fits ? put_slices(c, (size_t)((c->n + c->each - 1) / c->each), open_entries, w, err) : 0;
    free(c->entries);
    return rc ? -1 : fits;
}

/* ---- spilled ---- */

static int open_rows(void *arg, size_t i, struct slice *out, struct err *err) {
    const struct bucket_cut *c = arg;
    struct row_span span = {0};
    slice_points_narrow(c->points, c->n_points, i, &span);
    return begin_slice(c, sorter_open_rows(c->s->sorter, c->o->bucket, &span, c->o->family, err), out, err);
}

static int write_runs(struct bucket_cut *c, struct partition_writer *w, struct err *err) {
    size_t n = sorter_points(c->s->sorter, c->o->bucket, NULL);
    if (!(c->points = malloc((n + 1) * sizeof *c->points)))
        return err_nomem(err, n * sizeof *c->points, "places to cut a partition at");
    sorter_points(c->s->sorter, c->o->bucket, c->points);
    uint64_t row_bytes = 0;
    c->n_points = slice_points_choose(c->points, n, c->o->slice_bytes, &row_bytes);
    bool fits = row_bytes <= c->o->row_bytes;
    int rc = fits ? put_slices(c, c->n_points + 1, open_rows, w, err) : 0;
    free(c->points);
    if (fits) sorter_release(c->s->sorter, c->o->bucket);
    return rc ? -1 : fits;
}

int sorted_slices_write(const struct sorted_inputs *s, const struct sorted_slices_opts *o, struct partition_writer *w,
                        struct err *err) {
    struct bucket_cut c = {.s = s, .o = o};
    return sorter_longest(s->sorter) ? write_entries(&c, w, err) : write_runs(&c, w, err);
}
