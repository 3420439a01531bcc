/* Two sorted sources of one family, side by side. Cells of one key (duplicates) are compared as sets first; what is left on
 * both sides is paired as changed, the rest is missing or extra. */
#include "cmd/verify/diff/diff_walk.h"

#include "cell/cell.h"
#include "table/placement.h"

#include <stdlib.h>
#include <xxhash.h>

/* Number of duplicates of one key that are held at once on each side; beyond that the oldest unmatched ones are reported. */
enum { WINDOW = 1 << 14 };

/* Facts kept about a cell of the current key. */
struct walk_entry {
    struct digest content; /* of type, value and tags */
    uint64_t at;           /* 0, 1, 2 …: in order, newest first */
    uint64_t rank;
    int64_t ts_ms;
    uint32_t tags_bytes;
    uint8_t type;
    struct value_head value;
};

/* One side of the walk: a cell at a time out of a source of parts. */
struct walk_cursor {
    struct source *src; /* NULL: empty */
    struct row_part part;
    uint32_t i;
    bool live;
    struct walk_entry *e; /* [WINDOW]: not matched yet */
    size_t n;
    uint64_t total, order; /* cells of this key; hash over their contents in order */
    struct walk_entry newest;
    struct tally seen;
};

struct diff_walk {
    const struct diff_opts *o;
    struct diff_result *result;
    struct bytes family;
    struct walk_cursor side[DIFF_SIDES];
    struct buf row, qualifier, scratch; /* the current key */
    int64_t ts_ms;
    uint8_t type;
    bool any_row, row_differs, left_over;
    uint64_t cells, before, told; /* of both sides: all there are, walked in earlier runs, last reported */
};

size_t diff_walk_memory(void) {
    return DIFF_SIDES * WINDOW * sizeof(struct walk_entry) + sizeof(struct diff_walk);
}

struct diff_walk *diff_walk_new(const struct diff_opts *o, struct diff_result *result, uint64_t cells, struct err *err) {
    struct diff_walk *w = calloc(1, sizeof *w);
    if (!w) {
        err_nomem(err, sizeof *w, "comparing");
        return NULL;
    }
    w->o = o;
    w->result = result;
    w->cells = cells;
    for (unsigned k = 0; k < DIFF_SIDES; k++) {
        w->side[k].e = malloc(WINDOW * sizeof(struct walk_entry));
        if (w->side[k].e) continue;
        err_nomem(err, WINDOW * sizeof(struct walk_entry), "comparing");
        diff_walk_free(w);
        return NULL;
    }
    return w;
}

void diff_walk_free(struct diff_walk *w) {
    if (!w) return;
    for (unsigned k = 0; k < DIFF_SIDES; k++) free(w->side[k].e);
    buf_free(&w->row);
    buf_free(&w->qualifier);
    buf_free(&w->scratch);
    free(w);
}

/* ---- findings ---- */

/* The file of a cell with this rank. */
static const char *path_of(const struct diff_side *s, uint64_t rank) {
    uint32_t input = rank_input(rank), file = rank_file(rank);
    if (input >= s->n_inputs) return "";
    for (size_t i = 0; i < s->n_stores; i++)
        if (s->stores[i].group == input && file < s->stores[i].n_files) return s->stores[i].file(s->stores[i].arg, file).path;
    return s->inputs[input].path;
}

/* The file of a dataset that this cell is in; NULL: it is in another file. */
static const struct diff_file *file_of(const struct diff_side *s, uint64_t rank) {
    return s->files && rank_input(rank) < s->n_inputs ? &s->files[rank_input(rank)] : NULL;
}

/* Keeps the least and the largest row that differ. Families come one after the other. */
static int note_row(struct diff_result *r, struct bytes row, struct bytes family, struct err *err) {
    r->families += !r->rows || !bytes_eq(family, r->last_family);
    r->last_family = family;
    if (!r->rows++ || bytes_cmp(row, buf_bytes(&r->first_row)) < 0) {
        if (buf_copy(&r->first_row, row, err)) return -1;
    }
    return bytes_cmp(row, buf_bytes(&r->last_row)) > 0 ? buf_copy(&r->last_row, row, err) : 0;
}

int diff_report(const struct diff_opts *o, struct diff_result *r, const struct diff_finding *f, struct err *err) {
    r->found[f->kind]++;
    return o->found(o->arg, f, err);
}

static struct diff_copy copy_of(const struct diff_walk *w, unsigned side, const struct walk_entry *e) {
    const struct diff_file *f = file_of(&w->o->sides[side], e->rank);
    return (struct diff_copy){.path = path_of(&w->o->sides[side], e->rank),
                              .partition = f && f->partitioning ? f->partitioning->names[f->partition] : NULL,
                              .value = e->value,
                              .tags_bytes = e->tags_bytes,
                              .ts_ms = e->ts_ms};
}

static int report_row(struct diff_walk *w, struct diff_finding *f, const struct diff_copy *a, const struct diff_copy *b,
                      struct err *err) {
    f->row = buf_bytes(&w->row);
    f->family = w->family;
    f->qualifier = buf_bytes(&w->qualifier);
    f->ts_ms = a ? a->ts_ms : b->ts_ms;
    f->a = a;
    f->b = b;
    if (!w->row_differs && note_row(w->result, f->row, f->family, err)) return -1;
    w->row_differs = true;
    return diff_report(w->o, w->result, f, err);
}

static int report_entries(struct diff_walk *w, enum diff_kind kind, const struct walk_entry *a, const struct walk_entry *b,
                          struct err *err) {
    struct diff_copy x, y;
    struct diff_finding f = {.kind = kind, .type = a ? a->type : b->type};
    if (a) x = copy_of(w, DIFF_A, a);
    if (b) y = copy_of(w, DIFF_B, b);
    return report_row(w, &f, a ? &x : NULL, b ? &y : NULL, err);
}

/* Returns whether the cell is misplaced; false: it is where its row belongs, as far as is known. */
static bool misplaced(const struct diff_walk *w, unsigned side, const struct walk_entry *e, struct diff_copy *c) {
    const struct diff_file *f = file_of(&w->o->sides[side], e->rank);
    uint32_t partition;
    if (!f || !f->placement) return false;
    const struct cell cell = {.qualifier = buf_bytes(&w->qualifier), .ts_ms = e->ts_ms, .type = e->type};
    enum place_result r = placement_of_cell(f->placement, buf_bytes(&w->row), &cell, &partition);
    if (r == PLACE_OK && partition == f->partition) return false;
    c->misplaced = true;
    c->belongs = r == PLACE_OK ? f->partitioning->names[partition] : NULL;
    return true;
}

/* Two equal cells. */
static int compare_equal(struct diff_walk *w, const struct walk_entry *a, const struct walk_entry *b, struct err *err) {
    struct diff_finding f = {.kind = DIFF_MISPLACED, .type = a->type};
    struct diff_copy x = copy_of(w, DIFF_A, a), y = copy_of(w, DIFF_B, b);
    bool ma = misplaced(w, DIFF_A, a, &x), mb = misplaced(w, DIFF_B, b, &y);
    return ma || mb ? report_row(w, &f, &x, &y, err) : 0;
}

/* ---- the cells of one key ---- */

static int by_content(const void *pa, const void *pb) {
    const struct walk_entry *a = pa, *b = pb;
    if (a->content.hi != b->content.hi) return a->content.hi < b->content.hi ? -1 : 1;
    if (a->content.lo != b->content.lo) return a->content.lo < b->content.lo ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static int by_age(const void *pa, const void *pb) {
    const struct walk_entry *a = pa, *b = pb;
    if (a->type != b->type) return (int)b->type - (int)a->type;
    return (a->at > b->at) - (a->at < b->at);
}

static void sort_entries(struct walk_cursor *c, int (*cmp)(const void *, const void *)) {
    if (c->n > 1) qsort(c->e, c->n, sizeof *c->e, cmp);
}

/* Takes out what both sides have; the rest stays, newest first. */
static int match(struct diff_walk *w, struct err *err) {
    struct walk_cursor *a = &w->side[DIFF_A], *b = &w->side[DIFF_B];
    size_t i = 0, j = 0, x = 0, y = 0;
    if (!a->n || !b->n) return 0;
    sort_entries(a, by_content);
    sort_entries(b, by_content);
    while (i < a->n && j < b->n) {
        struct digest p = a->e[i].content, q = b->e[j].content;
        if (digest_eq(p, q)) {
            if (compare_equal(w, &a->e[i++], &b->e[j++], err)) return -1;
        } else if (p.hi < q.hi || (p.hi == q.hi && p.lo < q.lo)) {
            a->e[x++] = a->e[i++];
        } else {
            b->e[y++] = b->e[j++];
        }
    }
    while (i < a->n) a->e[x++] = a->e[i++];
    while (j < b->n) b->e[y++] = b->e[j++];
    a->n = x;
    b->n = y;
    sort_entries(a, by_age);
    sort_entries(b, by_age);
    return 0;
}

/* Cells that the other side has not: those of one type are pairs, as far as they go. */
static int report_left_over(struct diff_walk *w, struct err *err) {
    struct walk_cursor *a = &w->side[DIFF_A], *b = &w->side[DIFF_B];
    size_t i = 0, j = 0;
    int rc = 0;
    while (!rc && (i < a->n || j < b->n)) {
        const struct walk_entry *x = i < a->n ? &a->e[i] : NULL, *y = j < b->n ? &b->e[j] : NULL;
        w->left_over = true;
        if (x && y && x->type == y->type) {
            rc = report_entries(w, DIFF_CHANGED, x, y, err);
            i++;
            j++;
        } else if (x && (!y || x->type > y->type)) {
            rc = report_entries(w, DIFF_MISSING, x, NULL, err);
            i++;
        } else {
            rc = report_entries(w, DIFF_EXTRA, NULL, y, err);
            j++;
        }
    }
    a->n = b->n = 0;
    return rc;
}

/* ---- cursors ---- */

static int next_cell(struct walk_cursor *c, struct err *err) {
    if (c->live && ++c->i < c->part.n_cells) return 0;
    int more = c->src ? source_next(c->src, &c->part, err) : 0;
    c->live = more == 1;
    c->i = 0;
    return more < 0 ? -1 : 0;
}

static bool in_key(const struct diff_walk *w, const struct walk_cursor *c) {
    if (!c->live || !bytes_eq(c->part.row, buf_bytes(&w->row))) return false;
    const struct cell *cell = &c->part.cells[c->i];
    if (!bytes_eq(cell->qualifier, buf_bytes(&w->qualifier))) return false;
    return w->o->ignore_timestamps || (cell->ts_ms == w->ts_ms && cell->type == w->type);
}

static struct digest content_of(const struct cell *c) {
    XXH128_hash_t v = XXH3_128bits_withSeed(c->value.p, c->value.n, c->type);
    struct digest d = {v.low64, v.high64};
    if (!c->tags.n) return d;
    v = XXH3_128bits_withSeed(c->tags.p, c->tags.n, CELL_MAXIMUM + 1);
    digest_add(&d, (struct digest){v.low64, v.high64});
    return d;
}

static int count_cell(struct diff_walk *w, struct walk_cursor *c, const struct cell *cell, struct err *err) {
    struct digest d;
    struct cell seen = *cell;
    c->seen.cells++;
    if (!w->o->ignore_deleted) return 0;
    if (w->o->ignore_timestamps) seen.ts_ms = 0;
    if (digest_cell(&w->scratch, &c->part, &seen, &d, err)) return -1;
    digest_add(&c->seen.digest, d);
    return 0;
}

/* Takes cells of the current key, as many as there is room for. */
static int take_cells(struct diff_walk *w, struct walk_cursor *c, struct err *err) {
    while (c->n < WINDOW && in_key(w, c)) {
        const struct cell *cell = &c->part.cells[c->i];
        struct walk_entry *e = &c->e[c->n++];
        *e = (struct walk_entry){.content = content_of(cell),
                                 .at = c->total,
                                 .rank = cell->rank,
                                 .ts_ms = cell->ts_ms,
                                 .value = value_head_of(cell->value, cell->value.n),
                                 .tags_bytes = (uint32_t)cell->tags.n,
                                 .type = cell->type};
        if (!c->total++) c->newest = *e;
        c->order = (c->order ^ e->content.lo) * UINT64_C(0x9e3779b97f4a7c15);
        c->order ^= c->order >> 29;
        if (count_cell(w, c, cell, err) || next_cell(c, err)) return -1;
    }
    return 0;
}

static int compare_keys(const struct diff_walk *w) {
    const struct walk_cursor *a = &w->side[DIFF_A], *b = &w->side[DIFF_B];
    if (!a->live || !b->live) return a->live ? -1 : 1;
    int c = bytes_cmp(a->part.row, b->part.row);
    if (c) return c;
    const struct cell *x = &a->part.cells[a->i], *y = &b->part.cells[b->i];
    return w->o->ignore_timestamps ? bytes_cmp(x->qualifier, y->qualifier) : cell_key_cmp(x, y);
}

/* The next key of either side becomes the current one. */
static int begin_key(struct diff_walk *w, struct err *err) {
    const struct walk_cursor *c = &w->side[compare_keys(w) <= 0 ? DIFF_A : DIFF_B];
    const struct cell *cell = &c->part.cells[c->i];
    bool same_row = w->any_row && bytes_eq(c->part.row, buf_bytes(&w->row));
    if (!same_row) w->row_differs = false;
    w->any_row = true;
    w->ts_ms = cell->ts_ms;
    w->type = cell->type;
    w->left_over = false;
    for (unsigned k = 0; k < DIFF_SIDES; k++) w->side[k].n = w->side[k].total = w->side[k].order = 0;
    if (!same_row && buf_copy(&w->row, c->part.row, err)) return -1;
    return buf_copy(&w->qualifier, cell->qualifier, err);
}

/* Duplicates that both sides have, but not in the same order. */
static int check_order(struct diff_walk *w, struct err *err) {
    const struct walk_cursor *a = &w->side[DIFF_A], *b = &w->side[DIFF_B];
    if (w->left_over || w->o->ignore_timestamps || a->total < 2 || a->order == b->order) return 0;
    struct diff_copy x = copy_of(w, DIFF_A, &a->newest), y = copy_of(w, DIFF_B, &b->newest);
    struct diff_finding f = {.kind = DIFF_MISORDERED, .type = w->type, .copies = a->total};
    return report_row(w, &f, &x, &y, err);
}

static int walk_key(struct diff_walk *w, struct err *err) {
    struct walk_cursor *a = &w->side[DIFF_A], *b = &w->side[DIFF_B];
    if (begin_key(w, err)) return -1;
    for (;;) {
        if (take_cells(w, a, err) || take_cells(w, b, err) || match(w, err)) return -1;
        if (!in_key(w, a) && !in_key(w, b)) break;
        if ((a->n > WINDOW / 2 || b->n > WINDOW / 2) && report_left_over(w, err)) return -1;
    }
    return report_left_over(w, err) ? -1 : check_order(w, err);
}

static void report_walk(struct diff_walk *w) {
    enum { EACH_CELLS = 1 << 16 };
    const struct progress *p = &w->o->job->progress;
    uint64_t done = w->before + w->side[DIFF_A].seen.cells + w->side[DIFF_B].seen.cells;
    if (!p->report || done - w->told < EACH_CELLS) return;
    w->told = done;
    p->report(p->arg, "walk", done < w->cells ? done : w->cells, w->cells);
}

int diff_walk_run(struct diff_walk *w, struct bytes family, struct source *a, struct source *b, struct tally seen[DIFF_SIDES],
                  struct err *err) {
    struct source *const sources[DIFF_SIDES] = {a, b};
    w->family = family;
    w->any_row = false;
    for (unsigned k = 0; k < DIFF_SIDES; k++) {
        struct walk_cursor *c = &w->side[k];
        *c = (struct walk_cursor){.src = sources[k], .e = c->e};
        if (next_cell(c, err)) return -1;
    }
    while (w->side[DIFF_A].live || w->side[DIFF_B].live) {
        if (walk_key(w, err)) return -1;
        report_walk(w);
    }
    for (unsigned k = 0; k < DIFF_SIDES; k++) {
        tally_add(&seen[k], w->side[k].seen);
        w->before += w->side[k].seen.cells;
    }
    return 0;
}

/* ---- what was found ---- */

const char *diff_kind_name(enum diff_kind k) {
    static const char *const names[DIFF_KINDS] = {"missing", "extra", "changed", "misplaced", "misordered"};
    return names[k];
}

bool diff_equal(const struct diff_result *r) {
    for (unsigned k = 0; k < DIFF_KINDS; k++)
        if (r->found[k]) return false;
    return r->cells[DIFF_A].cells == r->cells[DIFF_B].cells && digest_eq(r->cells[DIFF_A].digest, r->cells[DIFF_B].digest);
}

void diff_result_free(struct diff_result *r) {
    buf_free(&r->first_row);
    buf_free(&r->last_row);
}
