/* Selects cells. A row is judged once for all its cells: family, range of rows, sample. Only where columns, times or masks are
 * given is each cell judged, and copied. A marker for a whole family belongs to each of its columns, so no pattern of qualifiers
 * leaves it out. */
#include "select/families_asked.h"
#include "select/matching.h"
#include "select/selection.h"

#include "select/selection_make.h"
#include "select/selection_state.h"
#include "select/selector.h"

#include <stdlib.h>
#include <xxhash.h>

struct selector {
    const struct selection *of;
    int64_t latest_ms;
    struct cell *cells;
    size_t n, cap;
    void **memory; /* of the masks */
    struct buf scratch;
    uint8_t *met; /* as in the selection, of this thread */
    size_t unmet;
    struct {
        struct bytes name, now; /* now.p == NULL: as before */
        bool taken;
    } last; /* the family asked of last; as a rule that of the next part */
};

/* An item of the selection's lists has its first cell. */
static void meet(struct selector *s, size_t item) {
    if (s->met[item]) return;
    s->met[item] = 1;
    s->unmet--;
}

struct selector *selector_new(const struct selection *of, int64_t latest_ms, struct err *err) {
    struct selector *s = calloc(1, sizeof *s);
    if (s) s->memory = calloc(of->n_masks + 1, sizeof *s->memory);
    if (s) s->met = calloc(of->n_met + 1, 1);
    if (!s || !s->memory || !s->met) {
        if (s) free(s->memory);
        if (s) free(s->met);
        free(s);
        err_nomem(err, sizeof *s, "a selection");
        return NULL;
    }
    s->of = of;
    s->unmet = of->n_met;
    s->latest_ms = latest_ms;
    for (size_t i = 0; i < of->n_masks; i++) {
        const struct mask_ops *ops = of->masks[i].ops;
        if (!ops->begin || ops->begin(&s->memory[i], err) == 0) continue;
        selector_free(s);
        return NULL;
    }
    return s;
}

void selector_free(struct selector *s) {
    if (!s) return;
    for (size_t i = 0; i < s->of->n_masks; i++)
        if (s->memory[i]) s->of->masks[i].ops->end(s->memory[i]);
    for (size_t i = 0; i < s->of->n_met; i++)
        if (s->met[i]) __atomic_store_n(&s->of->met[i], 1, __ATOMIC_RELAXED);
    free(s->met);
    free(s->memory);
    free(s->cells);
    buf_free(&s->scratch);
    free(s);
}

int selector_begin(struct selector *s, size_t cells, struct err *err) {
    s->n = 0;
    for (size_t i = 0; i < s->of->n_masks; i++)
        if (s->memory[i]) s->of->masks[i].ops->reset(s->memory[i]);
    if (cells <= s->cap) return 0;
    free(s->cells);
    s->cap = 0;
    s->cells = malloc(2 * cells * sizeof *s->cells);
    if (!s->cells) return err_nomem(err, 2 * cells * sizeof *s->cells, "a selection");
    s->cap = 2 * cells;
    return 0;
}

static bool takes_family(struct selector *s, struct bytes family, struct bytes *now) {
    if (!s->last.name.p || !bytes_eq(s->last.name, family)) {
        s->last.name = family_list_note(s->of->asked, family);
        s->last.taken = selection_takes_family(s->of, family, now);
        s->last.now = now->p == family.p ? (struct bytes){0} : *now;
    }
    *now = s->last.now.p ? s->last.now : family;
    return s->last.taken;
}

static bool takes_row(const struct selection *of, struct bytes row) {
    if (of->ranges.n && !range_list_holds(&of->ranges, row)) return false;
    return !of->sampled || (double)(XXH3_64bits(row.n ? (const void *)row.p : "", row.n) >> 32) < of->sample_below;
}

static bool names(const struct selection_column *c, struct bytes family, const struct cell *cell) {
    return (!c->family.p || bytes_eq(c->family, family)) &&
           (cell_is_family_delete(cell->type) || glob_fits(&c->qualifier, cell->qualifier));
}

/* Returns whether a column of the selection fits. After one that does, only those are tried that nothing has fitted yet. */
static bool takes_column(struct selector *s, struct bytes family, const struct cell *c) {
    const struct selection *of = s->of;
    const size_t first = of->n_families + of->n_renames;
    bool taken = false;
    for (size_t i = 0; i < of->n_columns && (!taken || s->unmet); i++) {
        if ((taken && s->met[first + i]) || !names(&of->columns[i], family, c)) continue;
        taken = true;
        if (of->n_met && !cell_is_family_delete(c->type)) meet(s, first + i);
    }
    return taken;
}

static bool takes_cell(struct selector *s, struct bytes family, const struct cell *c) {
    const struct selection *of = s->of;
    int64_t ts = c->ts_ms == INT64_MAX ? s->latest_ms : c->ts_ms;
    if (of->times && (ts < of->from_ms || ts >= of->to_ms)) return false;
    return !of->n_columns || takes_column(s, family, c);
}

static bool masks_family(const struct selection *of, struct bytes family) {
    for (size_t i = 0; i < of->n_masks; i++)
        if (bytes_eq(of->masks[i].family, family)) return true;
    return false;
}

/* 1: c, a copy, has its value; 0: there is to be no cell; SELECTOR_REFUSES, -1. */
static int mask(struct selector *s, const struct row_part *part, struct cell *c, struct selection_fault *why, struct err *err) {
    const size_t first = s->of->n_families + s->of->n_renames + s->of->n_columns;
    for (size_t i = 0; i < s->of->n_masks && !cell_is_family_delete(c->type); i++) {
        const struct selection_column *m = &s->of->masks[i];
        if (!names(m, part->family, c)) continue;
        if (s->of->n_met) meet(s, first + i);
        if (c->type != CELL_PUT) return 1;
        int rc = m->ops->run(m->arg, s->memory[i], part, c, &c->value, why, err);
        if (rc < 0) return -1;
        if (!rc) return SELECTOR_REFUSES;
        return c->value.p != NULL;
    }
    return 1;
}

static int leave(struct selector *s, const struct row_part *part, const struct cell *c, struct tally *left, struct err *err) {
    struct digest d;
    if (digest_cell(&s->scratch, part, c, &d, err)) return -1;
    tally_one(left, d);
    return 0;
}

static int take_cells(struct selector *s, const struct row_part *part, struct row_part *out, struct tally *left,
                      struct selection_fault *why, struct err *err) {
    size_t first = s->n;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        struct cell *copy = &s->cells[s->n];
        int taken = takes_cell(s, part->family, c);
        *copy = *c;
        if (taken) taken = mask(s, part, copy, why, err);
        if (taken < 0 || taken == SELECTOR_REFUSES) return taken;
        if (!taken && leave(s, part, c, left, err)) return -1;
        s->n += taken == 1;
    }
    out->cells = s->cells + first;
    out->n_cells = (uint32_t)(s->n - first);
    out->ends = out->spare = false; /* a mask makes values of its own */
    return out->n_cells > 0;
}

static void meet_family(struct selector *s, struct bytes family) {
    const struct selection *of = s->of;
    for (size_t i = 0; i < of->n_families + of->n_renames; i++) {
        const struct selection_name *one = i < of->n_families ? &of->families[i] : &of->renames[i - of->n_families];
        if (bytes_eq(one->name, family)) meet(s, i);
    }
}

int selector_take(struct selector *s, const struct row_part *part, struct row_part *out, struct tally *left,
                  struct selection_fault *why, struct err *err) {
    const struct selection *of = s->of;
    *out = *part;
    if (!takes_family(s, part->family, &out->family) || !takes_row(of, part->row))
        return digest_part(&s->scratch, part, left, err) ? -1 : 0;
    bool by_cell = of->times || of->n_columns || masks_family(of, part->family);
    int rc = by_cell ? take_cells(s, part, out, left, why, err) : 1;
    if (s->unmet && rc == 1) meet_family(s, part->family);
    return rc;
}

bool selection_takes(const struct selection *of, const struct row_part *part, const struct cell *c) {
    struct bytes now;
    bool taken = !of || !of->n_columns;
    if (!of) return true;
    if (!selection_takes_family(of, part->family, &now) || !takes_row(of, part->row)) return false;
    if (of->times && c->ts_ms != INT64_MAX && (c->ts_ms < of->from_ms || c->ts_ms >= of->to_ms)) return false;
    for (size_t i = 0; i < of->n_columns && !taken; i++) taken = names(&of->columns[i], part->family, c);
    return taken;
}
