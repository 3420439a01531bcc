/* The cells of a stretch as lines of text, the older of two equal cells first.
 *
 * In an HFile the newer of two cells with the same key is first. Readers of text take the later line for the newer one
 * (docs/formats/cells.md). So a run of equal cells is written backwards, and text that is imported again gives the same file.
 * A run may reach over parts of a row:
 *
 *     part  a b b2 | b1 b0 c     lines  a b0 b1 b2 b  c      what follows of a run goes in where the run begins */

#include "cell/cell.h"
#include "cmd/text/export_lines.h"

/* Returns whether two neighbouring cells have one key. Qualifiers differ at their end more often than anywhere else. */
static inline bool same_key(const struct cell *a, const struct cell *b) {
    size_t n = a->qualifier.n;
    if (a->ts_ms != b->ts_ms || n != b->qualifier.n || a->type != b->type) return false;
    return !n || (a->qualifier.p[n - 1] == b->qualifier.p[n - 1] && bytes_eq(a->qualifier, b->qualifier));
}

static bool has_run(const struct row_part *part) {
    for (uint32_t i = 1; i < part->n_cells; i++)
        if (same_key(&part->cells[i - 1], &part->cells[i])) return true;
    return false;
}

/* Cells i … *end - 1 of the part have the same key. */
static uint32_t run_end(const struct row_part *part, uint32_t i) {
    i++;
    while (i < part->n_cells && cell_key_cmp(&part->cells[i - 1], &part->cells[i]) == 0) i++;
    return i;
}

bool export_lines_continue(const struct export_lines *l, const struct row_part *part) {
    if (part->first || !l->any) return false;
    struct cell last = {.qualifier = buf_bytes(&l->qualifier), .ts_ms = l->ts_ms, .type = l->type};
    return bytes_eq(buf_bytes(&l->row), part->row) && cell_key_cmp(&last, &part->cells[0]) == 0;
}

/* Cells first … end - 1 with each run backwards. */
static int put_runs(struct export_lines *l, struct buf *out, const struct row_part *part, uint32_t first, uint32_t end,
                    struct err *err) {
    struct row_part some = *part;
    some.cells = part->cells + first;
    some.n_cells = end - first;
    if (!some.n_cells) return 0;
    buf_clear(&l->cells);
    for (uint32_t i = first, next; i < end; i = next) {
        next = run_end(part, i);
        if (next == i + 1 && !l->cells.n) continue;
        if (!l->cells.n && buf_put(&l->cells, some.cells, (i - first) * sizeof *some.cells, err)) return -1;
        for (uint32_t j = next; j-- > i;)
            if (buf_put(&l->cells, &part->cells[j], sizeof *some.cells, err)) return -1;
    }
    if (l->cells.n) some.cells = (const struct cell *)(const void *)l->cells.p;
    return l->form->put(out, &some, l->hex, err);
}

/* Cells of the run that the last part ended with: they are older, and go in before it. */
static int put_into_run(struct export_lines *l, struct buf *out, const struct row_part *part, uint32_t end, struct err *err) {
    buf_clear(&l->older);
    if (put_runs(l, &l->older, part, 0, end, err) || buf_reserve(out, l->older.n, err)) return -1;
    memmove(out->p + l->run_at + l->older.n, out->p + l->run_at, out->n - l->run_at);
    memcpy(out->p + l->run_at, l->older.p, l->older.n);
    out->n += l->older.n;
    return 0;
}

static int remember_last(struct export_lines *l, const struct row_part *part, struct err *err) {
    const struct cell *c = &part->cells[part->n_cells - 1];
    l->any = true;
    l->ts_ms = c->ts_ms;
    l->type = c->type;
    return buf_copy(&l->row, part->row, err) || buf_copy(&l->qualifier, c->qualifier, err) ? -1 : 0;
}

int export_lines_put(struct export_lines *l, struct buf *out, const struct row_part *part, struct err *err) {
    bool continues = export_lines_continue(l, part);
    if (!continues && part->ends && !has_run(part)) { /* most parts: nothing can go in between their lines */
        l->any = false;
        return l->form->put(out, part, l->hex, err);
    }
    uint32_t head = continues ? run_end(part, 0) : 0, tail = part->n_cells;
    if (head && put_into_run(l, out, part, head, err)) return -1;
    if (head == part->n_cells) return 0;
    for (tail--; tail > head && cell_key_cmp(&part->cells[tail - 1], &part->cells[tail]) == 0;) tail--;
    if (put_runs(l, out, part, head, tail, err)) return -1;
    l->run_at = out->n;
    return put_runs(l, out, part, tail, part->n_cells, err) ? -1 : remember_last(l, part, err);
}

void export_lines_free(struct export_lines *l) {
    buf_free(&l->row);
    buf_free(&l->qualifier);
    buf_free(&l->cells);
    buf_free(&l->older);
}
