/* Random histories of a table: puts, splits, merges, compactions, parents cleaned up or not yet, splits and merges cut off
 * anywhere. Whatever directories are left, every cell must be read once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/hbase/tree.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 40, REGIONS_MAX = 200, FILES_MAX = 12, CELLS_MAX = 400, HISTORIES = 3000 };

struct file {
    unsigned name;
    int parent;           /* a reference to the file of that name in this region; -1: none */
    bool cell[CELLS_MAX]; /* put number i is in it; its row is world.row[i] */
};

struct region {
    unsigned start, end; /* rows */
    uint64_t id;
    bool on_disk, live, has_info; /* .regioninfo */
    struct file *files[FILES_MAX];
    size_t n;
};

struct world {
    uint64_t seed, now;
    unsigned row[CELLS_MAX], puts, names;
    struct region r[REGIONS_MAX];
    unsigned n;
};

static unsigned below(struct world *w, unsigned n) {
    w->seed ^= w->seed << 13;
    w->seed ^= w->seed >> 7;
    w->seed ^= w->seed << 17;
    return (unsigned)((w->seed >> 11) % n);
}

static struct file *add_file(struct world *w, struct region *r, unsigned name, int parent) {
    struct file *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_true(r->n < FILES_MAX);
    f->name = name ? name : ++w->names;
    f->parent = parent;
    return r->files[r->n++] = f;
}

static struct region *add_region(struct world *w, unsigned start, unsigned end, uint64_t id) {
    assert_true(w->n < REGIONS_MAX);
    w->r[w->n] = (struct region){.start = start, .end = end, .id = id, .on_disk = true, .live = true, .has_info = true};
    return &w->r[w->n++];
}

static bool has_references(const struct region *r) {
    for (size_t i = 0; i < r->n; i++)
        if (r->files[i]->parent >= 0) return true;
    return false;
}

/* Marks the cells of a file that are within the rows of a region. false: none. */
static bool select_cells(const struct world *w, const struct file *from, unsigned start, unsigned end, bool *out) {
    bool any = false;
    for (unsigned i = 0; i < w->puts; i++) {
        out[i] = from->cell[i] && w->row[i] >= start && w->row[i] < end;
        any |= out[i];
    }
    return any;
}

static void flush(struct world *w, struct region *r) {
    unsigned n = 1 + below(w, 4);
    if (r->n + 1 >= FILES_MAX || w->puts + n > CELLS_MAX) return;
    struct file *f = add_file(w, r, 0, -1);
    while (n--) {
        w->row[w->puts] = r->start + below(w, r->end - r->start);
        f->cell[w->puts++] = true;
    }
}

static void compact(struct world *w, struct region *r) {
    if (!r->n) return;
    struct file *all = calloc(1, sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < r->n; i++) {
        for (unsigned c = 0; c < w->puts; c++) all->cell[c] |= r->files[i]->cell[c];
        free(r->files[i]);
    }
    all->name = ++w->names;
    all->parent = -1;
    r->files[0] = all;
    r->n = 1;
}

static void refer(struct world *w, unsigned parent, size_t file, struct region *child) {
    bool cells[CELLS_MAX] = {false};
    const struct file *f = w->r[parent].files[file];
    if (select_cells(w, f, child->start, child->end, cells))
        memcpy(add_file(w, child, f->name, (int)parent)->cell, cells, sizeof cells);
}

/* HBase makes the directories, then for each file its references, then writes .regioninfo (1.x wrote that first). steps: how
 * many of these are done before it stops for ever; UINT32_MAX: it finishes. */
static void grow(struct world *w, struct region *const *children, unsigned n, const unsigned *parents, unsigned n_parents,
                 unsigned steps) {
    bool finished = steps == UINT32_MAX, info_first = below(w, 2);
    for (unsigned i = 0; i < n; i++) {
        children[i]->live = finished;
        children[i]->has_info = info_first;
        children[i]->on_disk = steps > 0;
        steps -= steps > 0;
    }
    for (unsigned p = 0; p < n_parents; p++)
        for (size_t k = 0; k < w->r[parents[p]].n && steps; k++, steps--)
            for (unsigned i = 0; i < n; i++) refer(w, parents[p], k, children[i]);
    for (unsigned i = 0; i < n && steps; i++, steps--) children[i]->has_info = true;
    for (unsigned p = 0; p < n_parents; p++) w->r[parents[p]].live = !finished;
}

static void split(struct world *w, unsigned parent, unsigned steps) {
    struct region *p = &w->r[parent];
    if (has_references(p) || p->end - p->start < 2 || w->n + 2 > REGIONS_MAX) return;
    unsigned mid = p->start + 1 + below(w, p->end - p->start - 1);
    uint64_t id = ++w->now;
    struct region *a = add_region(w, p->start, mid, id), *b = add_region(w, mid, p->end, id);
    grow(w, (struct region *[]){a, b}, 2, &parent, 1, steps);
}

static void merge(struct world *w, unsigned a, unsigned b, unsigned steps) {
    struct region *x = &w->r[a], *y = &w->r[b];
    if (has_references(x) || has_references(y) || x->n + y->n >= FILES_MAX || w->n == REGIONS_MAX) return;
    struct region *m = add_region(w, x->start, y->end, (x->id > y->id ? x->id : y->id) + 1);
    if (w->now < m->id) w->now = m->id;
    grow(w, &m, 1, (unsigned[]){a, b}, 2, steps);
}

/* CatalogJanitor: directories nobody refers to any more, sometimes. */
static void clean(struct world *w, unsigned region) {
    for (unsigned i = 0; i < w->n; i++)
        for (size_t k = 0; w->r[i].on_disk && k < w->r[i].n; k++)
            if (w->r[i].files[k]->parent == (int)region) return;
    w->r[region].on_disk = false;
}

static int neighbour(const struct world *w, unsigned a) {
    for (unsigned i = 0; i < w->n; i++)
        if (w->r[i].live && w->r[i].start == w->r[a].end) return (int)i;
    return -1;
}

static void step(struct world *w) {
    unsigned at = below(w, w->n), what = below(w, 10);
    struct region *r = &w->r[at];
    int next = r->live ? neighbour(w, at) : -1;
    if (!r->live) {
        if (what < 3 && r->on_disk) clean(w, at);
    } else if (what < 4) {
        flush(w, r);
    } else if (what < 6) {
        compact(w, r);
    } else if (what < 9) {
        split(w, at, UINT32_MAX);
    } else if (next >= 0) {
        merge(w, at, (unsigned)next, UINT32_MAX);
    }
}

/* Splits and merges that were going on when the directory was copied: no region is in two of them. */
static void cut_off(struct world *w) {
    unsigned n = w->n;
    for (unsigned i = 0; i < n; i++) {
        int next = w->r[i].live ? neighbour(w, i) : -1;
        if (!w->r[i].live || below(w, 4)) continue;
        if (next > (int)i && next < (int)n && below(w, 3) == 0) {
            merge(w, i, (unsigned)next, below(w, 6));
            return;
        }
        split(w, i, below(w, 6));
    }
}

/* ---- the same as a listing ---- */

static void name_region(char encoded[REGION_ENCODED_BYTES], unsigned i) {
    snprintf(encoded, REGION_ENCODED_BYTES, "%032x", i);
}

static int files_by_name(const void *a, const void *b) {
    return strcmp(((const struct snapshot_file *)a)->name, ((const struct snapshot_file *)b)->name);
}

static void put_key(struct buf *b, unsigned row) {
    struct err err = {0};
    if (row > 0 && row < ROWS) assert_int_equal(buf_put_byte(b, (uint8_t)row, &err), 0);
}

static void list_region(const struct world *w, unsigned i, struct snapshot_region *out) {
    const struct region *r = &w->r[i];
    struct err err = {0};
    name_region(out->info.encoded, i);
    if (r->has_info) {
        out->info.id = r->id;
        put_key(&out->info.start, r->start);
        put_key(&out->info.end, r->end);
    }
    out->families = calloc(1, sizeof *out->families);
    out->n_families = 1;
    out->families->name = strdup("f");
    out->families->files = calloc(r->n + 1, sizeof *out->families->files);
    out->families->n_files = r->n;
    for (size_t k = 0; k < r->n; k++) {
        struct buf name = {0};
        char parent[REGION_ENCODED_BYTES];
        assert_int_equal(buf_printf(&name, &err, "%08x", r->files[k]->name), 0);
        if (r->files[k]->parent >= 0) {
            name_region(parent, (unsigned)r->files[k]->parent);
            assert_int_equal(buf_printf(&name, &err, ".%s", parent), 0);
            out->families->files[k].is_reference = true;
        }
        out->families->files[k].name = (char *)name.p;
    }
    qsort(out->families->files, r->n, sizeof *out->families->files, files_by_name);
}

static struct listing list_world(const struct world *w, unsigned region_of[REGIONS_MAX]) {
    struct listing l = {.s.regions = calloc(w->n, sizeof *l.s.regions), .state = calloc(w->n, sizeof *l.state)};
    for (unsigned i = 0; i < w->n; i++) {
        if (!w->r[i].on_disk) continue;
        region_of[l.s.n_regions] = i;
        l.state[l.s.n_regions].no_range = !w->r[i].has_info;
        list_region(w, i, &l.s.regions[l.s.n_regions++]);
    }
    return l;
}

/* Cells that are read, each as often as it is. */
static void count_cells(const struct world *w, const struct listing *l, const unsigned *region_of, bool live, unsigned *count) {
    for (unsigned i = 0; i < (live ? w->n : l->s.n_regions); i++) {
        const struct region *r = &w->r[live ? i : region_of[i]];
        if (live ? !r->live : l->state[i].left_out) continue;
        for (size_t k = 0; k < r->n; k++)
            for (unsigned c = 0; c < w->puts; c++) count[c] += r->files[k]->cell[c];
    }
}

static void live_one(uint64_t seed) {
    struct world *w = calloc(1, sizeof *w);
    struct findings report = {0};
    struct err err = {0};
    unsigned region_of[REGIONS_MAX], steps, want[CELLS_MAX] = {0}, have[CELLS_MAX] = {0};
    w->seed = seed * 0x9e3779b97f4a7c15u + 1;
    w->now = 100;
    add_region(w, 0, ROWS, 100);
    for (steps = 10 + below(w, 80); steps--;) step(w);
    if (below(w, 2)) cut_off(w);
    struct listing l = list_world(w, region_of);
    assert_int_equal(split_parents_leave_out(&l, NULL, &report, &err), 0);
    count_cells(w, &l, region_of, true, want);
    count_cells(w, &l, region_of, false, have);
    for (unsigned c = 0; c < w->puts; c++)
        if (have[c] != want[c])
            fail_msg("history %llu: cell %u of row %u is read %u times, not %u", (unsigned long long)seed, c, w->row[c], have[c],
                     want[c]);
    findings_free(&report);
    listing_free(&l);
    for (unsigned i = 0; i < w->n; i++)
        for (size_t k = 0; k < w->r[i].n; k++) free(w->r[i].files[k]);
    free(w);
}

static void every_cell_is_read_once(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= HISTORIES; seed++) live_one(seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_cell_is_read_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
