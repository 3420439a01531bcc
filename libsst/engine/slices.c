/* Writes a partition out of slices of its rows: while one set of slices is written, the next one is read, merged, judged and
 * serialised by tasks. So no thread has to wait for the one that puts blocks in order, and memory is bounded by two sets.
 *
 *     set A   [slice 0][slice 1][slice 2]   filled by tasks, then written in order
 *     set B   [slice 3][slice 4][slice 5]   filled meanwhile */
#include "base/outfile.h"
#include "engine/partition_writer.h"
#include "engine/slice_points.h"
#include "engine/slices.h"
#include "hfile/row_batch.h"

#include <stdlib.h>

struct slice_slot {
    const struct sliced_source *from;
    size_t i;
    struct slice slice;
    struct row_batch batch;
    bool open, ended;
    uint64_t written; /* cells of the slice */
    struct err err;
};

struct slot_set {
    struct slice_slot *slots;
    unsigned n; /* in use */
};

static int order_points(const void *pa, const void *pb) {
    const struct slice_point *a = pa, *b = pb;
    return bytes_cmp(a->row, b->row);
}

size_t slice_points_choose(struct slice_point *points, size_t n, uint64_t slice_bytes, uint64_t *row_bytes) {
    uint64_t bytes = 0, of_row = 0;
    size_t chosen = 0;
    if (n) qsort(points, n, sizeof *points, order_points);
    for (size_t i = 0; i < n; i++) {
        bytes += points[i].bytes;
        of_row = i && bytes_eq(points[i].row, points[i - 1].row) ? of_row + points[i].bytes : 0;
        if (row_bytes && of_row > *row_bytes) *row_bytes = of_row;
        if (bytes < slice_bytes || (chosen && bytes_eq(points[i].row, points[chosen - 1].row))) continue;
        points[chosen++] = points[i];
        bytes = 0;
    }
    return chosen;
}

void slice_points_narrow(const struct slice_point *points, size_t n, size_t i, struct row_span *span) {
    if (i > 0) span->start = points[i - 1].row;
    if (i < n) span->stop = points[i].row;
}

size_t slices_memory(unsigned at_once, size_t batch_bytes) {
    return 2 * at_once * row_batch_memory(batch_bytes + PART_MAX_BYTES) + OUTFILE_BACKGROUND_BYTES;
}

/* Reads on until the batch is full or the slice has ended. */
static int fill_batch(struct slice_slot *s, struct err *err) {
    struct row_part part;
    int64_t *moment = s->slice.next_drop_ms;
    int more = 1;
    row_batch_clear(&s->batch);
    while (s->batch.bytes.n < s->from->batch_bytes && (more = source_next(s->slice.src, &part, err)) == 1) {
        size_t first = s->batch.n_cells;
        if (row_batch_put(&s->batch, &part, err)) return -1;
        if (moment && *moment != INT64_MAX && row_batch_put_moment(&s->batch, first, *moment, err)) return -1;
        if (moment) *moment = INT64_MAX;
    }
    s->ended = !more;
    return more < 0 ? -1 : 0;
}

static void drop_slice(struct slice *s) {
    source_close(s->src);
    bucket_rules_free(&s->rules);
    free(s->own);
    *s = (struct slice){0};
}

static int open_slot(struct slice_slot *s, bool alone, struct err *err) {
    const struct sliced_source *from = s->from;
    struct slice *slice = &s->slice;
    *slice = (struct slice){.moment = INT64_MAX};
    if (from->rules) slice->next_drop_ms = &slice->rules.next_drop_ms;
    if (!from->rules || !bucket_rules_slice(&slice->rules, from->rules, err))
        slice->src = from->open_at(from->arg, s->i, alone, slice, err);
    s->open = slice->src != NULL;
    if (!s->open) drop_slice(slice);
    return s->open ? 0 : -1;
}

static void fill_slot(struct slice_slot *s) {
    row_batch_restart(&s->batch);
    s->written = 0;
    if (!open_slot(s, false, &s->err)) (void)fill_batch(s, &s->err);
}

static void start_set(const struct sliced_source *from, struct slot_set *set, size_t *next) {
    for (set->n = 0; set->n < from->at_once && *next < from->n; set->n++) {
        struct slice_slot *s = &set->slots[set->n];
        s->i = (*next)++;
#pragma omp task default(none) firstprivate(s)
        fill_slot(s);
    }
}

static void close_slot(struct slice_slot *s) {
    const struct sliced_source *from = s->from;
    if (!s->open) return;
    s->open = false;
    if (from->ended) from->ended(from->arg, &s->slice);
    if (from->rules) bucket_rules_join(from->rules, &s->slice.rules);
    drop_slice(&s->slice);
}

/* A slice with a row that its share of memory does not hold is read again, with all that slices do not hold once their tasks have
 * ended. The same source fills the same batches: those that are written already are passed over. */
static int write_alone(struct partition_writer *w, struct slice_slot *s, struct err *err) {
    uint64_t passed = 0;
    drop_slice(&s->slice);
    s->err = (struct err){0};
    if (open_slot(s, true, err)) return -1;
    row_batch_restart(&s->batch);
    do {
        if (fill_batch(s, err)) return -1;
        if (passed < s->written)
            passed += s->batch.n_cells;
        else if (partition_writer_put_batch(w, &s->batch, err))
            return -1;
        partition_writer_release_batches(w);
    } while (!s->ended);
    close_slot(s);
    return 0;
}

/* Writes the rows of a slice. 1: it must be written alone. */
static int write_slot(struct partition_writer *w, struct slice_slot *s, struct err *err) {
    while (!s->err.code) {
        if (partition_writer_put_batch(w, &s->batch, err)) return -1;
        s->written += s->batch.n_cells;
        if (s->ended) {
            close_slot(s);
            return 0;
        }
        partition_writer_release_batches(w);
        (void)fill_batch(s, &s->err);
    }
    if (s->open && s->err.code == ERR_LIMIT && s->from->retries) return 1;
    err_keep(err, &s->err);
    return -1;
}

static int write_slots(struct partition_writer *w, struct slot_set *set, unsigned *at, struct err *err) {
    int rc = 0;
    while (*at < set->n && !(rc = write_slot(w, &set->slots[*at], err))) ++*at;
    return rc;
}

/* Writes the slices of a set in a task of its own, which waits for blocks that are compressed, but not for the slices that are
 * filled. All have ended when this returns. */
static int write_beside(struct partition_writer *w, struct slot_set *set, unsigned *at, struct err *err) {
    int rc = 0;
#pragma omp task default(none) firstprivate(w, set, at, err) shared(rc)
    {
        rc = write_slots(w, set, at, err);
#pragma omp taskwait
    }
#pragma omp taskwait
    return rc;
}

static int write_set(struct partition_writer *w, struct slot_set *set, struct err *err) {
    unsigned at = 0;
    int rc;
    while ((rc = write_beside(w, set, &at, err)) == 1)
        if (write_alone(w, &set->slots[at++], err)) return -1;
    return rc;
}

static int write_sets(struct partition_writer *w, const struct sliced_source *from, struct slot_set set[2], struct err *err) {
    size_t next = 0;
    int rc = partition_writer_in_background(w, true, err);
    start_set(from, &set[0], &next);
    for (unsigned now = 0; !rc && set[now].n; now = !now) {
        partition_writer_release_batches(w);
        start_set(from, &set[!now], &next);
        rc = write_set(w, &set[now], err);
    }
    partition_writer_release_batches(w);
    struct err last = {0}; /* of a write before: it may be the one that err has */
    if (partition_writer_in_background(w, false, &last)) rc = -1;
    err_keep(err, &last);
    return rc;
}

/* Closes the slices of a set that are open after a failure. */
static void free_set(struct slot_set *set, unsigned n) {
    for (unsigned i = 0; set->slots && i < n; i++) {
        close_slot(&set->slots[i]);
        row_batch_free(&set->slots[i].batch);
    }
    free(set->slots);
}

int partition_writer_put_slices(struct partition_writer *w, const struct sliced_source *from, struct err *err) {
    struct slot_set set[2] = {0};
    int rc = 0;
    for (unsigned i = 0; i < 2; i++) {
        if (!(set[i].slots = calloc(from->at_once, sizeof *set[i].slots)))
            rc = err_nomem(err, from->at_once * sizeof *set[i].slots, "slices of a partition");
        for (unsigned k = 0; !rc && k < from->at_once; k++) {
            set[i].slots[k].from = from;
            partition_writer_batch(w, &set[i].slots[k].batch);
        }
    }
    if (!rc) rc = write_sets(w, from, set, err);
    for (unsigned i = 0; i < 2; i++) free_set(&set[i], from->at_once);
    return rc;
}
