/* The sections of the skew page: partitions as bars with their Lorenz curve, families, rows and versions, heaviest rows and key
 * prefixes. */
#include "cmd/common/report_figures.h"
#include "cmd/verify/skew/skew_page_sections.h"
#include "cmd/verify/skew/skew_view.h"
#include "cmd/common/html/chart.h"

#include <stdlib.h>

/* Partitions in the table; of more the heaviest. */
enum { LISTED = 1000, UNFOLDED = 10 };

static const char *partition_name(const void *arg, uint32_t i) {
    const struct skew_view *v = arg;
    return v->table->partitioning.names[i];
}

/* ---- partitions ---- */

static void put_partition(const struct skew_view *v, uint32_t i, struct page *p) {
    const struct skew_part *t = &v->all.parts[i];
    double mean = v->all.spread[SKEW_KV_BYTES].mean;
    page_row(p);
    page_raw(p, "<th scope=\"row\">");
    page_text(p, v->table->partitioning.names[i]);
    page_raw(p, "</th>");
    for (int m = 0; m < SKEW_MEASURES; m++) {
        const char *name = skew_measure_name((enum skew_measure)m);
        if (!v->known[m]) continue;
        page_cell(p, true);
        figure_whole(p, skew_amount(t, (enum skew_measure)m), m < SKEW_KV_BYTES ? report_count : report_bytes, "partitions.%u.%s",
                     i, name);
    }
    if (v->known[SKEW_ROWS]) {
        page_cell(p, true);
        figure_real(p, skew_versions_mean(t), 2, "partitions.%u.versions_mean", i);
        page_cell(p, true);
        figure_whole(p, t->versions_most, report_count, "partitions.%u.versions_most", i);
    }
    page_cell(p, true);
    page_raw(p, "%.2f", mean > 0 ? (double)t->kv_bytes / mean : 0);
}

static void put_partition_table(const struct skew_view *v, struct page *p) {
    static const char *const full[] = {"partition", "#rows", "#cells", "#KeyValue bytes", "#versions, mean", "#most", "#× mean"};
    static const char *const stored[] = {"partition", "#rows",           "#cells", "#KeyValue bytes",
                                         "#in files", "#versions, mean", "#most",  "#× mean"};
    static const char *const quick[] = {"partition", "#cells", "#KeyValue bytes", "#in files", "#× mean"};
    uint32_t n = v->partitions < LISTED ? v->partitions : LISTED;
    char caption[120];
    uint32_t *order = skew_view_order(v, n < v->partitions, &p->err);
    if (!order) return;
    snprintf(caption, sizeof caption, n < v->partitions ? "The %u heaviest of %u partitions (--json has all)" : "%u partitions",
             n, v->partitions);
    page_details(p, "Table of partitions");
    page_table(p, caption,
               v->r->quick    ? quick
               : v->r->stored ? stored
                              : full,
               v->r->quick    ? countof(quick)
               : v->r->stored ? countof(stored)
                              : countof(full));
    for (uint32_t i = 0; i < n; i++) put_partition(v, order[i], p);
    page_table_end(p);
    page_details_end(p);
    free(order);
}

static void put_over(const struct skew_view *v, struct page *p) {
    static const char *const heads[] = {"partition", "family", "#KeyValue bytes"};
    char caption[80], x[32];
    if (!v->n_over) return;
    snprintf(caption, sizeof caption, "%u above %s", v->n_over, report_bytes(v->o->spread.max_partition, x));
    if (v->n_over > UNFOLDED) page_details(p, caption);
    page_table(p, caption, heads, countof(heads));
    for (uint32_t i = 0; i < v->n_over && i < LISTED; i++) {
        page_row(p);
        page_cell(p, false);
        page_text(p, v->table->partitioning.names[v->over[i].partition]);
        page_cell(p, false);
        page_text(p, v->table->families[v->over[i].family].name);
        page_cell(p, true);
        figure_whole(p, v->over[i].bytes, report_bytes, "above_limit.partitions.%u.kv_bytes", i);
    }
    page_table_end(p);
    if (v->n_over > UNFOLDED) page_details_end(p);
}

/* limit 0: none. Charts of families stand side by side, and their axes reach as far. */
static void put_bars(const struct skew_view *v, const struct skew_table *t, const char *title, uint64_t limit, struct page *p) {
    uint64_t reach = 0;
    for (uint32_t f = 0; t != &v->all && f < v->families; f++)
        if (v->family[f].spread[SKEW_KV_BYTES].most > reach) reach = v->family[f].spread[SKEW_KV_BYTES].most;
    uint64_t *values = calloc(v->partitions + 1, sizeof *values);
    const struct spread *s = &t->spread[SKEW_KV_BYTES];
    char desc[200], x[32], y[32], z[32];
    if (!values) {
        err_nomem(&p->err, v->partitions * sizeof *values, "a chart");
        return;
    }
    for (uint32_t i = 0; i < v->partitions; i++) values[i] = t->parts[i].kv_bytes;
    snprintf(desc, sizeof desc, "KeyValue bytes of %u partitions in their order: %s to %s, mean %s.", v->partitions,
             report_bytes(s->least, x), report_bytes(s->most, y), report_bytes((uint64_t)(s->mean + 0.5), z));
    chart_bars(p, &(struct chart_bars){.text = {title, desc},
                                       .values = values,
                                       .n = v->partitions,
                                       .name = partition_name,
                                       .arg = v,
                                       .number = report_bytes,
                                       .limit = limit,
                                       .reach = reach,
                                       .unit = "partition",
                                       .small = t != &v->all});
    free(values);
}

/* A family is a table: it is its partitions that the limit is about. */
static void put_family_bars(const struct skew_view *v, struct page *p) {
    char title[300];
    page_raw(p, "<div class=\"two\">\n");
    for (uint32_t f = 0; f < v->families; f++) {
        snprintf(title, sizeof title, "Family %.250s", v->table->families[f].name);
        page_raw(p, "<div><h3>");
        page_text(p, title);
        page_raw(p, "</h3>\n");
        put_bars(v, &v->family[f], title, v->o->spread.max_partition, p);
        page_raw(p, "</div>\n");
    }
    page_raw(p, "</div>\n");
}

void skew_page_partitions(const struct skew_view *v, struct page *p) {
    bool one = v->families == 1;
    page_section(p, "partitions", "Partitions", NULL);
    if (!one) page_raw(p, "<h3>All families</h3>\n");
    put_bars(v, &v->all, one ? "Bytes per partition" : "Bytes per partition, all families", one ? v->o->spread.max_partition : 0,
             p);
    if (!one) put_family_bars(v, p);
    put_over(v, p);
    put_partition_table(v, p);
    page_section_end(p);
}

/* ---- how even ---- */

static void put_spread(const struct skew_view *v, const struct skew_table *t, const char *caption, const char *path,
                       struct page *p) {
    static const char *const heads[] = {"of", "#mean", "#median", "#most", "#max / mean", "#cv", "#Gini", "#empty"};
    static const char *const names[] = {"rows", "cells", "KeyValue bytes", "bytes in files"};
    page_table(p, caption, heads, countof(heads));
    for (int m = 0; m < SKEW_MEASURES; m++) {
        const struct spread *s = &t->spread[m];
        const char *name = skew_measure_name((enum skew_measure)m);
        page_number_text *number = m < SKEW_KV_BYTES ? report_count : report_bytes;
        char x[32];
        if (!v->known[m]) continue;
        page_row(p);
        page_raw(p, "<th scope=\"row\">%s</th><td class=\"n\">%s", names[m], number((uint64_t)(s->mean + 0.5), x));
        page_cell(p, true);
        figure_whole(p, s->median, number, "%sspread.%s.median", path, name);
        page_cell(p, true);
        figure_whole(p, s->most, number, "%sspread.%s.most", path, name);
        page_cell(p, true);
        figure_real(p, s->max_mean, 2, "%sspread.%s.max_mean", path, name);
        page_cell(p, true);
        figure_real(p, s->cv, 3, "%sspread.%s.cv", path, name);
        page_cell(p, true);
        figure_real(p, s->gini, 3, "%sspread.%s.gini", path, name);
        page_cell(p, true);
        figure_whole(p, s->empty, report_count, "%sspread.%s.empty", path, name);
    }
    page_table_end(p);
}

void skew_page_evenness(const struct skew_view *v, struct page *p) {
    const struct spread *s = &v->all.spread[SKEW_KV_BYTES];
    char desc[200], title[300], path[48];
    page_section(p, "evenness", "How even",
                 "Max / mean: the heaviest partition as a multiple of the mean. cv: standard deviation over mean. Gini: "
                 "0 is even; near 1, one partition holds everything.");
    page_raw(p, "<div class=\"two wide\"><div>\n");
    put_spread(v, &v->all, v->families > 1 ? "All families" : "Over partitions", "", p);
    for (uint32_t f = 0; v->families > 1 && f < v->families; f++) {
        snprintf(title, sizeof title, "Family %.200s", v->table->families[f].name);
        snprintf(path, sizeof path, "families.%u.", f);
        put_spread(v, &v->family[f], title, path, p);
    }
    page_raw(p, "</div>\n");
    if (s->total && v->partitions > 1) {
        snprintf(desc, sizeof desc, "The lighter half of the partitions holds %.1f %% of the bytes, the heaviest tenth %.1f %%.",
                 100 * s->lorenz[50], 100 * (1 - s->lorenz[90]));
        chart_lorenz(p, &(struct chart_text){"Lorenz curve of KeyValue bytes over partitions", desc}, s->lorenz, SPREAD_LORENZ);
    }
    page_raw(p, "</div>\n");
    page_section_end(p);
}

/* ---- rows and prefixes ---- */

static void put_rows(const struct skew_view *v, struct page *p) {
    static const char *const heads[] = {"row", "#share", "", "#bytes", "#cells", "family", "partition"};
    const struct top_rows *rows = &v->r->sums.heaviest;
    if (!rows->n) return;
    page_table(p, "Heaviest rows", heads, countof(heads));
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct top_row *r = &rows->rows[i];
        page_row(p);
        page_key_cell(p, top_row_key(r));
        page_cell(p, true);
        figure_share(p, skew_share(v, r->bytes), "heaviest_rows.%u.share", i);
        page_cell(p, false);
        chart_range(p, skew_share(v, r->bytes), skew_share(v, r->bytes));
        page_cell(p, true);
        figure_whole(p, r->bytes, report_bytes, "heaviest_rows.%u.kv_bytes", i);
        page_cell(p, true);
        figure_whole(p, r->cells, report_count, "heaviest_rows.%u.cells", i);
        page_cell(p, false);
        page_text(p, v->table->families[r->family].name);
        page_cell(p, false);
        page_text(p, v->table->partitioning.names[r->partition]);
    }
    page_table_end(p);
}

static void put_prefix(const struct skew_view *v, uint32_t i, struct page *p) {
    const struct key_prefix_weight *w = &v->prefixes.list[i];
    double low = skew_share(v, w->low.bytes), high = skew_share(v, w->high.bytes);
    page_row(p);
    page_key_cell(p, bytes_of(w->key, w->n));
    page_cell(p, true);
    figure_share(p, low, "prefixes.%u.share.0", i);
    if ((int)(1000 * high + 0.5) != (int)(1000 * low + 0.5)) {
        page_raw(p, " – ");
        figure_share(p, high, "prefixes.%u.share.1", i);
    }
    page_cell(p, false);
    chart_range(p, low, high);
    if (!v->r->quick) {
        page_cell(p, true);
        figure_whole(p, w->low.rows, report_count, "prefixes.%u.rows.0", i);
        if (w->high.rows != w->low.rows) {
            page_raw(p, " – ");
            figure_whole(p, w->high.rows, report_count, "prefixes.%u.rows.1", i);
        }
    }
}

static void put_prefixes(const struct skew_view *v, struct page *p) {
    static const char *const full[] = {"prefix", "#share of bytes", "", "#rows"}, *const quick[] = {
                                                                                      "prefix", "#share of bytes on disk", ""};
    if (!v->prefixes.n) return;
    page_table(p, "Heavy prefixes of row keys; two figures are the minimum and the maximum", v->r->quick ? quick : full,
               v->r->quick ? countof(quick) : countof(full));
    for (uint32_t i = 0; i < v->prefixes.n; i++) put_prefix(v, i, p);
    page_table_end(p);
}

void skew_page_keys(const struct skew_view *v, struct page *p) {
    page_section(p, "keys", "Heaviest rows and prefixes", NULL);
    put_rows(v, p);
    put_prefixes(v, p);
    if (!v->prefixes.n && !v->r->sums.heaviest.n) page_raw(p, "<p>None.</p>\n");
    page_section_end(p);
}

/* ---- versions ---- */

void skew_page_versions(const struct skew_view *v, struct page *p) {
    static const char *const heads[] = {"versions", "#columns", "#share", ""};
    const struct skew_part *t = &v->all.total;
    uint32_t i = 0;
    if (!t->columns) return;
    page_section(p, "versions", "Versions per cell", NULL);
    page_raw(p, "<p>Mean ");
    figure_real(p, skew_versions_mean(t), 2, "total.versions_mean");
    page_raw(p, ", most ");
    figure_whole(p, t->versions_most, report_count, "total.versions_most");
    page_raw(p, ", of one row, family and qualifier.</p>\n");
    page_table(p, "Columns by their number of versions", heads, countof(heads));
    for (struct skew_versions s = skew_versions_next(v, NULL); s.from; s = skew_versions_next(v, &s), i++) {
        double share = (double)s.columns / (double)t->columns;
        page_row(p);
        page_raw(p, s.from == s.to ? "<th scope=\"row\">%llu</th>" : "<th scope=\"row\">%llu – %llu</th>",
                 (unsigned long long)s.from, (unsigned long long)s.to);
        page_cell(p, true);
        figure_whole(p, s.columns, report_count, "versions.%u.columns", i);
        page_raw(p, "<td class=\"n\">%.1f %%<td>", 100 * share);
        chart_range(p, share, share);
    }
    page_table_end(p);
    page_section_end(p);
}
