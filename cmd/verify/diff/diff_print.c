/* Prints the result of obkv-verify diff: a line for each difference, in a table or as JSON, up to --limit, and a closing summary.
 * Stops quietly when standard output is no longer read. */
#include "cmd/common/page.h"
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

#include <inttypes.h>
#include <stdlib.h>

static int put_hex(struct buf *out, const char *name, struct bytes b, struct err *err) {
    return buf_printf(out, err, ", \"%s\": \"", name) || hex_put(out, b, err) || buf_put_byte(out, '"', err) ? -1 : 0;
}

static int put_json(struct buf *out, const char *before, json_t *j, struct err *err) {
    char *s = json_memory_dump(j, JSON_ENCODE_ANY, "a line of the result", err);
    int rc = s ? buf_printf(out, err, "%s%s", before, s) : -1;
    free(s);
    return rc;
}

/* text as JSON, quotes included. */
static int put_text(struct buf *out, const char *before, const char *text, struct err *err) {
    return put_json(out, before, json_text(text), err);
}

/* The cell once more, for people: its row and its column as text. */
static int put_shown(struct buf *out, const struct diff_finding *f, struct err *err) {
    int rc = put_json(out, ", \"row_text\": ", json_plain(f->row), err) ||
             put_json(out, ", \"column\": ", json_plain_column(f->family, f->qualifier), err);
    return rc ? -1 : 0;
}

/* ---- a difference as JSON ---- */

/* The beginning of a value, as --values says. */
static int put_value(const struct diff_printer *p, struct buf *out, char side, const struct value_head *v, struct err *err) {
    char name[32];
    snprintf(name, sizeof name, p->table.values == VALUE_HEX ? ", \"value_%c\": " : ", \"value_text_%c\": ", side);
    return p->table.values == VALUE_MASKED ? 0 : put_json(out, name, value_head_json(v, p->table.values), err);
}

static int put_copy(const struct diff_printer *p, struct buf *out, char side, const struct diff_copy *c, int64_t ts_ms,
                    struct err *err) {
    if (!c) return 0;
    if (buf_printf(out, err, ", \"value_bytes_%c\": %" PRIu64, side, c->value.bytes)) return -1;
    if (put_value(p, out, side, &c->value, err)) return -1;
    if (c->tags_bytes && buf_printf(out, err, ", \"tags_bytes_%c\": %zu", side, c->tags_bytes)) return -1;
    return c->ts_ms != ts_ms ? buf_printf(out, err, ", \"ts_%c\": %" PRId64, side, c->ts_ms) : 0;
}

static int put_place(struct buf *out, char side, const struct diff_copy *c, struct err *err) {
    char name[40];
    if (!c || !c->misplaced) return 0;
    snprintf(name, sizeof name, ", \"partition_%c\": ", side);
    if (put_text(out, name, c->partition, err)) return -1;
    snprintf(name, sizeof name, ", \"belongs_%c\": ", side);
    return c->belongs ? put_text(out, name, c->belongs, err) : buf_printf(out, err, "%snull", name);
}

static int put_files(const struct diff_printer *p, struct buf *out, const struct diff_finding *f, struct err *err) {
    if (buf_printf(out, err, ", \"files\": {")) return -1;
    if (f->a && put_text(out, "\"a\": ", side_path(&p->sides[DIFF_A], f->a->path), err)) return -1;
    if (f->b && put_text(out, f->a ? ", \"b\": " : "\"b\": ", side_path(&p->sides[DIFF_B], f->b->path), err)) return -1;
    return buf_put(out, "}}\n", 3, err);
}

static int put_finding(const struct diff_printer *p, struct buf *out, const struct diff_finding *f, struct err *err) {
    bool out_of_order = f->kind == DIFF_MISORDERED && !f->copies;
    if (buf_printf(out, err, "{\"kind\": \"%s\"", diff_kind_name(f->kind)) || put_hex(out, "row", f->row, err) ||
        put_hex(out, "family", f->family, err) || put_hex(out, "qualifier", f->qualifier, err) || put_shown(out, f, err) ||
        buf_printf(out, err, ", \"ts\": %" PRId64 ", \"type\": \"%s\"", f->ts_ms, cell_type_name(f->type)))
        return -1;
    if (!out_of_order && (put_copy(p, out, 'a', f->a, f->ts_ms, err) || put_copy(p, out, 'b', f->b, f->ts_ms, err))) return -1;
    if (f->kind == DIFF_MISPLACED && (put_place(out, 'a', f->a, err) || put_place(out, 'b', f->b, err))) return -1;
    if (f->copies && buf_printf(out, err, ", \"copies\": %" PRIu64, f->copies)) return -1;
    if (out_of_order && put_hex(out, "behind_row", f->behind, err)) return -1;
    const char *partition = (f->a ? f->a : f->b)->partition;
    if (partition && put_text(out, ", \"partition\": ", partition, err)) return -1;
    return put_files(p, out, f, err);
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

/* p->line is a line of JSON. */
static int print_document(struct diff_printer *p, struct err *err) {
    struct reporter *r = &p->env->reporter;
    if (r->page && page_add(r->page, buf_bytes(&p->line), err)) return -1;
    return p->env->o.messages.json ? stdout_write_named(&p->env->unpacked, buf_bytes(&p->line), true, &p->gone, err) : 0;
}

int diff_print_found(void *arg, const struct diff_finding *f, struct err *err) {
    struct diff_printer *p = arg;
    if (p->shown >= p->limit || p->gone) return 0;
    const uint64_t line = p->shown++;
    p->line.n = 0;
    if (environment_documents(p->env) && (put_finding(p, &p->line, f, err) || print_document(p, err))) return -1;
    return !p->env->o.messages.json && line < verify_table_lines_most(&p->env->o) ? add_line(p, f, err) : 0;
}

/* ---- the end ---- */

static uint64_t found_in_all(const struct diff_result *r) {
    uint64_t n = 0;
    for (unsigned k = 0; k < DIFF_KINDS; k++) n += r->found[k];
    return n;
}

/* The inputs of both sides; the last one is B. */
static int put_sides(struct buf *out, const struct options *o, struct err *err) {
    for (int i = 0; i < o->n_inputs; i++)
        if (put_text(out, i + 1 == o->n_inputs ? "], \"b\": " : i ? ", " : ", \"a\": [", o->inputs[i], err)) return -1;
    return 0;
}

static int put_json_end(struct buf *out, const struct diff_printer *p, const struct diff_result *r, bool by_manifest,
                        struct err *err) {
    char a[DIGEST_HEX], b[DIGEST_HEX];
    const struct tally *x = &r->cells[DIFF_A], *y = &r->cells[DIFF_B];
    digest_print(x->digest, a);
    digest_print(y->digest, b);
    if (buf_put_byte(out, '{', err) || report_json_begin(&p->env->reporter, out, err) ||
        buf_printf(out, err,
                   ", \"kind\": \"summary\", \"equal\": %s, \"cells_a\": %" PRIu64 ", \"cells_b\": %" PRIu64
                   ", \"digest_a\": \"%s\", \"digest_b\": \"%s\"",
                   diff_equal(r) ? "true" : "false", x->cells, y->cells, a, b))
        return -1;
    for (unsigned k = 0; k < DIFF_KINDS; k++)
        if (buf_printf(out, err, ", \"%s\": %" PRIu64, diff_kind_name(k), r->found[k])) return -1;
    if (r->rows &&
        (buf_printf(out, err, ", \"rows\": %" PRIu64, r->rows) || put_hex(out, "first_row", buf_bytes(&r->first_row), err) ||
         put_hex(out, "last_row", buf_bytes(&r->last_row), err)))
        return -1;
    for (unsigned v = VERDICT_EXPIRED; verify_options(&p->env->o)->diff.compacted && v < VERDICT_COUNT; v++)
        if (buf_printf(out, err, "%s\"%s\": %" PRIu64 "%s", v == VERDICT_EXPIRED ? ", \"compacted_a\": {" : ", ", verdict_name(v),
                       r->dropped.dropped[v].cells, v == VERDICT_COUNT - 1 ? "}" : ""))
            return -1;
    if (put_sides(out, &p->env->o, err) || buf_printf(out, err, ", \"seconds\": %.3f", clock_seconds_since(p->env->started)))
        return -1;
    return buf_printf(out, err, ", \"by_manifest\": %s, \"buckets\": %" PRIu64 ", \"buckets_read_again\": %" PRIu64 "}\n",
                      by_manifest ? "true" : "false", r->buckets, r->looked);
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
    p->line.n = 0;
    if (environment_documents(p->env) && (put_json_end(&p->line, p, r, by_manifest, err) || print_document(p, err))) return -1;
    if (p->env->o.messages.json || p->env->o.messages.quiet || p->gone) return 0;
    p->line.n = 0;
    if (put_text_end(&p->line, p, r, by_manifest, err)) return -1;
    return stdout_write_named(&p->env->unpacked, buf_bytes(&p->line), false, &p->gone, err);
}

void diff_printer_free(struct diff_printer *p) {
    buf_free(&p->line);
    difference_table_free(&p->table);
}
