/* Writes the sections of the page of `obkv-split simulate` on regions, partitions and nodes over time: how hot the hottest place
 * is slice by slice, writes by place and time, and what nodes take in all. */
#include "cmd/common/html/chart.h"
#include "cmd/common/html/page.h"
#include "cmd/common/html/page_sections.h"
#include "cmd/common/output_text.h"
#include "cmd/common/report_figures.h"
#include "cmd/split/plan/advice.h"
#include "cmd/split/simulate/simulate_page_sections.h"
#include "cmd/split/simulate/simulate_view.h"

#include <math.h>

enum { LISTED = 1000, MAP_ROWS = 32 };

/* Writes when a slice begins: the time of day is enough where all is within a day. */
static void slice_text(const struct simulate_view *v, uint32_t slice, char out[48]) {
    int64_t first = simulate_slice_ms(v, 0), end = simulate_slice_ms(v, v->partitions.history->slices);
    moment_text_within(simulate_slice_ms(v, slice), end - first, out);
}

/* ---- how hot, slice by slice ---- */

static uint64_t hottest_slice(const struct simulate_side *s) {
    double most = 0;
    for (uint32_t i = 0; i < s->history->slices; i++) {
        const double share = simulate_share(s->figures.slices[i].most, s->figures.slices[i].writes);
        if (share > most) most = share;
    }
    return simulate_hundredths(most);
}

static void put_moments(const struct simulate_view *v, const struct simulate_side *s, const char *title, const char *place,
                        struct page *p) {
    const uint64_t regions = hottest_slice(&v->regions), partitions = hottest_slice(&v->partitions);
    const struct write_history_figures *f = &s->figures;
    struct named_bars b;
    char desc[200];
    snprintf(desc, sizeof desc, "The hottest %s takes %.1f %% of the writes on average, at most %.1f %%; even would be %.1f %%.",
             place, 100 * f->hottest_mean, 100 * f->hottest_most, 100.0 / s->history->places);
    if (named_bars_open(&b, s->history->slices, p)) {
        for (uint32_t i = 0; i < b.n; i++) {
            b.values[i] = simulate_hundredths(simulate_share(f->slices[i].most, f->slices[i].writes));
            slice_text(v, i, b.names[i].text);
        }
        named_bars_put(&b,
                       &(struct chart_bars){.text = {title, desc},
                                            .number = simulate_percent_text,
                                            .reach = regions > partitions ? regions : partitions,
                                            .unit = "slice of time",
                                            .small = true},
                       p);
    }
    named_bars_close(&b);
}

static void put_moment_table(const struct simulate_view *v, struct page *p) {
    static const char *const heads[] = {"from", "#writes", "#hottest region", "#its share", "#hottest partition", "#its share"};
    page_details(p, "Table of the slices of time");
    page_table(p, "The hottest of each slice", heads, countof(heads));
    for (uint32_t i = 0; i < v->regions.history->slices; i++) {
        const struct write_history_slice *h = &v->regions.figures.slices[i], *o = &v->partitions.figures.slices[i];
        char at[48];
        slice_text(v, i, at);
        page_row(p);
        page_raw(p, "<th scope=\"row\">%s</th>", at);
        page_cell(p, true);
        figure_whole(p, h->writes, report_count, "hbase.slices.%u.writes", i);
        page_raw(p, "<td class=\"n\">%u", h->hottest);
        page_cell(p, true);
        figure_share(p, simulate_share(h->most, h->writes), "hbase.slices.%u.hottest_share", i);
        page_raw(p, "<td class=\"n\">%u", o->hottest);
        page_cell(p, true);
        figure_share(p, simulate_share(o->most, o->writes), "oceanbase.slices.%u.hottest_share", i);
    }
    page_table_end(p);
    page_details_end(p);
}

void simulate_page_moments(const struct simulate_view *v, struct page *p) {
    char lead[200], span[32];
    simulate_span_text(simulate_slice_ms(v, 1) - simulate_slice_ms(v, 0), span);
    snprintf(lead, sizeof lead, "The share of the writes that goes to the hottest region or partition in each %s.", span);
    page_section(p, "moments", "Hottest region and partition over time", lead);
    page_raw(p, "<div class=\"two\">\n");
    put_moments(v, &v->regions, "HBase: the hottest region", "region", p);
    put_moments(v, &v->partitions, "OceanBase: the hottest partition", "partition", p);
    page_raw(p, "</div>\n");
    put_moment_table(v, p);
    page_section_end(p);
}

/* ---- time × place ---- */

struct side_map {
    const struct simulate_view *v;
    const struct simulate_side *side;
    uint32_t rows;
    bool by_key; /* places have first rows */
};

static uint32_t first_place(const struct side_map *m, uint32_t row) {
    return (uint32_t)((uint64_t)row * m->side->history->places / m->rows);
}

/* Mean of the places that share a band. */
static uint32_t map_at(const void *arg, uint32_t row, uint32_t column) {
    const struct side_map *m = arg;
    const struct write_history *c = m->side->history;
    uint32_t from = first_place(m, row), n = first_place(m, row + 1) - from;
    uint64_t sum = 0;
    for (uint32_t i = from; i < from + n; i++) sum += c->writes[(size_t)column * c->places + i];
    return (uint32_t)((sum + n - 1) / n);
}

static void put_label(struct page *p, const void *arg, uint32_t row) {
    const struct side_map *m = arg;
    uint32_t place = first_place(m, row);
    if (!m->by_key)
        page_text(p, m->v->table->partitioning.names[place]);
    else if (place)
        page_bytes(p, simulate_region_row(m->v, place));
    else
        page_raw(p, "first");
}

static double mean_field(const struct simulate_side *s, uint64_t writes) {
    return (double)writes / s->history->places / s->history->slices;
}

/* Returns the lesser mean of the maps of regions and partitions, so that both have one scale; 0: there are no counts of regions
 * that stay as they are. */
static double least_mean(const struct simulate_view *v) {
    return v->emulated ? 0 : fmin(mean_field(&v->regions, v->counted.writes), mean_field(&v->partitions, v->counted.writes));
}

static void put_map(const struct simulate_view *v, const struct simulate_side *side, bool by_key, struct page *p) {
    struct side_map m = {v, side, side->history->places < MAP_ROWS ? side->history->places : MAP_ROWS, by_key};
    char desc[300], from[48], to[48];
    const uint32_t columns = side->history->slices;
    slice_text(v, 0, from);
    slice_text(v, columns, to);
    snprintf(desc, sizeof desc,
             "%s from the top, time from left to right%s. An even field: all are written at all times. A single bright "
             "line is hot.",
             by_key ? "Regions with the lowest keys" : "Partitions",
             m.rows < side->history->places ? "; neighbours share a band, which shows their mean" : "");
    chart_heat(p, &(struct chart_heat){.text = {by_key ? "Writes by region and time" : "Writes by partition and time", desc},
                                       .columns = columns,
                                       .rows = m.rows,
                                       .at = map_at,
                                       .row_label = put_label,
                                       .arg = &m,
                                       .from = from,
                                       .to = columns > 1 ? to : NULL,
                                       .unit = "writes",
                                       .least_mean = least_mean(v)});
}

/* ---- places ---- */

/* Regions and partitions are compared, so that their axes reach as far. */
static uint64_t most_writes(const struct simulate_view *v) {
    const uint64_t regions = v->emulated ? 0 : v->regions.figures.writes.most, partitions = v->partitions.figures.writes.most;
    return regions > partitions ? regions : partitions;
}

static void put_bars(const struct simulate_view *v, const struct simulate_side *s, const struct named_bars *b, const char *title,
                     const char *place, struct page *p) {
    const struct spread *w = &s->figures.writes;
    char desc[200];
    snprintf(desc, sizeof desc, "Most over mean %.2f, Gini %.3f, %u empty.%s", w->max_mean, w->gini, w->empty,
             v->emulated ? "" : " Regions and partitions have the same axis.");
    for (uint32_t i = 0; i < b->n; i++) b->values[i] = s->history->sums[i].writes;
    named_bars_put(b, &(struct chart_bars){.text = {title, desc}, .number = report_count, .unit = place, .reach = most_writes(v)},
                   p);
}

static void put_sums(const struct simulate_side *s, const char *path, uint64_t all, uint32_t i, struct page *p) {
    const struct place_sum *sum = &s->history->sums[i];
    page_cell(p, true);
    figure_whole(p, sum->writes, report_count, "%s.%u.writes", path, i);
    page_cell(p, true);
    figure_share(p, simulate_share(sum->writes, all), "%s.%u.share", path, i);
    page_cell(p, true);
    figure_whole(p, sum->bytes, report_bytes, "%s.%u.kv_bytes", path, i);
    page_cell(p, true);
    figure_whole(p, simulate_hottest_in(s, i), report_count, "%s.%u.hottest_in", path, i);
}

static void put_region_table(const struct simulate_view *v, struct page *p) {
    static const char *const heads[] = {"region", "first row",       "#sampled",          "#writes",
                                        "#share", "#KeyValue bytes", "#slices hottest in"};
    page_details(p, "Table of regions");
    page_table(p, "Writes of each region", heads, countof(heads));
    for (uint32_t i = 0; i < v->regions.history->places && i < LISTED; i++) {
        page_row(p);
        page_raw(p, "<th scope=\"row\">%u</th><td class=\"w\"><code>", i);
        page_bytes(p, simulate_region_row(v, i));
        page_raw(p, "</code>");
        page_cell(p, true);
        if (v->r.sample_kept)
            figure_whole(p, v->r.sample_counts[i], report_count, "hbase.regions.%u.sampled", i);
        else
            page_raw(p, "–");
        put_sums(&v->regions, "hbase.regions", v->counted.writes, i, p);
    }
    page_table_end(p);
    page_details_end(p);
}

static void put_partition_table(const struct simulate_view *v, struct page *p) {
    static const char *const heads[] = {"partition", "#writes", "#share", "#KeyValue bytes", "#slices hottest in"};
    page_details(p, "Table of partitions");
    page_table(p, "Writes of each partition", heads, countof(heads));
    for (uint32_t i = 0; i < v->partitions.history->places && i < LISTED; i++) {
        page_row(p);
        page_raw(p, "<th scope=\"row\">");
        page_text(p, v->table->partitioning.names[i]);
        page_raw(p, "</th>");
        put_sums(&v->partitions, "oceanbase.partitions", v->counted.writes, i, p);
    }
    page_table_end(p);
    page_details_end(p);
}

void simulate_page_regions(const struct simulate_view *v, struct page *p) {
    struct named_bars b;
    page_section(p, "regions", "Regions of HBase", NULL);
    if (named_bars_open(&b, v->regions.history->places, p)) {
        for (uint32_t i = 0; i < b.n; i++) snprintf(b.names[i].text, sizeof b.names[i].text, "region %u", i);
        put_bars(v, &v->regions, &b, "Writes per region", "region", p);
    }
    named_bars_close(&b);
    put_map(v, &v->regions, true, p);
    put_region_table(v, p);
    page_section_end(p);
}

void simulate_page_partitions(const struct simulate_view *v, struct page *p) {
    struct named_bars b;
    const bool generated = partitioning_is_generated(&v->table->partitioning);
    page_section(p, "partitions", "The same writes in partitions of OceanBase",
                 generated ? "No direct load, because of the generated column: " DIRECT_LOAD_LOST "." : NULL);
    if (named_bars_open(&b, v->partitions.history->places, p)) {
        for (uint32_t i = 0; i < b.n; i++)
            snprintf(b.names[i].text, sizeof b.names[i].text, "%.60s", v->table->partitioning.names[i]);
        put_bars(v, &v->partitions, &b, "Writes per partition", "partition", p);
    }
    named_bars_close(&b);
    put_map(v, &v->partitions, false, p);
    put_partition_table(v, p);
    page_section_end(p);
}

/* ---- nodes ---- */

static void put_node_bars(const struct node_balance *b, uint64_t reach, const char *title, struct page *p) {
    char desc[160];
    snprintf(desc, sizeof desc, "The busiest of %u takes %.2f times the mean.", b->nodes, b->round_robin_max_mean);
    node_page_bars(&(struct node_bars){b->round_robin, b->nodes, reach}, title, desc, report_count, p);
}

static void put_node_table(const struct node_balance *b, const char *caption, const char *path, struct page *p) {
    static const char *const heads[] = {"node", "#places", "#writes"};
    page_table(p, caption, heads, countof(heads));
    for (uint32_t i = 0; i < b->nodes && i < LISTED; i++) {
        page_row(p);
        page_raw(p, "<th scope=\"row\">node %u</th>", i + 1);
        page_cell(p, true);
        figure_whole(p, b->round_robin[i].partitions, report_count, "%s.nodes.nodes.%u.places", path, i);
        page_cell(p, true);
        figure_whole(p, b->round_robin[i].amount, report_count, "%s.nodes.nodes.%u.writes", path, i);
    }
    page_table_end(p);
}

void simulate_page_nodes(const struct simulate_view *v, struct page *p) {
    page_section(p, "nodes", "Nodes", "All writes, with regions and partitions assigned to servers in turn.");
    page_raw(p, "<div class=\"two\">\n");
    const uint64_t servers = node_load_most(v->regions.nodes.round_robin, v->regions.nodes.nodes);
    const uint64_t nodes = node_load_most(v->partitions.nodes.round_robin, v->partitions.nodes.nodes);
    put_node_bars(&v->regions.nodes, servers > nodes ? servers : nodes, "Region servers of HBase", p);
    put_node_bars(&v->partitions.nodes, servers > nodes ? servers : nodes, "Nodes of OceanBase", p);
    page_raw(p, "</div>\n");
    page_details(p, "Table of nodes");
    put_node_table(&v->regions.nodes, "HBase", "hbase", p);
    put_node_table(&v->partitions.nodes, "OceanBase", "oceanbase", p);
    page_details_end(p);
    page_section_end(p);
}
