/* Cuts a bucket into slices of whole rows, which threads turn into cells side by side: one whose records lie sorted in memory
 * between any two rows, one that was spilled at points of its runs, which each slice reads and merges for itself. Only a bucket
 * that is large beside the others is cut: else they keep all threads busy. */
#include "engine/bucket_rules.h"
#include "engine/file_rules.h"
#include "engine/partition_writer.h"
#include "engine/slice_points.h"
#include "engine/slices.h"
#include "engine/sorted_inputs.h"

#include "engine/sorted_slices.h"
#include "engine/sorter_gather.h"
#include "engine/sorter_runs.h"
#include "rules/compact.h"
#include "sort/sorted.h"

#include <stdlib.h>

enum {
    /* Bytes of records, which become two to three times as many bytes of cells: those of all slices at hand stay in a processor's
     * cache until they are compressed. */
    SLICE_BYTES = 256 << 10,
    CELLS_OF_RECORDS = 4,
    POINTS_OF_RUN = 2, /* from which to which a slice has each run, of which half is read and discarded; one at least */
    SLICES_LEAST = 16,
    RULES_BYTES = 8 << 20,         /* that the rules of a slice may hold of a row */
    LONG_RECORD_BYTES = 256 << 10, /* a batch of rows has no share for such cells */
    MEMORY_OF_BLOCK = 4            /* of a block of cells with one key, for each of its bytes */
};

/* ---- whether to cut ---- */

static uint64_t memory_of(const struct sorted_slices_opts *o, unsigned at_once, size_t source_bytes) {
    size_t of_slice = source_bytes + (o->env ? RULES_BYTES : 0);
    return slices_memory(at_once, CELLS_OF_RECORDS * o->slice_bytes) + 2 * at_once * of_slice;
}

void sorted_slices_fit(const struct sorted_inputs *s, uint64_t all_bytes, size_t memory, struct sorted_slices_opts *o) {
    uint64_t bytes = o->records ? o->records->bytes : sorter_bytes(s->sorter, o->bucket);
    unsigned threads = s->plan.threads, n = 2 * threads;
    struct run_split runs = {.longest = sorter_longest(s->sorter)};
    o->at_once = 0;
    if (threads < 2 || bytes < SLICES_LEAST * SLICE_BYTES || bytes < all_bytes / (4 * threads)) return;
    if (!runs.longest && !sorter_can_split(s->sorter, o->bucket, &runs)) return;
    if (runs.longest > LONG_RECORD_BYTES) return;
    o->slice_bytes = POINTS_OF_RUN * runs.n * runs.apart;
    if (o->slice_bytes < SLICE_BYTES) o->slice_bytes = SLICE_BYTES;
    if (memory_of(o, n, runs.source_bytes) > memory && o->slice_bytes / 2 >= SLICE_BYTES) o->slice_bytes /= 2;
    while (n > 1 && memory_of(o, n, runs.source_bytes) > memory) n--;
    o->at_once = n > 1 ? n : 0;
    o->row_bytes = memory / CELLS_OF_RECORDS / MEMORY_OF_BLOCK;
}

/* ---- a slice ---- */

struct bucket_cut {
    const struct sorted_inputs *s;
    const struct sorted_slices_opts *o;
    /* Records in memory: slice i has the entries [i * each, (i + 1) * each), but a row that begins in one slice is all in that
     * one. */
    struct sorted_records in;
    uint64_t each;
    /* Spilled. */
    struct slice_point *points;
    size_t n_points;
};

/* Returns a source that applies the rules to the cells of src, or their moments. Takes ownership of src; NULL: it could not be
 * opened. */
static struct source *open_rules(const struct bucket_cut *c, struct slice *s, bool alone, struct source *src, struct err *err) {
    const struct past_rules *past = c->o->past;
    if (!src || (!past && !c->o->env)) return src;
    if (past) {
        s->next_drop_ms = &s->moment;
        return next_expiry_open(src, &past->rules, past->now_ms, &s->moment, err);
    }
    struct bucket_rules_env env = *c->o->env;
    if (!alone) env.row_bytes = RULES_BYTES;
    return bucket_rules_open(&s->rules, &env, src, err);
}

typedef struct source *open_at_fn(void *arg, size_t i, bool alone, struct slice *s, struct err *err);

static int put_slices(struct bucket_cut *c, size_t n, open_at_fn *open_at, struct partition_writer *w, struct err *err) {
    const struct sliced_source from = {.n = n,
                                       .at_once = c->o->at_once,
                                       .batch_bytes = CELLS_OF_RECORDS * c->o->slice_bytes,
                                       .rules = c->o->env ? c->o->rules : NULL,
                                       .retries = c->o->env != NULL,
                                       .open_at = open_at,
                                       .arg = c};
    return partition_writer_put_slices(w, &from, err);
}

/* ---- in memory ---- */

/* The first entry from `at` on that begins a row. One row may have most of the entries, so its end is searched in steps that
 * double, and then between the last two. */
static uint64_t row_from(const struct bucket_cut *c, uint64_t at) {
    if (!at || at >= c->in.n) return at < c->in.n ? at : c->in.n;
    const struct bytes row = record_row(c->in.entries[at - 1].record);
    uint64_t same = at - 1, other = at;
    for (uint64_t step = 1; other < c->in.n && bytes_eq(record_row(c->in.entries[other].record), row); step *= 2) {
        same = other;
        other = step < c->in.n - other ? other + step : c->in.n;
    }
    while (other - same > 1) {
        uint64_t mid = same + (other - same) / 2;
        if (bytes_eq(record_row(c->in.entries[mid].record), row))
            same = mid;
        else
            other = mid;
    }
    return other;
}

/* Alone, windows have been overwritten: then only rows say which entries are equal. */
static struct source *open_entries(void *arg, size_t i, bool alone, struct slice *s, struct err *err) {
    const struct bucket_cut *c = arg;
    uint64_t from = row_from(c, i * c->each), to = row_from(c, (i + 1) * c->each);
    for (uint64_t k = from; alone && k < to; k++) c->in.entries[k].window = 0;
    struct source *src = segment_open(c->in.entries + from, to - from, &c->s->shapes, c->o->family, c->s->tie, err);
    return open_rules(c, s, alone, stoppable_open(src, NULL, c->s->job->stop, err), err);
}

/* Returns about how many entries the longest row has, if they fill a slice; else 0. */
static uint64_t longest_row(const struct bucket_cut *c) {
    uint64_t most = 0;
    for (uint64_t at = 0; at < c->in.n; at += c->each) {
        uint64_t n = row_from(c, at + 1) - at;
        if (n > most) most = n;
    }
    return most < c->each ? 0 : most + c->each;
}

static int write_records(struct bucket_cut *c, struct partition_writer *w, struct err *err) {
    c->each = c->in.n / (c->in.bytes / c->o->slice_bytes) + 1;
    if (c->in.bytes / c->in.n * longest_row(c) > c->o->row_bytes) return 0;
    size_t n = (size_t)((c->in.n + c->each - 1) / c->each);
    return put_slices(c, n, open_entries, w, err) ? -1 : 1;
}

static int write_bucket(struct bucket_cut *c, struct partition_writer *w, struct err *err) {
    int rc = sorter_records(c->s->sorter, c->o->bucket, &c->in, err) ? -1 : write_records(c, w, err);
    free(c->in.entries);
    return rc;
}

/* ---- spilled ---- */

static struct source *open_rows(void *arg, size_t i, bool alone, struct slice *s, struct err *err) {
    const struct bucket_cut *c = arg;
    struct row_span span = {0};
    slice_points_narrow(c->points, c->n_points, i, &span);
    return open_rules(c, s, alone, sorter_open_rows(c->s->sorter, c->o->bucket, &span, c->o->family, err), err);
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
    if (!o->records) return sorter_longest(s->sorter) ? write_bucket(&c, w, err) : write_runs(&c, w, err);
    c.in = *o->records;
    return write_records(&c, w, err);
}
