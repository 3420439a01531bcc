/* Merges in levels: as long as there are more sources than descriptors or memory allow, as many as fit become one run on disk.
 *
 *     1 2 3 | 4 5 6 | 7 8    three at a time:    1 2 3 -> A,  4 5 6 -> B,  7 8 A -> C,  B C -> the result
 *
 * No more are merged than must be, so each cell is written once more as a rule. Runs keep the rank of every cell, and equal cells
 * are ordered by it: so sources may be merged in any order, and the result is that of one merge. */
#include "engine/merge_levels.h"

#include "base/buf.h"
#include "sort/run.h"
#include "sort/sorted.h"

#include <stdlib.h>
#include <string.h>

static const struct shape_set no_shapes = {0};

/* A source that is not open: one that was given, or a run. */
struct level_entry {
    size_t given;
    struct run_extent *run; /* NULL: it was given */
    uint64_t bytes;         /* that reading it takes */
};

struct leveled {
    struct source base;
    struct source *merged;
    struct run_file *file; /* of all runs; NULL: there are none */
    struct level_entry *entries;
    size_t n;
};

static uint64_t run_bytes(uint32_t frame) {
    return frame + PART_MAX_CELLS * sizeof(struct cell) + 1024;
}

static void drop_run(struct level_entry *e) {
    if (e->run) run_release(e->run);
    free(e->run);
    e->run = NULL;
}

static int leveled_next(struct source *base, struct row_part *part, struct err *err) {
    return source_next(((struct leveled *)base)->merged, part, err);
}

static void leveled_close(struct source *base) {
    struct leveled *l = (struct leveled *)base;
    source_close(l->merged);
    for (size_t i = 0; i < l->n; i++) drop_run(&l->entries[i]);
    run_file_free(l->file);
    free(l->entries);
    free(l);
}

static const struct source_ops leveled_ops = {leveled_next, leveled_close};

/* Returns how many of the first entries become one run: as many as fit, but no more than need be for the rest to fit. */
static size_t choose_group(const struct merge_levels *o, const struct leveled *l) {
    uint64_t rest = run_bytes(RUN_FRAME_BYTES), group = 0;
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) rest += l->entries[i].bytes;
    while (n < l->n && n < o->width && group + l->entries[n].bytes <= o->memory) {
        group += l->entries[n].bytes;
        rest -= l->entries[n++].bytes;
        if (n > 1 && l->n - n + 1 <= o->width && rest <= o->memory) break;
    }
    return n;
}

static bool fits(const struct merge_levels *o, const struct leveled *l) {
    uint64_t bytes = 0;
    if (!o->bytes) return true;
    for (size_t i = 0; i < l->n; i++) bytes += l->entries[i].bytes;
    return l->n <= o->width && bytes <= o->memory;
}

/* Opens the first n entries as one source. */
static struct source *open_group(const struct merge_levels *o, const struct leveled *l, size_t n, struct err *err) {
    struct source **in = calloc(n + 1, sizeof *in);
    if (!in) {
        err_nomem(err, n * sizeof *in, "a merge");
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        const struct level_entry *e = &l->entries[i];
        in[i] = e->run ? run_open(e->run, &no_shapes, o->family, err) : o->open(o->arg, e->given, err);
        if (in[i]) continue;
        while (i--) source_close(in[i]);
        free(in);
        return NULL;
    }
    struct source *merged = merge_open(in, n, o->tie, err);
    free(in);
    return stoppable_open(merged, NULL, o->job->stop, err);
}

static int merge_group(const struct merge_levels *o, struct leveled *l, size_t n, struct err *err) {
    struct level_entry made = {.run = calloc(1, sizeof *made.run)};
    if (!made.run) return err_nomem(err, sizeof *made.run, "a merge");
    if (!l->file) l->file = run_file_new(o->job->temp_dir, o->job->quota, err);
    struct source *src = l->file ? open_group(o, l, n, err) : NULL;
    int rc = src ? run_write(l->file, src, &no_shapes, 0, made.run, err) : -1;
    source_close(src);
    made.bytes = run_bytes(made.run->frame_max);
    for (size_t i = 0; !rc && i < n; i++) drop_run(&l->entries[i]);
    if (rc) {
        free(made.run);
        return -1;
    }
    memmove(l->entries, l->entries + n, (l->n - n) * sizeof *l->entries);
    l->n -= n;
    l->entries[l->n++] = made;
    return 0;
}

/* Makes the entries so few that they can be open at once. */
static int make_fewer(const struct merge_levels *o, struct leveled *l, struct err *err) {
    while (!fits(o, l)) {
        size_t n = choose_group(o, l);
        if (n < 2)
            return err_set(
                err, ERR_LIMIT, "two inputs need %llu KB to be read side by side, %llu KB are left; give more --memory",
                (unsigned long long)((l->entries[0].bytes + l->entries[1].bytes) >> 10), (unsigned long long)(o->memory >> 10));
        if (merge_group(o, l, n, err)) return -1;
    }
    return 0;
}

struct source *merge_levels_open(const struct merge_levels *o, struct err *err) {
    struct leveled *l = calloc(1, sizeof *l);
    if (!l || !(l->entries = calloc(o->n + 1, sizeof *l->entries))) {
        free(l);
        err_nomem(err, o->n * sizeof *l->entries, "a merge");
        return NULL;
    }
    l->base.ops = &leveled_ops;
    l->n = o->n;
    for (size_t i = 0; i < o->n; i++)
        l->entries[i] = (struct level_entry){.given = i, .bytes = o->bytes ? o->bytes(o->arg, i) : 0};
    if (!make_fewer(o, l, err) && (l->merged = open_group(o, l, l->n, err))) return &l->base;
    leveled_close(&l->base);
    return NULL;
}
