/* The end of an export: warnings, then a summary in lines for people or one JSON document for pipelines; and what a dry run
 * prints. */

#include "base/clock.h"
#include "cmd/common/output_text.h"
#include "cmd/common/report_figures.h"
#include "cmd/common/result.h"
#include "cmd/common/unmet.h"
#include "cmd/common/warnings.h"
#include "cmd/export/export_summary.h"
#include "cmd/oceanbase/export_deletes.h"
#include "cmd/text/export_losses.h"

struct export_totals {
    uint64_t bytes, text_bytes, rows, big_rows;
    size_t big_files;
};

static struct export_totals sum_files(const struct export_manifest *m) {
    struct export_totals t = {0};
    for (size_t i = 0; i < m->n_files; i++) {
        const struct export_file *f = &m->files[i];
        t.bytes += f->file_bytes;
        t.text_bytes += f->text_bytes;
        t.rows += f->sums.rows;
        t.big_files += f->big;
        if (f->big) t.big_rows += f->sums.rows;
    }
    return t;
}

static int print_json(const struct export_task *e, const struct export_totals *t, struct err *err) {
    json_t *cells = manifest_ledger_json(&e->result.ledger);
    json_t *j = json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:I, s:I, s:{s:I, s:I, s:I, s:I}, s:i, s:f}", "tool",
                          e->env->about->name, "did", "exported", "dataset", json_text(e->dataset), "output",
                          json_text(e->env->o.out.dir), "format", e->o.form->name, "ledger", cells, "rows", (json_int_t)t->rows,
                          "ttl_lost", (json_int_t)e->result.ttl_lost, "files", "count", (json_int_t)e->made.n_files, "big",
                          (json_int_t)t->big_files, "bytes", (json_int_t)t->bytes, "text_bytes", (json_int_t)t->text_bytes,
                          "threads", (int)e->result.threads, "seconds", clock_seconds_since(e->env->started));
    if (j && e->made.delta) {
        uint64_t by[DELETE_TYPES], statements = 0;
        export_deletes_markers(&e->made.deletes, by);
        for (size_t i = 0; i < e->made.deletes.n; i++) statements += e->made.deletes.files[i].statements;
        json_put(j, JSON("deletes", json_new(JSON("files", e->made.deletes.n), JSON("statements", statements),
                                             JSON("markers", export_deletes_markers_json(by)), JSON("ahead", e->result.ahead))));
    }
    return report_json_put(&e->env->reporter, NULL, j, err);
}

void export_warn(const struct export_task *e, struct intake *intake) {
    struct export_totals t = sum_files(&e->made);
    struct reporter *r = &e->env->reporter;
    const struct ledger *l = &e->result.ledger;
    if (l->not_selected.cells && l->not_selected.cells == l->in.cells)
        unmet_warn_unselected(e->env, intake, l->not_selected.cells, "partitions");
    unmet_warn(e->env, intake, l);
    if (l->rejected.cells)
        report_warn(r, WARN_REJECTED, l->rejected.cells, "%s cell%s rejected; see %s/_report/reasons.tsv; first: %s",
                    REPORT_COUNT(l->rejected.cells), l->rejected.cells == 1 ? "" : "s", e->env->o.out.dir,
                    reject_log_first(e->o.rejects));
    if (t.big_rows)
        report_warn(r, WARN_LONG_ROWS, t.big_rows,
                    "%s row%s too long for direct load (over %d bytes as a line): written to %s/big, loaded by "
                    "separate statements",
                    REPORT_COUNT(t.big_rows), t.big_rows == 1 ? " is" : "s are", KQVT_MAX_LINE_BYTES, e->env->o.out.dir);
    export_losses_warn(r, e->o.form, &e->result);
    export_losses_warn_expired(r, l, e->m.kind != DATASET_DELTA);
    if (!l->in.cells) report_warn(r, WARN_NO_RECORDS, 1, "%s holds no cells", e->dataset);
}

static void print_drops(const struct ledger *l) {
    char a[32];
    for (int v = VERDICT_KEEP + 1; v < VERDICT_COUNT; v++)
        if (l->dropped[v].cells) text_print("  %s %s", verdict_name((enum verdict)v), report_count(l->dropped[v].cells, a));
}

static void print_deletes(const struct export_manifest *m) {
    char a[32];
    uint64_t by[DELETE_TYPES], statements = 0;
    if (!export_deletes_markers(&m->deletes, by)) return;
    for (size_t i = 0; i < m->deletes.n; i++) statements += m->deletes.files[i].statements;
    text_print("  deletes   %s statements for", report_count(statements, a));
    const char *between = " ";
    for (unsigned t = 0; t < DELETE_TYPES; t++) {
        if (!by[t]) continue;
        text_print("%s%s %s", between, delete_sql_type_name(t), report_count(by[t], a));
        between = "  ";
    }
    text_print("\n");
}

static void print_text(const struct export_task *e, const struct export_totals *t) {
    const struct ledger *l = &e->result.ledger;
    char a[32], b[32], c[32];
    double seconds = clock_seconds_since(e->env->started);
    text_print("exported %s to %s as %s\n", e->dataset, e->env->o.out.dir, e->o.form->name);
    text_print("  cells     in %s  written %s", report_count(l->in.cells, a), report_count(ledger_written(l)->cells, b));
    if (l->rejected.cells) text_print("  rejected %s", report_count(l->rejected.cells, c));
    if (l->not_selected.cells) text_print("  not selected %s", report_count(l->not_selected.cells, c));
    print_drops(l);
    text_print("  (ledgers balance)\n");
    print_deletes(&e->made);
    text_print("  files     %zu, %s", e->made.n_files, report_bytes(t->bytes, a));
    if (e->o.compression) text_print(" (%s of text)", report_bytes(t->text_bytes, b));
    text_print("\n  time      %.1f s, %u thread%s\n", seconds, e->result.threads, e->result.threads == 1 ? "" : "s");
    if (e->o.form->put) return;
    text_print("  next      obkv-load, or %sload.sql%s by a\n"
               "            MySQL client (--comments) in the database of the tables\n",
               e->asked->create ? "create.sql, " : "", e->made.delta ? "" : " and check.sql");
}

static void note_metrics(const struct export_task *e, const struct export_totals *t) {
    const struct ledger *l = &e->result.ledger;
    struct metrics *m = &e->env->metrics;
    uint64_t statements = 0, dropped = 0;
    for (size_t i = 0; i < e->made.deletes.n; i++) statements += e->made.deletes.files[i].statements;
    for (int v = VERDICT_KEEP + 1; v < VERDICT_COUNT; v++) dropped += l->dropped[v].cells;
    snprintf(m->table, sizeof m->table, "%s", e->made.table.name ? e->made.table.name : "");
    metrics_set(m, "cells_read", "Cells read.", (double)l->in.cells);
    metrics_set(m, "cells_rejected", "Cells rejected.", (double)l->rejected.cells);
    metrics_set(m, "cells_dropped", "Cells that version rules dropped.", (double)dropped);
    metrics_set(m, "rows", "Rows exported.", (double)t->rows);
    metrics_set(m, "delete_statements", "Statements that delete.", (double)statements);
    metrics_set(m, "files", "Files written.", (double)e->made.n_files);
    metrics_set(m, "bytes", "Bytes of the files written.", (double)t->bytes);
}

int export_summary(const struct export_task *e, struct err *err) {
    struct export_totals t = sum_files(&e->made);
    note_metrics(e, &t);
    reporter_end_line(&e->env->reporter);
    if (environment_documents(e->env) && print_json(e, &t, err)) return -1;
    if (!e->env->o.messages.json && !e->env->o.messages.quiet) print_text(e, &t);
    return 0;
}

int export_dry_run(const struct export_task *e, struct err *err) {
    struct buf text = {0};
    char a[32], b[32];
    uint64_t kv = 0;
    for (size_t i = 0; i < e->m.n_files; i++) kv += e->m.files[i].kv_bytes;
    int rc = partitioning_describe(&e->made.table.partitioning, &text, err);
    if (!rc && e->env->o.messages.json)
        rc = report_json_put(&e->env->reporter, "dry-run",
                             json_new(JSON("tool", e->env->about->name), JSON("did", "dry run"),
                                      JSON("dataset", json_text(e->dataset)), JSON("output", json_text(e->env->o.out.dir)),
                                      JSON("cells", e->made.dataset.cells.cells), JSON("kv_bytes", kv)),
                             err);
    else if (!rc)
        text_print("dry run: nothing is written\n  dataset   %s, %s cells, %s of KeyValues\n  target    %s as %s, %.*s\n",
                   e->dataset, report_count(e->made.dataset.cells.cells, a), report_bytes(kv, b), e->env->o.out.dir,
                   e->o.form->name, (int)text.n, (const char *)text.p);
    buf_free(&text);
    return rc;
}
