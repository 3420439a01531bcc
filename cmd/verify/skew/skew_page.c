/* The page of `obkv-verify skew --html`: verdict, tiles and settings; the sections between them are in skew_page_sections.c.
 * Each figure names its path in the JSON document. */
#include "cmd/common/html/page_next.h"
#include "cmd/common/html/page_sections.h"
#include "cmd/common/report_figures.h"
#include "cmd/oceanbase/create_sql.h"
#include "cmd/verify/skew/skew_page_sections.h"
#include "cmd/verify/skew/skew_view.h"

#include "cmd/common/html/page.h"

/* Above these, a spread is called uneven, and skewed. */
static const double UNEVEN = 1.2, SKEWED = 2;

/* ---- the top of the page ---- */

static void put_verdict(const struct skew_view *v, struct page *p) {
    const struct spread *s = &v->all.spread[SKEW_KV_BYTES];
    bool bad = s->max_mean > SKEWED || v->n_over;
    page_raw(p, "<p class=\"verdict%s\">", bad ? " bad" : "");
    if (!v->all.total.cells)
        page_raw(p, "<strong>Empty.</strong> It holds no cells.");
    else if (v->partitions == 1)
        page_raw(p, "<strong>One partition</strong> holds everything.");
    else
        page_raw(p, "<strong>%s:</strong> the heaviest of %u partitions holds %.2f times the mean.",
                 s->max_mean <= UNEVEN   ? "Even"
                 : s->max_mean <= SKEWED ? "Somewhat uneven"
                                         : "Skewed",
                 v->partitions, s->max_mean);
    if (v->all.total.cells && s->empty) page_raw(p, " %u %s empty.", s->empty, s->empty == 1 ? "is" : "are");
    if (v->n_over) page_raw(p, " %u %s above the limit.", v->n_over, v->n_over == 1 ? "is" : "are");
    const struct top_rows *rows = &v->r->sums.heaviest;
    if (rows->n && skew_share(v, rows->rows[0].bytes) >= 0.01)
        page_raw(p, " One row alone holds %.1f %% of all bytes.", 100 * skew_share(v, rows->rows[0].bytes));
    page_raw(p, "</p>\n");
}

static void put_tiles(const struct skew_view *v, struct page *p) {
    const struct skew_part *t = &v->all.total;
    const struct spread *s = &v->all.spread[SKEW_KV_BYTES];
    page_raw(p, "<dl class=\"tiles\">\n");
    if (v->known[SKEW_ROWS]) tile_whole(p, "rows", t->rows, report_count, "total.rows");
    tile_whole(p, "cells", t->cells, report_count, "total.cells");
    tile_whole(p, "KeyValue bytes", t->kv_bytes, report_bytes, "total.kv_bytes");
    if (v->r->stored) tile_whole(p, "bytes in files", t->file_bytes, report_bytes, "total.file_bytes");
    tile_open(p, "max / mean");
    figure_real(p, s->max_mean, 2, "spread.kv_bytes.max_mean");
    tile_close(p);
    tile_open(p, "Gini");
    figure_real(p, s->gini, 3, "spread.kv_bytes.gini");
    tile_close(p);
    tile_whole(p, "empty partitions", s->empty, report_count, "spread.kv_bytes.empty");
    tile_open(p, "above the limit");
    page_raw(p, "%u</dd></div>\n</dl>\n", v->n_over);
}

/* ---- account, settings ---- */

static void put_count(struct page *p, const char *name, uint64_t n, const char *path) {
    char text[32];
    page_row(p);
    page_raw(p, "<th scope=\"row\">%s</th>", name);
    page_cell(p, true);
    page_figure(p, &(struct page_figure){.figure = path, .shown = report_count(n, text), .whole = n, .is_whole = true});
}

static void put_records(const struct ledger *l, struct page *p) {
    static const char *const heads[] = {"records", "#number"};
    page_table(p, "read = accepted + rejected + skipped", heads, countof(heads));
    put_count(p, "read", l->records_read, "account.records_read");
    put_count(p, "accepted", l->records_accepted, "account.records_accepted");
    put_count(p, "rejected", l->records_rejected, "account.records_rejected");
    put_count(p, "skipped", l->records_skipped, "account.records_skipped");
    page_table_end(p);
}

static void put_cells(const struct skew_view *v, struct page *p) {
    static const char *const heads[] = {"cells", "#number"};
    const struct ledger *l = &v->r->ledger;
    page_table(p, v->r->stored ? "in = written + rejected + dropped by rules" : "in = counted + rejected", heads, countof(heads));
    put_count(p, "in", l->in.cells, "account.cells_in");
    put_count(p, "rejected", l->rejected.cells, "account.cells_rejected");
    for (int i = VERDICT_KEEP + 1; i < VERDICT_COUNT; i++)
        if (l->dropped[i].cells) put_count(p, verdict_name((enum verdict)i), l->dropped[i].cells, NULL);
    if (v->r->stored) put_count(p, "written", ledger_written(l)->cells, "account.cells_written");
    put_count(p, "counted here", v->all.total.cells, "account.cells_counted");
    page_table_end(p);
}

static void put_account(const struct skew_view *v, struct page *p) {
    page_section(p, "account", "Account",
                 v->r->quick    ? "From the manifest; no cell was read."
                 : v->r->stored ? skew_account_holds(v)
                                      ? "The figures recorded by the run that made this dataset and the figures counted "
                                        "here agree, by number and digest."
                                      : "The figures recorded by the run that made this dataset and the figures counted "
                                        "here DIFFER; run obkv-verify check."
                                : "Every record and every cell that was read is accounted for.");
    page_raw(p, "<div class=\"two\">\n");
    put_records(&v->r->ledger, p);
    put_cells(v, p);
    page_raw(p, "</div>\n");
    if (*v->first_reject) {
        page_raw(p, "<p>First reject: <code>");
        page_text(p, v->first_reject);
        page_raw(p, "</code></p>\n");
    }
    page_section_end(p);
}

/* ---- what to do next ---- */

static void put_steps(const struct skew_view *v, const struct skew_page_facts *f, struct page *p) {
    const char *input = f->inputs[0];
    if (!v->r->stored) {
        page_next_import(p, v->o, "table.sql");
        return;
    }
    page_next_command(p, "Write the dataset as load files, then load them:",
                      (const char *const[]){"obkv-export", "--ddl", "table.sql", "--create", "-o", "EXPORT", input, NULL});
    page_next_command(p, NULL,
                      (const char *const[]){"obkv-load", "--create", "--target", "HOST:2881/DATABASE", "--user", "USER@TENANT",
                                            "EXPORT", NULL});
    page_next_command(p, "Compare other partitionings, and repartition the dataset without reading the source again:",
                      (const char *const[]){"obkv-split", "plan", "-o", "PLAN", "--html", "plan.html", input, NULL});
    page_next_command(p, NULL, (const char *const[]){"obkv-split", "apply", "--ddl", "PLAN/table.sql", "-o", "OUT", input, NULL});
}

static void put_next(const struct skew_view *v, const struct skew_page_facts *f, struct page *p) {
    struct buf sql = {0};
    const int refused = v->families && !p->err.code ? create_sql_show(&sql, v->table, &p->err) : -1;
    if (refused >= 0) {
        page_next_begin(p,
                        refused ? (const char *)sql.p
                                : "The table with this partitioning; save it as table.sql. One click selects all of it.",
                        refused ? "" : (const char *)sql.p);
        put_steps(v, f, p);
        page_next_end(p);
    }
    buf_free(&sql);
}

static void put_settings(const struct skew_view *v, const struct skew_page_facts *f, struct page *p) {
    char text[48];
    page_origin_begin(&f->made, p);
    page_setting(p, "partitioning", (const char *)v->partitioning.p);
    for (int i = 0; i < f->n_inputs; i++) page_setting(p, "input", f->inputs[i]);
    page_setting(p, "read", v->r->quick ? "manifest and indexes" : "every cell");
    page_setting(p, "limit of a partition", report_bytes(v->o->spread.max_partition, text));
    page_setting(p, "nodes", report_count(v->o->spread.nodes, text));
    page_origin_end(&f->made, p);
}

int skew_page_write(const struct skew_view *v, const struct skew_page_facts *f, const char *path, struct err *err) {
    struct page p;
    char title[300], subtitle[400];
    const char *what = f->inputs[0], *slash = strrchr(what, '/');
    snprintf(title, sizeof title, "How %.200s is spread", slash && slash[1] ? slash + 1 : what);
    snprintf(subtitle, sizeof subtitle, "%.300s · %u famil%s%s", (const char *)v->partitioning.p, v->families,
             v->families == 1 ? "y" : "ies", v->r->quick ? " · by manifest and indexes only" : "");
    page_open(&p, &(struct page_head){title, subtitle});
    put_verdict(v, &p);
    put_tiles(v, &p);
    skew_page_partitions(v, &p);
    skew_page_evenness(v, &p);
    node_page_put(&v->nodes, "nodes", &p);
    skew_page_keys(v, &p);
    heat_page_put(&v->heat, "heat_map", &p);
    skew_page_versions(v, &p);
    put_next(v, f, &p);
    put_account(v, &p);
    put_settings(v, f, &p);
    return page_finish(&p, path, err);
}
