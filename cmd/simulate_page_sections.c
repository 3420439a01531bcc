/* What the page of `obkv-split simulate` shows of regions, partitions, nodes, and of time. */
#include "cmd/moment_text.h"
#include "cmd/page_figures.h"
#include "cmd/report.h"
#include "cmd/simulate_view.h"
#include "page/chart.h"

#include <stdlib.h>

enum { LISTED = 1000, NAME_BYTES = 64, MAP_ROWS = 32 };

struct names {
    char text[NAME_BYTES];
};

static const char *name_of(const void *arg, uint32_t i) {
    const struct names *names = arg;
    return names[i].text;
}

/* Values and names of n bars; both are to be freed. */
static bool make_bars(uint32_t n, uint64_t **values, struct names **names, struct page *p) {
    *values = calloc(n + 1, sizeof **values);
    *names = calloc(n + 1, sizeof **names);
    if (!*values || !*names) err_nomem(&p->err, n * sizeof **names, "a chart");
    return *values && *names;
}

static void put_chart(struct page *p, const struct chart_bars *c) {
    if (c->n) chart_bars(p, c);
}

/* When a slice begins: the time of day is enough where all lies within a day. */
static void slice_text(const struct simulate_view *v, uint32_t slice, char out[48]) {
    int64_t ms = simulate_slice_ms(v, slice), span = simulate_slice_ms(v, v->partitions.course->slices) - simulate_slice_ms(v, 0);
    char text[48];
    moment_text(ms, true, text);
    bool short_form = span < 86400000 && strlen(text) == sizeof "2026-11-21 18:30:05 UTC" - 1;
    snprintf(out, 48, short_form ? "%.8s" : "%s", short_form ? text + 11 : text);
}

/* ---- how hot, slice by slice ---- */

enum { PARTS = 10000 };

/* Of hundredths of a percent. */
static const char *percent_text(uint64_t n, char out[32]) {
    snprintf(out, 32, n % 100 ? "%.1f %%" : "%.0f %%", (double)n / 100);
    return out;
}

static void put_moments(const struct simulate_view *v, const struct simulate_side *s, const char *title, const char *place,
                        struct page *p) {
    const struct write_course_figures *f = &s->figures;
    uint64_t *values;
    struct names *names;
    char desc[200];
    snprintf(desc, sizeof desc, "The hottest %s takes %.1f %% of the writes on average, at most %.1f %%; even would be %.1f %%.",
             place, 100 * f->hottest_mean, 100 * f->hottest_most, 100.0 / s->course->places);
    if (make_bars(s->course->slices, &values, &names, p)) {
        for (uint32_t i = 0; i < s->course->slices; i++) {
            values[i] = (uint64_t)(PARTS * simulate_share(f->slices[i].most, f->slices[i].writes) + 0.5);
            slice_text(v, i, names[i].text);
        }
        page_raw(p, "<div><h3>%s</h3>\n", title);
        put_chart(p, &(struct chart_bars){.text = {title, desc},
                                          .values = values,
                                          .n = s->course->slices,
                                          .name = name_of,
                                          .arg = names,
                                          .number = percent_text,
                                          .unit = "slice of time",
                                          .small = true});
        page_raw(p, "</div>\n");
    }
    free(values);
    free(names);
}

static void put_moment_table(const struct simulate_view *v, struct page *p) {
    static const char *const heads[] = {"from", "#writes", "#hottest region", "#its share", "#hottest partition", "#its share"};
    page_details(p, "Table of the slices of time");
    page_table(p, "The hottest of each slice", heads, countof(heads));
    for (uint32_t i = 0; i < v->regions.course->slices; i++) {
        const struct write_course_slice *h = &v->regions.figures.slices[i], *o = &v->partitions.figures.slices[i];
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
    snprintf(lead, sizeof lead, "The share of the writes that goes to one place, the hottest, in each %s.", span);
    page_section(p, "moments", "How hot, moment by moment", lead);
    page_raw(p, "<div class=\"two\">\n");
    put_moments(v, &v->regions, "HBase: the hottest region", "region", p);
    put_moments(v, &v->partitions, "OceanBase: the hottest partition", "partition", p);
    page_raw(p, "</div>\n");
    put_moment_table(v, p);
    page_section_end(p);
}

/* ---- time × place ---- */

struct map {
    const struct simulate_view *v;
    const struct simulate_side *side;
    uint32_t rows;
    bool by_key; /* places have first rows */
};

static uint32_t first_place(const struct map *m, uint32_t row) {
    return (uint32_t)((uint64_t)row * m->side->course->places / m->rows);
}

/* Mean of the places that share a band. */
static uint32_t map_at(const void *arg, uint32_t row, uint32_t column) {
    const struct map *m = arg;
    const struct write_course *c = m->side->course;
    uint32_t from = first_place(m, row), n = first_place(m, row + 1) - from;
    uint64_t sum = 0;
    for (uint32_t i = from; i < from + n; i++) sum += c->writes[(size_t)column * c->places + i];
    return (uint32_t)((sum + n - 1) / n);
}

static void put_label(struct page *p, const void *arg, uint32_t row) {
    const struct map *m = arg;
    uint32_t place = first_place(m, row);
    if (!m->by_key)
        page_text(p, m->v->table->partitioning.names[place]);
    else if (place)
        page_bytes(p, simulate_region_row(m->v, place));
    else
        page_raw(p, "first");
}

static void put_map(const struct simulate_view *v, const struct simulate_side *side, bool by_key, struct page *p) {
    struct map m = {v, side, side->course->places < MAP_ROWS ? side->course->places : MAP_ROWS, by_key};
    char desc[300], from[48], to[48];
    uint32_t most = 0, columns = side->course->slices;
    for (uint32_t r = 0; r < m.rows; r++)
        for (uint32_t c = 0; c < columns; c++)
            if (map_at(&m, r, c) > most) most = map_at(&m, r, c);
    slice_text(v, 0, from);
    slice_text(v, columns, to);
    snprintf(desc, sizeof desc,
             "%s from above, time from left to right%s. An even field is written everywhere at all times; a single line that "
             "stands out is hot.",
             by_key ? "Regions with the lowest keys" : "Partitions",
             m.rows < side->course->places ? "; neighbours share a band, which shows their mean" : "");
    chart_heat(p, &(struct chart_heat){.text = {by_key ? "Writes by region and time" : "Writes by partition and time", desc},
                                       .columns = columns,
                                       .rows = m.rows,
                                       .at = map_at,
                                       .row_label = put_label,
                                       .arg = &m,
                                       .most = most,
                                       .from = from,
                                       .to = columns > 1 ? to : NULL,
                                       .unit = "writes"});
}

/* ---- places ---- */

static void put_bars(const struct simulate_side *s, const struct names *names, uint64_t *values, const char *title,
                     const char *place, struct page *p) {
    const struct spread *w = &s->figures.writes;
    char desc[200];
    snprintf(desc, sizeof desc, "Most over mean %.2f, Gini %.3f, %u empty. The limit is drawn at twice the mean.", w->max_mean,
             w->gini, w->empty);
    for (uint32_t i = 0; i < s->course->places; i++) values[i] = s->course->sums[i].writes;
    put_chart(p, &(struct chart_bars){.text = {title, desc},
                                      .values = values,
                                      .n = s->course->places,
                                      .name = name_of,
                                      .arg = names,
                                      .number = report_count,
                                      .limit = s->course->places > 1 ? (uint64_t)(2 * w->mean + 0.5) : 0,
                                      .unit = place});
}

static void put_sums(const struct simulate_side *s, const char *path, uint64_t all, uint32_t i, struct page *p) {
    const struct place_sum *sum = &s->course->sums[i];
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
    for (uint32_t i = 0; i < v->regions.course->places && i < LISTED; i++) {
        page_row(p);
        page_raw(p, "<th scope=\"row\">%u</th><td class=\"w\"><code>", i);
        page_bytes(p, simulate_region_row(v, i));
        page_raw(p, "</code>");
        page_cell(p, true);
        if (v->r.sample_kept)
            figure_whole(p, v->r.sample_counts[i], report_count, "hbase.regions.%u.sampled", i);
        else
            page_raw(p, "–");
        put_sums(&v->regions, "hbase.regions", v->writes, i, p);
    }
    page_table_end(p);
    page_details_end(p);
}

static void put_partition_table(const struct simulate_view *v, struct page *p) {
    static const char *const heads[] = {"partition", "#writes", "#share", "#KeyValue bytes", "#slices hottest in"};
    page_details(p, "Table of partitions");
    page_table(p, "Writes of each partition", heads, countof(heads));
    for (uint32_t i = 0; i < v->partitions.course->places && i < LISTED; i++) {
        page_row(p);
        page_raw(p, "<th scope=\"row\">");
        page_text(p, v->table->partitioning.names[i]);
        page_raw(p, "</th>");
        put_sums(&v->partitions, "oceanbase.partitions", v->writes, i, p);
    }
    page_table_end(p);
    page_details_end(p);
}

void simulate_page_regions(const struct simulate_view *v, struct page *p) {
    uint64_t *values;
    struct names *names;
    page_section(p, "regions", "Regions of HBase", NULL);
    if (make_bars(v->regions.course->places, &values, &names, p)) {
        for (uint32_t i = 0; i < v->regions.course->places; i++) snprintf(names[i].text, NAME_BYTES, "region %u", i);
        put_bars(&v->regions, names, values, "Writes per region", "region", p);
    }
    free(values);
    free(names);
    put_map(v, &v->regions, true, p);
    put_region_table(v, p);
    page_section_end(p);
}

void simulate_page_partitions(const struct simulate_view *v, struct page *p) {
    uint64_t *values;
    struct names *names;
    page_section(p, "partitions", "The same writes in partitions of OceanBase", NULL);
    if (make_bars(v->partitions.course->places, &values, &names, p)) {
        for (uint32_t i = 0; i < v->partitions.course->places; i++)
            snprintf(names[i].text, NAME_BYTES, "%.60s", v->table->partitioning.names[i]);
        put_bars(&v->partitions, names, values, "Writes per partition", "partition", p);
    }
    free(values);
    free(names);
    put_map(v, &v->partitions, false, p);
    put_partition_table(v, p);
    page_section_end(p);
}

/* ---- nodes ---- */

static void put_node_bars(const struct node_balance *b, const char *title, struct page *p) {
    uint64_t *values;
    struct names *names;
    char desc[160];
    snprintf(desc, sizeof desc, "The busiest of %u takes %.2f times the mean.", b->nodes, b->round_robin_max_mean);
    if (make_bars(b->nodes, &values, &names, p)) {
        for (uint32_t i = 0; i < b->nodes; i++) {
            values[i] = b->round_robin[i].amount;
            snprintf(names[i].text, NAME_BYTES, "node %u", i + 1);
        }
        page_raw(p, "<div><h3>%s</h3>\n", title);
        put_chart(p, &(struct chart_bars){.text = {title, desc},
                                          .values = values,
                                          .n = b->nodes,
                                          .name = name_of,
                                          .arg = names,
                                          .number = report_count,
                                          .unit = "node",
                                          .small = true});
        page_raw(p, "</div>\n");
    }
    free(values);
    free(names);
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
    page_section(p, "nodes", "Nodes",
                 "Writes of all the time, where regions and partitions are dealt to servers one after the other.");
    page_raw(p, "<div class=\"two\">\n");
    put_node_bars(&v->regions.nodes, "Region servers of HBase", p);
    put_node_bars(&v->partitions.nodes, "Nodes of OceanBase", p);
    page_raw(p, "</div>\n");
    page_details(p, "Table of nodes");
    put_node_table(&v->regions.nodes, "HBase", "hbase", p);
    put_node_table(&v->partitions.nodes, "OceanBase", "oceanbase", p);
    page_details_end(p);
    page_section_end(p);
}
