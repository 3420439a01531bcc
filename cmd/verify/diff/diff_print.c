/* Prints the result of obkv-verify diff: a line for each difference, in a table or as JSON, up to --limit, and a closing summary.
 * Stops quietly when standard output is no longer read. */
#include "cmd/common/report_figures.h"
#include "cmd/common/result.h"
#include "cmd/verify/diff/diff_print.h"
#include "cmd/verify/diff/diff_side.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/plain.h"
#include "base/text.h"
#include "cmd/common/output_text.h"
#include "cmd/verify/diff/diff_walk.h"
#include "cmd/verify/verify.h"

#include <stdio.h>

/* Names of members end with the side: value_bytes_a. */
static void put_side(json_t *j, const char *name, unsigned side, json_t *value) {
    char full[40];
    snprintf(full, sizeof full, "%s_%c", name, side == DIFF_A ? 'a' : 'b');
    json_put(j, JSON(full, value));
}

/* ---- a difference as JSON ---- */

/* The beginning of a value is shown as --values says. */
static void put_copy(const struct diff_printer *p, json_t *j, unsigned side, const struct diff_copy *c, int64_t ts_ms) {
    const enum value_form form = p->table.values;
    put_side(j, "value_bytes", side, json_integer((json_int_t)c->value.bytes));
    if (form != VALUE_MASKED) put_side(j, form == VALUE_HEX ? "value" : "value_text", side, value_head_json(&c->value, form));
    if (c->tags_bytes) put_side(j, "tags_bytes", side, json_integer((json_int_t)c->tags_bytes));
    if (c->ts_ms != ts_ms) put_side(j, "ts", side, json_integer(c->ts_ms));
}

static void put_place(json_t *j, unsigned side, const struct diff_copy *c) {
    if (!c->misplaced) return;
    put_side(j, "partition", side, json_text(c->partition));
    put_side(j, "belongs", side, c->belongs ? json_text(c->belongs) : json_null());
}

static json_t *finding_json(const struct diff_printer *p, const struct diff_finding *f) {
    const struct diff_copy *const copies[DIFF_SIDES] = {f->a, f->b};
    const bool out_of_order = f->kind == DIFF_MISORDERED && !f->copies;
    const char *partition = (f->a ? f->a : f->b)->partition;
    json_t *j = json_new(JSON("kind", diff_kind_name(f->kind)), JSON("row", json_hex(f->row)),
                         JSON("family", json_hex(f->family)), JSON("qualifier", json_hex(f->qualifier)),
                         JSON("row_text", json_plain(f->row)), JSON("column", json_plain_column(f->family, f->qualifier)),
                         JSON("ts", f->ts_ms), JSON("type", cell_type_name(f->type))),
           *files = json_object();
    for (unsigned k = 0; k < DIFF_SIDES; k++)
        if (copies[k] && !out_of_order) put_copy(p, j, k, copies[k], f->ts_ms);
    for (unsigned k = 0; k < DIFF_SIDES; k++)
        if (copies[k] && f->kind == DIFF_MISPLACED) put_place(j, k, copies[k]);
    if (f->copies) json_object_set_new(j, "copies", json_integer((json_int_t)f->copies));
    if (out_of_order) json_object_set_new(j, "behind_row", json_hex(f->behind));
    if (partition) json_object_set_new(j, "partition", json_text(partition));
    for (unsigned k = 0; k < DIFF_SIDES; k++)
        if (copies[k]) json_object_set_new(files, k == DIFF_A ? "a" : "b", json_text(side_path(&p->sides[k], copies[k]->path)));
    json_put(j, JSON("files", files));
    return j;
}

/* ---- as a line of the table ---- */

static int put_note(const struct diff_finding *f, struct buf *note, struct err *err) {
    char n[32];
    if (f->kind == DIFF_MISORDERED)
        return f->copies ? buf_printf(note, err, "%s copies, in another order", report_count(f->copies, n))
                         : buf_printf(note, err, "after row ") || plain_put(note, f->behind, err);
    for (unsigned side = 0; side < DIFF_SIDES; side++) {
        const struct diff_copy *c = side == DIFF_A ? f->a : f->b;
        if (c && c->misplaced &&
            (buf_printf(note, err, "%s%s is in %s, not in ", note->n ? "; " : "", side == DIFF_A ? "A" : "B", c->partition) ||
             buf_printf(note, err, "%s", c->belongs ? c->belongs : "any partition of its table")))
            return -1;
    }
    return 0;
}

static int add_line(struct diff_printer *p, const struct diff_finding *f, struct err *err) {
    const struct diff_copy *in = f->a ? f->a : f->b;
    const bool values = f->kind == DIFF_MISSING || f->kind == DIFF_EXTRA || f->kind == DIFF_CHANGED;
    struct difference d = {.kind = diff_kind_name(f->kind),
                           .partition = in->partition,
                           .row = f->row,
                           .family = f->family,
                           .qualifier = f->qualifier,
                           .ts_ms = f->ts_ms,
                           .marker = f->type == CELL_PUT ? NULL : cell_type_name(f->type),
                           .a = f->a ? &f->a->value : NULL,
                           .b = f->b ? &f->b->value : NULL};
    struct buf note = {0};
    int rc = values ? 0 : put_note(f, &note, err) || buf_put_byte(&note, 0, err) ? -1 : 0;
    if (!rc && !values) d.note = (const char *)note.p;
    if (!rc) rc = difference_table_add(&p->table, &d, &p->gone, err);
    buf_free(&note);
    return rc;
}

static int print_json(struct diff_printer *p, json_t *j, struct err *err) {
    return report_json_line(&p->env->reporter, p->env->o.messages.json, &p->env->unpacked, j, &p->gone, err);
}

int diff_print_found(void *arg, const struct diff_finding *f, struct err *err) {
    struct diff_printer *p = arg;
    if (p->shown >= p->limit || p->gone) return 0;
    const uint64_t line = p->shown++;
    if (environment_documents(p->env) && print_json(p, finding_json(p, f), err)) return -1;
    return !p->env->o.messages.json && line < verify_table_lines_most(&p->env->o) ? add_line(p, f, err) : 0;
}

/* ---- the end ---- */

static uint64_t found_in_all(const struct diff_result *r) {
    uint64_t n = 0;
    for (unsigned k = 0; k < DIFF_KINDS; k++) n += r->found[k];
    return n;
}

static json_t *end_json(const struct diff_printer *p, const struct diff_result *r, bool by_manifest) {
    char digest[DIFF_SIDES][DIGEST_HEX];
    const struct options *o = &p->env->o;
    json_t *of_a = json_array(), *dropped = json_object();
    for (unsigned k = 0; k < DIFF_SIDES; k++) digest_print(r->cells[k].digest, digest[k]);
    json_t *j =
        json_new(JSON("kind", "summary"), JSON("equal", json_boolean(diff_equal(r))), JSON("cells_a", r->cells[DIFF_A].cells),
                 JSON("cells_b", r->cells[DIFF_B].cells), JSON("digest_a", digest[DIFF_A]), JSON("digest_b", digest[DIFF_B]));
    for (unsigned k = 0; k < DIFF_KINDS; k++) json_object_set_new(j, diff_kind_name(k), json_integer((json_int_t)r->found[k]));
    if (r->rows) json_object_set_new(j, "rows", json_integer((json_int_t)r->rows));
    if (r->rows) json_object_set_new(j, "first_row", json_hex(buf_bytes(&r->first_row)));
    if (r->rows) json_object_set_new(j, "last_row", json_hex(buf_bytes(&r->last_row)));
    for (unsigned v = VERDICT_EXPIRED; v < VERDICT_COUNT; v++)
        json_put(dropped, JSON(verdict_name(v), r->dropped.dropped[v].cells));
    if (verify_options(o)->diff.compacted) json_object_set(j, "compacted_a", dropped);
    json_decref(dropped);
    for (int i = 0; i + 1 < o->n_inputs; i++) json_array_append_new(of_a, json_text(o->inputs[i])); /* the last one is B */
    json_put(j, JSON("a", of_a), JSON("b", json_text(o->inputs[o->n_inputs - 1])),
             JSON("seconds", clock_seconds_since(p->env->started)), JSON("by_manifest", by_manifest), JSON("buckets", r->buckets),
             JSON("buckets_read_again", r->looked));
    return report_json_mark(&p->env->reporter, NULL, j);
}

/* A row as people write it in options: text when it is printable, else hex. */
static int put_row(struct buf *out, struct bytes row, struct err *err) {
    bool text = row.n > 0;
    for (size_t i = 0; i < row.n; i++) text = text && row.p[i] > ' ' && row.p[i] < 0x7f;
    if (text && (row.n < 4 || memcmp(row.p, "hex:", 4))) return buf_put(out, row.p, row.n, err);
    return buf_printf(out, err, "hex:") || hex_put(out, row, err) ? -1 : 0;
}

static int put_compaction(struct buf *out, const struct diff_result *r, struct err *err) {
    char n[32];
    if (buf_printf(out, err, "A is what a compaction keeps; it dropped")) return -1;
    for (unsigned v = VERDICT_EXPIRED; v < VERDICT_COUNT; v++)
        if (buf_printf(out, err, "%s %s %s", v == VERDICT_EXPIRED ? "" : ",", report_count(r->dropped.dropped[v].cells, n),
                       v == VERDICT_PURGED ? "purged markers" : verdict_name(v)))
            return -1;
    return buf_put_byte(out, '\n', err);
}

/* Writes where the differences are. */
static int put_details(struct buf *out, const struct diff_result *r, struct err *err) {
    char a[32], b[32], of[64] = "";
    bool one = bytes_eq(buf_bytes(&r->first_row), buf_bytes(&r->last_row)); /* rows are counted by family */
    if (r->families > 1) snprintf(of, sizeof of, " of %s families,", report_count(r->families, b));
    if (r->rows && (buf_printf(out, err, one ? ", in row " : ", in %s rows%s from ", report_count(r->rows, a), of) ||
                    put_row(out, buf_bytes(&r->first_row), err)))
        return -1;
    if (!one && (buf_printf(out, err, " to ") || put_row(out, buf_bytes(&r->last_row), err))) return -1;
    return 0;
}

/* Text without timestamps has those of its run. */
static bool only_times_may_differ(const struct diff_printer *p, const struct diff_result *r) {
    const uint64_t cells = r->cells[DIFF_A].cells;
    return cells && r->found[DIFF_MISSING] == cells && r->found[DIFF_EXTRA] == cells && r->cells[DIFF_B].cells == cells &&
           !verify_options(&p->env->o)->ignore_timestamps;
}

static int put_text_end(struct buf *out, const struct diff_printer *p, const struct diff_result *r, bool by_manifest,
                        struct err *err) {
    char a[DIGEST_HEX], b[DIGEST_HEX];
    const struct tally *x = &r->cells[DIFF_A], *y = &r->cells[DIFF_B];
    digest_print(x->digest, a);
    digest_print(y->digest, b);
    if (verify_options(&p->env->o)->diff.compacted && put_compaction(out, r, err)) return -1;
    if (by_manifest && buf_printf(out, err, "According to their manifests; no cell was read (--trust-manifest).\n")) return -1;
    if (buf_printf(out, err, "%s: %s cell%s in A (digest %s), %s in B (digest %s)", diff_equal(r) ? "equal" : "different",
                   REPORT_COUNT(x->cells), x->cells == 1 ? "" : "s", a, REPORT_COUNT(y->cells), b))
        return -1;
    for (unsigned k = 0; k < DIFF_KINDS; k++) {
        if (k > DIFF_CHANGED && !r->found[k]) continue;
        if (buf_printf(out, err, "%s %s %s", k ? "," : ":", REPORT_COUNT(r->found[k]), diff_kind_name(k))) return -1;
    }
    if (put_details(out, r, err)) return -1;
    return buf_printf(out, err, "%s\n",
                      only_times_may_differ(p, r)
                          ? "\nNo cell of one side is on the other: compare with --ignore-timestamps, if text "
                            "without timestamps was imported at different times."
                          : "");
}

static void note_metrics(struct metrics *m, const struct diff_result *r) {
    uint64_t found = 0;
    for (unsigned k = 0; k < DIFF_KINDS; k++) found += r->found[k];
    metrics_set(m, "differences", "Cells that differ.", (double)found);
    metrics_set(m, "first_cells", "Cells of side A.", (double)r->cells[DIFF_A].cells);
    metrics_set(m, "second_cells", "Cells of side B.", (double)r->cells[DIFF_B].cells);
}

int diff_print_result(struct diff_printer *p, const struct diff_result *r, bool by_manifest, struct err *err) {
    const uint64_t all = found_in_all(r);
    const uint64_t lines = verify_table_lines_most(&p->env->o), shown = p->shown < lines ? p->shown : lines;
    note_metrics(&p->env->metrics, r);
    if (!p->env->o.messages.json && difference_table_print(&p->table, all - shown, &p->gone, err)) return -1;
    if (environment_documents(p->env) && print_json(p, end_json(p, r, by_manifest), err)) return -1;
    if (p->env->o.messages.json || p->env->o.messages.quiet || p->gone) return 0;
    struct buf text = {0};
    int rc = put_text_end(&text, p, r, by_manifest, err);
    if (!rc) rc = stdout_write_named(&p->env->unpacked, buf_bytes(&text), false, &p->gone, err);
    buf_free(&text);
    return rc;
}

void diff_printer_free(struct diff_printer *p) {
    difference_table_free(&p->table);
}
