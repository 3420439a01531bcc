/* Reads what was spilled of a bucket: its runs as one sorted source, or, for rows between two points of them, as one of several
 * that are read side by side. Runs that are too many for the memory become fewer first. */
#include "engine/slice_points.h"
#include "engine/sorter_gather.h"
#include "engine/sorter_runs.h"
#include "engine/sorter_state.h"
#include "sort/gather_put.h"
#include "sort/run.h"

#include <omp.h>
#include <stdlib.h>

enum { UNDIVIDED_BYTES = 1 << 20 /* of a run without points that slices may read from its beginning, at least */ };

/* ---- merging runs ---- */

static size_t longest_frame(const struct run_list *l) {
    size_t frame = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->x[i].frame_max > frame) frame = l->x[i].frame_max;
    return frame;
}

static size_t reader_bytes(size_t frame) {
    return frame + PART_MAX_CELLS * sizeof(struct cell) + 1024;
}

/* Returns the memory kept for the blocks, raw and compressed, that long records become: several have one key now and then. */
static size_t kept_for_blocks(const struct sorter *s, size_t frame) {
    size_t half = s->o.plan.merge_bytes / 2;
    if (frame <= 2 * RUN_FRAME_BYTES) return 0;
    return 4 * frame > half ? 4 * frame : half;
}

static size_t merge_width(const struct sorter *s, const struct run_list *l) {
    size_t frame = longest_frame(l), kept = kept_for_blocks(s, frame);
    size_t share = s->o.plan.merge_bytes > kept ? s->o.plan.merge_bytes - kept : 0;
    size_t width = share / reader_bytes(frame);
    return width < 2 ? 2 : width > 512 ? 512 : width;
}

/* span: NULL, or only these rows. */
static struct source *open_runs(struct sorter *s, const struct run_extent *x, size_t n, const struct row_span *span,
                                struct bytes family, struct err *err) {
    struct source **in = calloc(n + 1, sizeof *in);
    if (!in) {
        err_nomem(err, n * sizeof *in, "a merge");
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        in[i] = span ? run_open_rows(&x[i], s->o.shapes, family, span, err) : run_open(&x[i], s->o.shapes, family, err);
        if (in[i]) continue;
        while (i--) source_close(in[i]);
        free(in);
        return NULL;
    }
    struct source *m = merge_open(in, n, s->o.tie, err);
    free(in);
    return stoppable_open(m, NULL, s->o.job->stop, err);
}

/* Too many runs for the memory: the oldest ones become one. */
static int merge_oldest_runs(struct sorter *s, struct run_list *l, size_t width, struct err *err) {
    while (l->n > width) {
        struct run_extent x;
        struct source *src = open_runs(s, l->x, width, NULL, (struct bytes){0}, err);
        struct run_file *f = src ? sorter_run_file(s, err) : NULL;
        int rc = f ? run_write(f, src, s->o.shapes, 0, &x, err) : -1;
        source_close(src);
        if (rc) return -1;
        for (size_t i = 0; i < width; i++) run_release(&l->x[i]);
        memmove(l->x, l->x + width, (l->n - width) * sizeof *l->x);
        l->n -= width;
        l->x[l->n++] = x;
#pragma omp atomic
        s->stats.merge_passes++;
    }
    return 0;
}

void sorter_at_once(struct sorter *s, uint32_t sources) {
    if (sources) s->o.plan.merge_bytes = s->o.plan.merge_bytes * s->o.plan.threads / sources;
}

struct source *sorter_open(struct sorter *s, uint32_t bucket, struct bytes family, struct err *err) {
    if (s->gather) return sorter_open_gathered(s, bucket, family, err);
    struct run_list *l = &s->runs[bucket];
    if (merge_oldest_runs(s, l, merge_width(s, l), err)) return NULL;
    return open_runs(s, l->x, l->n, NULL, family, err);
}

bool sorter_can_split(const struct sorter *s, uint32_t bucket, struct run_split *out) {
    const struct run_list *l = &s->runs[bucket];
    uint64_t undivided = s->point_bytes > UNDIVIDED_BYTES ? s->point_bytes : UNDIVIDED_BYTES;
    *out = (struct run_split){l->n, l->n * reader_bytes(longest_frame(l)), longest_frame(l), s->point_bytes};
    if (s->gather || !l->n || l->n > merge_width(s, l)) return false;
    for (size_t i = 0; i < l->n; i++)
        if (!l->x[i].points.n && l->x[i].bytes > undivided) return false;
    return true;
}

size_t sorter_points(const struct sorter *s, uint32_t bucket, struct slice_point *out) {
    const struct run_list *l = &s->runs[bucket];
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct run_points *p = &l->x[i].points;
        for (size_t k = 0; k < p->n; k++, n++)
            if (out) out[n] = (struct slice_point){run_point_row(p, k), p->list[k].at - (k ? p->list[k - 1].at : 0)};
    }
    return n;
}

struct source *sorter_open_rows(struct sorter *s, uint32_t bucket, const struct row_span *span, struct bytes family,
                                struct err *err) {
    const struct run_list *l = &s->runs[bucket];
    return open_runs(s, l->x, l->n, span, family, err);
}

static unsigned buckets_at_once(const struct sorter *s) {
    unsigned n = 0;
    for (uint32_t i = 0; i < s->buckets && n < s->o.plan.threads; i++) n += s->weight[i] > 0;
    return n ? n : 1;
}

size_t sorter_spare(const struct sorter *s, uint32_t bucket) {
    if (s->gather) return gather_left(s->gather) / buckets_at_once(s);
    const struct run_list *l = &s->runs[bucket];
    size_t width = merge_width(s, l), readers = (l->n < width ? l->n : width) * reader_bytes(longest_frame(l));
    size_t all = s->o.plan.merge_bytes * s->o.plan.threads, points = 2 * s->points_bytes; /* also listed for slices */
    size_t share = (all > points ? all - points : 0) / buckets_at_once(s);
    return readers < share ? share - readers : 0;
}

void sorter_release(struct sorter *s, uint32_t bucket) {
    struct run_list *l = &s->runs[bucket];
    for (size_t i = 0; i < l->n; i++) run_release(&l->x[i]);
}
