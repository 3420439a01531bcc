/* The entry of the engine where a run takes a selection of its inputs: what readers push is selected first and then checked, so
 * what was not asked for is never a reject. Cells count as in and not selected; a record, or a cell of a binary input, counts as
 * skipped. */
#include "engine/emit_selected.h"
#include "engine/emitter.h"
#include "select/selection.h"
#include "select/selector.h"

#include <stdio.h>

static void count_left(struct emitter *e, const struct tally *left) {
    tally_add(&e->ledger.in, *left);
    tally_add(&e->ledger.not_selected, *left);
}

static void set_why(struct reason *why, const struct selection_fault *fault) {
    why->column = 0;
    snprintf(why->text, sizeof why->text, "%s", fault->text);
}

int emit_selected_record(struct emit *base, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err) {
    struct emitter *e = emitter_of(base);
    struct tally left = {0};
    size_t cells = 0;
    uint32_t taken = 0;
    if (n > FAMILIES_MOST) return err_set(err, ERR_LIMIT, "a record with %u families: at most %d fit", n, FAMILIES_MOST);
    for (uint32_t i = 0; i < n; i++) cells += parts[i].n_cells;
    if (selector_begin(e->selector, cells, err)) return -1;
    for (uint32_t i = 0; i < n; i++) {
        struct selection_fault fault;
        int rc = selector_take(e->selector, &parts[i], &e->taken[taken], &left, &fault, err);
        if (rc < 0) return -1;
        if (rc == SELECTOR_REFUSES) {
            set_why(why, &fault);
            return 0;
        }
        taken += rc == 1;
    }
    int rc = taken || !n ? emit_record(base, e->taken, taken, why, err) : 1;
    if (rc == 1) count_left(e, &left);
    if (rc == 1 && n && !taken) emit_skip(base, 1);
    return rc;
}

/* A part with a value that does not fit its mask: cell by cell. */
static int take_singly(struct emitter *e, const struct row_part *part, struct tally *left, struct err *err) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        struct row_part one = *part, out;
        struct selection_fault fault;
        struct reason why;
        one.cells = &part->cells[i];
        one.n_cells = 1;
        if (selector_begin(e->selector, 1, err)) return -1;
        int rc = selector_take(e->selector, &one, &out, left, &fault, err);
        if (rc == SELECTOR_REFUSES) {
            set_why(&why, &fault);
            rc = emit_bad_cell(e, part, one.cells, &why, err);
        } else if (rc == 1) {
            rc = emit_cells(&e->base, &out, NULL, err);
        }
        if (rc < 0) return -1;
    }
    return 0;
}

int emit_selected_cells(struct emit *base, const struct row_part *part, const struct tally *tally, struct err *err) {
    struct emitter *e = emitter_of(base);
    struct tally left = {0};
    struct selection_fault fault;
    struct row_part out;
    if (selector_begin(e->selector, part->n_cells, err)) return -1;
    int rc = selector_take(e->selector, part, &out, &left, &fault, err);
    if (rc == SELECTOR_REFUSES) {
        left = (struct tally){0};
        rc = take_singly(e, part, &left, err);
    } else if (rc == 1) {
        bool same = out.cells == part->cells && out.family.p == part->family.p;
        rc = emit_cells(base, &out, same ? tally : NULL, err);
    }
    count_left(e, &left);
    emit_skip(base, left.cells);
    return rc < 0 ? -1 : 0;
}
