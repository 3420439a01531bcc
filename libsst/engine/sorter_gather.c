/* Sorts row parts within a memory limit, a bucket at a time.
 *
 *     put: gathered by bucket --full: each bucket sorted, written as a run--> gathered … --finish--> runs
 *                    |                                                                                |
 *                    +---- all fits: sorted in memory --> source          source <-- merged ----------+
 *
 * Runs of one bucket are merged when it is opened (sorter_runs.c). Tasks run largest bucket first, so that the last one is
 * small. */
#include "engine/sorter_gather.h"
#include "engine/sorter_state.h"

#include "base/buf.h"
#include "base/err.h"
#include "sort/gather_put.h"
#include "sort/record.h"
#include "sort/run.h"

#include <omp.h>
#include <stdlib.h>

enum {
    POINT_BYTES = 120 * 1024, /* of a run, from one point to the next: two frames, which end a little before they are full */
    POINTS_OF_GATHER = 64     /* what all points may take, as a share of the memory for records: then there are fewer of them */
};

static struct gather_opts gather_opts_of(const struct sorter *s) {
    return (struct gather_opts){.buckets = s->o.buckets,
                                .known = s->o.known,
                                .threads = s->o.plan.threads,
                                .memory_bytes = s->o.plan.gather_bytes,
                                .shapes = s->o.shapes};
}

struct sorter *sorter_new(const struct sorter_opts *o, struct err *err) {
    struct sorter *s = calloc(1, sizeof *s);
    if (!s) {
        err_nomem(err, sizeof *s, "sorting");
        return NULL;
    }
    s->o = *o;
    s->point_bytes = POINT_BYTES;
    first_error_init(&s->first);
    struct gather_opts g = gather_opts_of(s);
    while (!(s->gather = gather_new(&g, err)) && g.threads > 1 && err->code == ERR_LIMIT) {
        *err = (struct err){0};
        s->o.plan.threads = --g.threads;
    }
    s->runs = calloc(o->buckets, sizeof *s->runs);
    s->weight = calloc(o->buckets, sizeof *s->weight);
    s->run_files = calloc(o->plan.threads, sizeof(struct run_file *));
    if (s->gather && s->runs && s->weight && s->run_files) return s;
    err_nomem(err, o->buckets * sizeof *s->runs, "sorting");
    sorter_free(s);
    return NULL;
}

void sorter_free(struct sorter *s) {
    if (!s) return;
    gather_free(s->gather);
    gather_free(s->later);
    for (uint32_t i = 0; s->runs && i < s->buckets; i++) {
        for (size_t k = 0; k < s->runs[i].n; k++) run_release(&s->runs[i].x[k]);
        free(s->runs[i].x);
    }
    for (unsigned i = 0; s->run_files && i < s->o.plan.threads; i++) run_file_free(s->run_files[i]);
    free(s->runs);
    free(s->run_files);
    free(s->weight);
    free(s);
}

unsigned sorter_threads(const struct sorter *s) {
    return s->o.plan.threads;
}

int sorter_put(struct sorter *s, unsigned thread, uint32_t bucket, const struct row_part *part, struct err *err) {
    return gather_put(s->gather, thread, bucket, part, err);
}

bool sorter_full(const struct sorter *s) {
    return gather_full(s->gather);
}

uint64_t sorter_bytes(const struct sorter *s, uint32_t bucket) {
    return s->weight[bucket];
}

uint64_t sorter_longest(const struct sorter *s) {
    return s->gather ? gather_longest(s->gather) : 0;
}

struct sorter_stats sorter_stats(const struct sorter *s) {
    struct sorter_stats st = s->stats;
    for (unsigned i = 0; i < s->o.plan.threads; i++)
        if (s->run_files[i]) st.spilled_bytes += run_file_bytes(s->run_files[i]);
    return st;
}

/* ---- tasks over buckets ---- */

typedef int bucket_fn(void *arg, uint32_t bucket, struct err *err);

static void run_task(struct sorter *s, bucket_fn *fn, void *arg, uint32_t bucket) {
    struct err mine = {0};
    if (first_error_failed(&s->first)) return;
    if (!stop_check(s->o.job->stop, &mine)) fn(arg, bucket, &mine);
    first_error_keep(&s->first, &mine);
}

static int heavier_first(const void *x, const void *y, void *weights) {
    const uint64_t *weight = weights;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return weight[a] != weight[b] ? (weight[a] > weight[b] ? -1 : 1) : (a > b) - (a < b);
}

static uint32_t *by_weight(const struct sorter *s, struct err *err) {
    uint32_t n = s->buckets, *order = malloc((n + 1) * sizeof *order);
    if (!order) {
        err_nomem(err, n * sizeof *order, "the order of tasks");
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    qsort_r(order, n, sizeof *order, heavier_first, s->weight);
    return order;
}

int sorter_each(struct sorter *s, bucket_fn *fn, void *arg, struct err *err) {
    uint32_t *order = by_weight(s, err);
    if (!order) return -1;
#pragma omp parallel num_threads(s->o.plan.threads)
#pragma omp single
    for (uint32_t i = 0; i < s->buckets; i++) {
        uint32_t bucket = order[i];
        if (!s->weight[bucket]) continue;
#pragma omp task firstprivate(bucket)
        run_task(s, fn, arg, bucket);
    }
    free(order);
    err_keep(err, &s->first.err);
    return s->first.err.code ? -1 : 0;
}

/* ---- sorted memory as a source ---- */

int sorter_records(struct sorter *s, uint32_t bucket, struct sorted_records *out, struct err *err) {
    uint64_t n = gather_records(s->gather, bucket);
    *out = (struct sorted_records){malloc(2 * n * sizeof *out->entries + 1), n, s->weight[bucket]};
    if (!out->entries) return err_nomem(err, 2 * n * sizeof *out->entries, "sorting");
    gather_sorted(s->gather, bucket, s->o.tie, out->entries);
    return 0;
}

/* Takes ownership of entries, of which the first n are handed out. */
static struct source *open_sorted(struct sorter *s, struct sort_entry *entries, uint64_t n, struct bytes family,
                                  struct err *err) {
    struct source *src = segment_open(entries, n, s->o.shapes, family, s->o.tie, err);
    return stoppable_open(src, entries, s->o.job->stop, err);
}

struct source *sorter_open_gathered(struct sorter *s, uint32_t bucket, struct bytes family, struct err *err) {
    struct sorted_records r;
    return sorter_records(s, bucket, &r, err) ? NULL : open_sorted(s, r.entries, r.n, family, err);
}

/* ---- spilling ---- */

static int add_run(struct run_list *l, const struct run_extent *x, struct err *err) {
    if (grow_array(&l->x, l->n, sizeof *l->x, "the list of runs", err)) return -1;
    l->x[l->n++] = *x;
    return 0;
}

struct run_file *sorter_run_file(struct sorter *s, struct err *err) {
    struct run_file **f = &s->run_files[omp_get_thread_num()];
    if (!*f) *f = run_file_new(s->o.job->temp_dir, s->o.job->quota, err);
    return *f;
}

/* Returns after how many bytes a point is noted: only a bucket that is large beside the others will be cut. */
static uint64_t points_every(const struct sorter *s, uint32_t bucket) {
    bool large = s->o.plan.threads > 1 && s->weight[bucket] >= s->weight_all / (4 * s->o.plan.threads);
    return large ? s->point_bytes : 0;
}

static int spill_bucket(void *arg, uint32_t bucket, struct err *err) {
    struct sorter *s = arg;
    struct run_extent x;
    if (!gather_records(s->gather, bucket)) return 0;
    struct source *src = sorter_open_gathered(s, bucket, (struct bytes){0}, err);
    struct run_file *f = src ? sorter_run_file(s, err) : NULL;
    int rc = f ? run_write(f, src, s->o.shapes, points_every(s, bucket), &x, err) : -1;
    source_close(src);
    if (rc) return rc;
    if (!add_run(&s->runs[bucket], &x, err)) return 0;
    run_release(&x);
    return -1;
}

/* Adds what was gathered to the weights. Returns all bytes of it. */
static uint64_t count_bytes(struct sorter *s) {
    uint64_t all = 0, bytes;
    if (gather_buckets(s->gather) > s->buckets) s->buckets = gather_buckets(s->gather);
    for (uint32_t i = 0; i < s->buckets; i++, all += bytes) s->weight[i] += bytes = gather_bytes(s->gather, i);
    s->weight_all += all;
    return all;
}

static uint64_t memory_of_points(const struct sorter *s) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < s->buckets; i++)
        for (size_t k = 0; k < s->runs[i].n; k++) bytes += run_points_memory(&s->runs[i].x[k].points);
    return bytes;
}

/* Points that take too much memory are twice as far apart from now on, in all runs. */
static void limit_points(struct sorter *s) {
    uint64_t most = s->o.plan.gather_bytes / POINTS_OF_GATHER;
    while ((s->points_bytes = memory_of_points(s)) > most) {
        for (uint32_t i = 0; i < s->buckets; i++)
            for (size_t k = 0; k < s->runs[i].n; k++) run_points_thin(&s->runs[i].x[k].points);
        s->point_bytes *= 2;
    }
}

int sorter_spill(struct sorter *s, struct err *err) {
    disk_quota_expect_temp(s->o.job->quota, count_bytes(s));
    s->stats.rounds++;
    s->stats.gathered_bytes += gather_taken(s->gather);
    if (sorter_each(s, spill_bucket, s, err)) return -1;
    limit_points(s);
    gather_reset(s->gather);
    gather_limit(s->gather, s->o.plan.gather_bytes - s->points_bytes);
    return 0;
}

int sorter_finish(struct sorter *s, struct err *err) {
    if (s->finished) return 0;
    s->finished = true;
    if (!s->stats.rounds) {
        count_bytes(s);
        return 0;
    }
    if (!gather_empty(s->gather) && sorter_spill(s, err)) return -1;
    gather_free(s->gather);
    s->gather = NULL;
    return 0;
}

/* ---- flushing what is complete ---- */

int sorter_flush_begin(struct sorter *s, size_t memory_bytes, struct err *err) {
    struct gather_opts g = gather_opts_of(s);
    if (!(s->later = gather_new(&g, err))) return -1;
    gather_limit(s->gather, memory_bytes / 2);
    gather_limit(s->later, memory_bytes / 2);
    return 0;
}

void sorter_flush_end(struct sorter *s) {
    gather_free(s->later);
    s->later = NULL;
    gather_limit(s->gather, s->o.plan.gather_bytes);
}

struct flush {
    struct sorter *s;
    const struct bytes *below; /* NULL: everything */
    const struct sorter_sink *sink;
    uint64_t left; /* bytes of records */
};

static size_t count_below(const struct sort_entry *e, size_t n, struct bytes row) {
    size_t lo = 0;
    while (lo < n) {
        size_t mid = lo + (n - lo) / 2;
        if (bytes_cmp(record_row(e[mid].record), row) < 0)
            lo = mid + 1;
        else
            n = mid;
    }
    return lo;
}

/* Keeps only the first `cut` records in r. Those that stay are copied before another task may run on this thread. */
static int keep_rest(struct flush *f, uint32_t bucket, struct sorted_records *r, size_t cut, struct err *err) {
    uint64_t bytes = 0;
    for (size_t i = cut; i < r->n; i++) {
        if (gather_copy(f->s->later, (unsigned)omp_get_thread_num(), bucket, r->entries[i].record, err)) return -1;
        bytes += record_size(r->entries[i].record);
    }
    r->n = cut;
    r->bytes -= bytes;
#pragma omp atomic
    f->left += bytes;
    return 0;
}

static int flush_bucket(void *arg, uint32_t bucket, struct err *err) {
    struct flush *f = arg;
    const struct sorter_sink *sink = f->sink;
    struct sorted_records r;
    if (sorter_records(f->s, bucket, &r, err)) return -1;
    int rc = keep_rest(f, bucket, &r, f->below ? count_below(r.entries, r.n, *f->below) : r.n, err);
    int taken = !rc && r.n && sink->divide ? sink->divide(sink->arg, bucket, &r, err) : 0;
    if (rc || !r.n || taken) {
        free(r.entries);
        return rc || taken < 0 ? -1 : 0;
    }
    struct source *src = open_sorted(f->s, r.entries, r.n, sink->family(sink->arg, bucket), err);
    return src ? sink->take(sink->arg, bucket, src, err) : -1;
}

int sorter_flush(struct sorter *s, const struct bytes *below, const struct sorter_sink *sink, struct sorter_flushed *out,
                 struct err *err) {
    struct flush f = {s, below, sink, 0};
    *out = (struct sorter_flushed){.bytes = count_bytes(s), .longest = gather_longest(s->gather)};
    if (sorter_each(s, flush_bucket, &f, err)) return -1;
    gather_reset(s->gather);
    struct gather *t = s->gather;
    s->gather = s->later;
    s->later = t;
    memset(s->weight, 0, s->buckets * sizeof *s->weight);
    s->weight_all = 0;
    out->left = f.left;
    return 0;
}
