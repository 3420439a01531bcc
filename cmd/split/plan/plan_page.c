/* The page of `obkv-split plan --html`: the choice that is advised, the ranking, sizes of partitions, key prefixes, nodes and
 * time. Each figure names its path in the JSON document. */
#include "cmd/common/html/page_next.h"
#include "cmd/common/html/page_sections.h"
#include "cmd/common/report_figures.h"
#include "cmd/split/plan/plan_view.h"

#include "cmd/common/html/page.h"
#include "cmd/common/output_text.h"
#include "cmd/common/html/chart.h"

#include <stdlib.h>

enum { CHOICES = 10, LISTED = 1000 };

static void put_described(struct page *p, const struct plan_choice *c) {
    struct buf text = {0};
    if (!plan_choice_describe(c, &text, &p->err) && !buf_put_byte(&text, 0, &p->err)) page_text(p, (const char *)text.p);
    buf_free(&text);
}

/* ---- the top of the page ---- */

static void put_verdict(const struct plan_design *d, struct page *p) {
    page_raw(p, "<p class=\"verdict\">");
    if (!d->n || !d->r.facts.rows) {
        page_raw(p, "<strong>Nothing to plan:</strong> there are no rows.</p>\n");
        return;
    }
    page_raw(p, "<strong>Take ");
    put_described(p, d->list[0].choice);
    page_raw(p, ":</strong> ");
    for (size_t i = 0; i < d->list[0].why.n; i++) {
        const char one[2] = {(char)d->list[0].why.p[i], 0};
        if (one[0]) page_text(p, one);
    }
    page_raw(p, "</p>\n");
}

static void put_note(struct page *p, struct bytes text) {
    char line[1024];
    snprintf(line, sizeof line, "%.*s", (int)text.n, (const char *)text.p);
    page_raw(p, "<p class=\"note\">");
    page_text(p, line);
    page_raw(p, "</p>\n");
}

/* Writes why what was asked for is not advised, then what was assumed. */
static void put_notes(const struct plan_view *v, struct page *p) {
    struct bytes rest = buf_bytes(&v->notes);
    if (v->access_doubt.n) put_note(p, bytes_str((const char *)v->access_doubt.p));
    while (rest.n) put_note(p, plan_take_line(&rest));
}

static void put_tiles(const struct plan_view *v, struct page *p) {
    const struct plan_design *d = &v->designs[0];
    page_raw(p, "<dl class=\"tiles\">\n");
    tile_whole(p, d->r.sampling.share < 1 ? "rows in the sample" : "rows", d->r.facts.rows, report_count, "designs.0.rows");
    tile_whole(p, "cells", d->r.facts.cells, report_count, "designs.0.cells");
    tile_whole(p, "KeyValue bytes", d->r.facts.bytes, report_bytes, "designs.0.kv_bytes");
    tile_whole(p, "nodes", v->o->spread.nodes, report_count, "nodes");
    tile_whole(p, "partitions wanted", v->wanted, report_count, "partitions_wanted");
    tile_whole(p, "limit of a partition", v->o->spread.max_partition, report_bytes, "partition_limit_bytes");
    page_raw(p, "</dl>\n");
}

/* ---- choices ---- */

static void put_choice(const struct candidate *c, uint32_t design, uint32_t i, struct page *p) {
    const struct plan_figures *f = &c->figures;
    char x[32];
    page_row(p);
    page_raw(p, "<th scope=\"row\">%u. ", i + 1);
    put_described(p, c->choice);
    page_raw(p, "</th>");
    page_cell(p, true);
    figure_real(p, f->rows.max_mean, 2, "designs.%u.choices.%u.rows.max_mean", design, i);
    page_cell(p, true);
    figure_real(p, f->bytes.max_mean, 2, "designs.%u.choices.%u.bytes.max_mean", design, i);
    page_cell(p, true);
    figure_real(p, f->bytes.gini, 3, "designs.%u.choices.%u.bytes.gini", design, i);
    page_cell(p, true);
    figure_whole(p, f->bytes.empty, report_count, "designs.%u.choices.%u.bytes.empty", design, i);
    page_raw(p, "<td class=\"n\">%s", report_bytes((uint64_t)f->largest, x));
    page_cell(p, true);
    figure_real(p, f->nodes_max, 2, "designs.%u.choices.%u.nodes_max_mean", design, i);
    page_cell(p, true);
    if (f->newest_known)
        figure_share(p, f->hot_share, "designs.%u.choices.%u.newest_share", design, i);
    else
        page_raw(p, "–");
}

static void put_choices(const struct plan_view *v, uint32_t design, struct page *p) {
    static const char *const heads[] = {"partitioning", "#rows, max / mean",    "#bytes, max / mean", "#Gini",
                                        "#empty",       "#largest, as planned", "#nodes, max / mean", "#newest 1 % in one"};
    const struct plan_design *d = &v->designs[design];
    char caption[120];
    uint32_t n = d->listed < CHOICES ? d->listed : CHOICES;
    snprintf(caption, sizeof caption, "%u, best first", n);
    page_table(p, caption, heads, countof(heads));
    for (uint32_t i = 0; i < n; i++) put_choice(&d->list[i], design, i, p);
    page_table_end(p);
}

static void put_designs(const struct plan_view *v, struct page *p) {
    for (uint32_t i = 0; i < v->n_designs; i++) {
        const struct plan_design *d = &v->designs[i];
        char id[24];
        snprintf(id, sizeof id, "design%u", i);
        page_section(p, id, *d->text ? d->text : v->n_designs > 1 ? "Keys as they are" : "Choices", NULL);
        put_choices(v, i, p);
        page_section_end(p);
    }
}

/* ---- the one to take ---- */

static void put_bars(const struct plan_view *v, const struct candidate *c, struct page *p) {
    const double scale = v->designs[0].r.facts.bytes ? v->expected_bytes / (double)v->designs[0].r.facts.bytes : 1;
    struct named_bars b;
    if (named_bars_open(&b, c->choice->n, p)) {
        for (uint32_t i = 0; i < b.n; i++) {
            b.values[i] = (uint64_t)((double)c->choice->parts[i].bytes * scale + 0.5);
            snprintf(b.names[i].text, sizeof b.names[i].text, "p%u", i);
        }
        named_bars_put(&b,
                       &(struct chart_bars){
                           .text = {"Expected bytes per partition", "KeyValue bytes of each partition at the size planned for."},
                           .number = report_bytes,
                           .limit = v->o->spread.max_partition,
                           .unit = "partition"},
                       p);
    }
    named_bars_close(&b);
}

/* As the JSON document has them: scaled to all rows where a sample was taken. */
static void put_partitions(const struct candidate *taken, struct page *p) {
    const struct plan_choice *c = taken->choice;
    static const char *const heads[] = {"partition", "#rows", "#cells", "#KeyValue bytes"};
    page_details(p, "Table of partitions");
    page_table(p, "Rows, cells and bytes of the input", heads, countof(heads));
    for (uint32_t i = 0; i < c->n && i < LISTED; i++) {
        const struct estimate e = estimate_of(&taken->figures.precision, &c->parts[i]);
        page_row(p);
        page_raw(p, "<th scope=\"row\">p%u</th>", i);
        page_cell(p, true);
        figure_whole(p, (uint64_t)(e.rows + 0.5), report_count, "designs.0.choices.0.partitions.%u.0", i);
        page_cell(p, true);
        figure_whole(p, (uint64_t)(e.cells + 0.5), report_count, "designs.0.choices.0.partitions.%u.1", i);
        page_cell(p, true);
        figure_whole(p, (uint64_t)(e.bytes + 0.5), report_bytes, "designs.0.choices.0.partitions.%u.2", i);
    }
    page_table_end(p);
    page_details_end(p);
}

static void put_taken(const struct plan_view *v, struct page *p) {
    const struct candidate *c = &v->designs[0].list[0];
    page_section(p, "taken", "The recommended partitioning", NULL);
    page_raw(p, "<div class=\"two wide\">\n");
    put_bars(v, c, p);
    if (c->figures.bytes.total && c->choice->n > 1)
        chart_lorenz(
            p,
            &(struct chart_text){"Lorenz curve of KeyValue bytes over partitions", "The further below the line, the less even."},
            c->figures.bytes.lorenz, SPREAD_LORENZ);
    page_raw(p, "</div>\n");
    put_partitions(c, p);
    page_section_end(p);
}

/* ---- what to do next ---- */

static void put_next(const struct plan_view *v, struct page *p) {
    const char *dir = v->o->out.dir;
    char table[4096];
    if (!v->sql.n) return;
    snprintf(table, sizeof table, "%s%stable.sql", dir ? dir : "", dir ? "/" : "");
    page_next_begin(p,
                    dir ? "The table with this choice, as in table.sql. One click selects all of it."
                        : "The table with this choice; save it as table.sql. One click selects all of it.",
                    (const char *)v->sql.p);
    if (v->o->n_inputs) page_next_import(p, v->o, table);
    page_next_end(p);
}

/* ---- keys ---- */

static void put_positions(const struct plan_design *d, struct page *p) {
    static const char *const heads[] = {"leading bytes", "#bits of the last", "", "#different", "#bytes under the heaviest"};
    uint32_t longest = d->r.facts.longest < PLAN_PREFIX_MAX ? (uint32_t)d->r.facts.longest : PLAN_PREFIX_MAX;
    page_table(p, "How well each byte of the key distinguishes rows", heads, countof(heads));
    for (uint32_t n = 1; n <= longest; n++) {
        double bits = key_facts_entropy(&d->r.facts, n - 1);
        page_row(p);
        page_raw(p, "<th scope=\"row\">%u</th>", n);
        page_cell(p, true);
        figure_real(p, bits, 2, "designs.0.keys.prefixes.%u.entropy_bits", n - 1);
        page_cell(p, false);
        chart_range(p, bits / 8, bits / 8);
        page_cell(p, true);
        figure_whole(p, d->r.runs.distinct[n], report_count, "designs.0.keys.prefixes.%u.distinct", n - 1);
        page_cell(p, true);
        figure_whole(p, d->r.runs.heaviest[n], report_bytes, "designs.0.keys.prefixes.%u.heaviest_bytes", n - 1);
        if (d->r.runs.distinct[n] == d->r.facts.rows) break; /* longer ones say no more */
    }
    page_table_end(p);
}

static void put_rows(const struct plan_design *d, struct page *p) {
    static const char *const heads[] = {"row", "#bytes", "#cells"};
    if (!d->r.top.n) return;
    page_table(p, "Heaviest rows", heads, countof(heads));
    for (uint32_t i = 0; i < d->r.top.n; i++) {
        page_row(p);
        page_key_cell(p, top_row_key(&d->r.top.rows[i]));
        page_cell(p, true);
        figure_whole(p, d->r.top.rows[i].bytes, report_bytes, "designs.0.keys.heaviest_rows.%u.bytes", i);
        page_cell(p, true);
        figure_whole(p, d->r.top.rows[i].cells, report_count, "designs.0.keys.heaviest_rows.%u.cells", i);
    }
    page_table_end(p);
}

static void put_prefixes(const struct plan_design *d, struct page *p) {
    static const char *const heads[] = {"prefix", "#share of bytes", ""};
    const double total = d->prefixes.total_bytes ? (double)d->prefixes.total_bytes : 1;
    if (!d->prefixes.n) return;
    page_table(p, "Heavy prefixes: at least", heads, countof(heads));
    for (uint32_t i = 0; i < d->prefixes.n; i++) {
        const struct key_prefix_weight *w = &d->prefixes.list[i];
        page_row(p);
        page_key_cell(p, bytes_of(w->key, w->n));
        page_raw(p, "<td class=\"n\">%.1f %%<td>", 100 * (double)w->low.bytes / total);
        chart_range(p, (double)w->low.bytes / total, (double)w->high.bytes / total);
    }
    page_table_end(p);
}

static void put_keys(const struct plan_design *d, struct page *p) {
    page_section(p, "keys", "Row keys", NULL);
    put_positions(d, p);
    put_rows(d, p);
    put_prefixes(d, p);
    page_section_end(p);
}

/* ---- account, settings ---- */

static void put_account(const struct plan_view *v, struct page *p) {
    const struct ledger *l = &v->designs[0].r.ledger;
    char x[32], y[32], z[32], w[32];
    page_section(p, "account", "Account", NULL);
    page_raw(p, "<p>Records: %s read = %s accepted + %s rejected + %s skipped.</p>\n", report_count(l->records_read, x),
             report_count(l->records_accepted, y), report_count(l->records_rejected, z), report_count(l->records_skipped, w));
    page_section_end(p);
}

static void put_settings(const struct plan_view *v, const struct page_origin *made, struct page *p) {
    char at[48], tool[64], x[32];
    moment_text(made->now_ms, true, at);
    page_origin_tool(made, tool);
    page_section(p, "settings", "How this page was made", NULL);
    page_raw(p, "<pre><code>");
    page_origin_command(p);
    page_raw(p, "</code></pre>\n<p class=\"note\">%s, %s. Planned for %s of KeyValues.</p>\n", tool, at,
             report_bytes((uint64_t)v->expected_bytes, x));
    page_section_end(p);
}

int plan_page_write(const struct plan_view *v, const struct page_origin *made, const char *path, struct err *err) {
    struct page p;
    char subtitle[200], x[32];
    bool rows = v->designs[0].n && v->designs[0].r.facts.rows;
    snprintf(subtitle, sizeof subtitle, "planned for %s on %llu nodes · %s", report_bytes((uint64_t)v->expected_bytes, x),
             (unsigned long long)v->o->spread.nodes, v->designs[0].r.sampling.share < 1 ? "from a sample" : "from all rows");
    page_open(&p, &(struct page_head){"Recommended partitions", subtitle});
    put_verdict(&v->designs[0], &p);
    put_notes(v, &p);
    put_tiles(v, &p);
    if (rows) put_taken(v, &p);
    put_next(v, &p);
    if (rows) node_page_put(&v->designs[0].nodes, "designs.0.nodes", &p);
    put_designs(v, &p);
    if (rows) put_keys(&v->designs[0], &p);
    heat_page_put(&v->designs[0].heat, "designs.0.heat_map", &p);
    put_account(v, &p);
    put_settings(v, made, &p);
    return page_finish(&p, path, err);
}
