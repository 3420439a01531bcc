/* The emulated cluster on the page of `obkv-split simulate`: its buckets of time, regions with a map of bytes by key and time,
 * region servers, and events. */
#include "cmd/common/html/chart.h"
#include "cmd/common/html/page.h"
#include "cmd/common/output_text.h"
#include "cmd/common/report_figures.h"
#include "cmd/split/simulate/cluster_figures.h"
#include "cmd/split/simulate/simulate_events.h"
#include "cmd/split/simulate/simulate_page_cluster.h"
#include "cmd/split/simulate/simulate_view.h"

enum { LISTED = 1000, EVENTS_LISTED = 200, MAP_ROWS = 48 };

/* ---- over time ---- */

static void bucket_text(const struct sim_report *r, uint32_t i, char out[48]) {
    moment_text_within(r->start_ms + i * r->bucket_ms, r->end_ms - r->start_ms, out);
}

static uint64_t hottest_of(const struct sim_bucket *b) {
    return simulate_hundredths(b->hottest_share);
}
static uint64_t regions_of(const struct sim_bucket *b) {
    return b->regions;
}
static uint64_t files_of(const struct sim_bucket *b) {
    return b->files;
}
static uint64_t flushed_of(const struct sim_bucket *b) {
    return b->flushed_bytes;
}
static uint64_t compacted_of(const struct sim_bucket *b) {
    return b->compacted_bytes;
}

static void put_buckets(const struct sim_report *r, const char *title, const char *desc,
                        uint64_t (*of)(const struct sim_bucket *b), page_number_text *number, struct page *p) {
    struct named_bars b;
    if (named_bars_open(&b, r->n_buckets, p)) {
        for (uint32_t i = 0; i < r->n_buckets; i++) {
            b.values[i] = of(&r->buckets[i]);
            bucket_text(r, i, b.names[i].text);
        }
        named_bars_put(
            &b, &(struct chart_bars){.text = {title, desc}, .number = number, .unit = "stretch of time", .small = true}, p);
    }
    named_bars_close(&b);
}

static void put_bucket_table(const struct sim_report *r, struct page *p) {
    static const char *const heads[] = {"from",       "#regions", "#files",          "#written",  "#flushed",
                                        "#compacted", "#splits",  "#hottest region", "#its share"};
    page_details(p, "Table of the course");
    page_table(p, "Regions and files at the end of each stretch of time, and what happened in it", heads, countof(heads));
    for (uint32_t i = 0; i < r->n_buckets; i++) {
        const struct sim_bucket *b = &r->buckets[i];
        char at[48];
        bucket_text(r, i, at);
        page_row(p);
        page_raw(p, "<th scope=\"row\">%s</th>", at);
        page_cell(p, true);
        figure_whole(p, b->regions, report_count, "hbase.buckets.%u.regions", i);
        page_cell(p, true);
        figure_whole(p, b->files, report_count, "hbase.buckets.%u.files", i);
        page_cell(p, true);
        figure_whole(p, b->bytes, report_bytes, "hbase.buckets.%u.kv_bytes", i);
        page_cell(p, true);
        figure_whole(p, b->flushed_bytes, report_bytes, "hbase.buckets.%u.flushed_bytes", i);
        page_cell(p, true);
        figure_whole(p, b->compacted_bytes, report_bytes, "hbase.buckets.%u.compacted_bytes", i);
        page_cell(p, true);
        figure_whole(p, b->events[SIM_EVENT_SPLIT], report_count, "hbase.buckets.%u.events.split", i);
        page_raw(p, b->hottest == SIM_NONE ? "<td class=\"n\">–" : "<td class=\"n\">%d", b->hottest);
        page_cell(p, true);
        figure_share(p, b->hottest_share, "hbase.buckets.%u.hottest_share", i);
    }
    page_table_end(p);
    page_details_end(p);
}

static void put_course(const struct simulate_view *v, struct page *p) {
    const struct sim_report *r = v->cluster.report;
    const struct sim_totals *t = &r->totals;
    char hot[160], work[200], lead[120], span[32];
    simulate_span_text(r->bucket_ms, span);
    snprintf(lead, sizeof lead, "Each bar is %s.", span);
    snprintf(hot, sizeof hot, "The hottest region takes %.1f %% of the bytes on average, at most %.1f %%.", 100 * v->hot.mean,
             100 * v->hot.most);
    snprintf(work, sizeof work, "Write amplification %.2f: bytes written to files for each byte flushed.",
             t->write_amplification);
    page_section(p, "course", "The cluster over time", lead);
    page_raw(p, "<div class=\"two\">\n");
    put_buckets(r, "Share of the hottest region", hot, hottest_of, simulate_percent_text, p);
    put_buckets(r, "Regions", "At the end of each stretch of time.", regions_of, report_count, p);
    put_buckets(r, "Bytes flushed", "From memstores into new files.", flushed_of, report_bytes, p);
    put_buckets(r, "Bytes compacted", work, compacted_of, report_bytes, p);
    put_buckets(r, "Files", "At the end of each stretch of time, of all regions.", files_of, report_count, p);
    page_raw(p, "</div>\n");
    put_bucket_table(r, p);
    page_section_end(p);
}

/* ---- regions ---- */

struct cluster_map {
    const struct simulate_view *v;
    uint32_t rows;
};

/* KiB. */
static uint32_t map_at(const void *arg, uint32_t row, uint32_t column) {
    const struct cluster_map *m = arg;
    const struct sim_report *r = m->v->cluster.report;
    uint64_t n = 0;
    for (uint64_t i = (uint64_t)row * r->n_regions / m->rows; i < (uint64_t)(row + 1) * r->n_regions / m->rows; i++)
        n += r->regions[m->v->by_key[i]].bucket_bytes[column];
    n = n / 1024 + (n % 1024 > 0);
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void put_label(struct page *p, const void *arg, uint32_t row) {
    const struct cluster_map *m = arg;
    const struct sim_report *r = m->v->cluster.report;
    uint32_t region = m->v->by_key[(uint64_t)row * r->n_regions / m->rows];
    page_raw(p, "%u: ", region);
    page_bytes(p, r->regions[region].first);
}

static void put_map(const struct simulate_view *v, struct page *p) {
    const struct sim_report *r = v->cluster.report;
    struct cluster_map m = {v, r->n_regions < MAP_ROWS ? r->n_regions : MAP_ROWS};
    char from[48], to[48];
    bucket_text(r, 0, from);
    bucket_text(r, r->n_buckets, to);
    chart_heat(p, &(struct chart_heat){
                      .text = {"KiB written by region and time",
                               "All regions that ever existed, the lowest first row at the top, daughters below their "
                               "parent; time runs from left to right. Where one line ends and two begin, a region was split."},
                      .columns = r->n_buckets,
                      .rows = m.rows,
                      .at = map_at,
                      .row_label = put_label,
                      .arg = &m,
                      .from = from,
                      .to = r->n_buckets > 1 ? to : NULL,
                      .unit = "KiB"});
}

static void put_region(const struct sim_report *r, uint32_t i, struct page *p) {
    const struct sim_region *g = &r->regions[i];
    page_row(p);
    page_raw(p, "<th scope=\"row\">%u</th><td class=\"w\"><code>", i);
    page_bytes(p, g->first);
    page_raw(p, "</code><td class=\"n\">%d", g->server);
    page_cell(p, true);
    figure_whole(p, g->bytes, report_bytes, "hbase.regions.%u.kv_bytes", i);
    page_cell(p, true);
    figure_share(p, simulate_share(g->bytes, r->totals.bytes), "hbase.regions.%u.share", i);
    page_cell(p, true);
    figure_whole(p, g->file_bytes, report_bytes, "hbase.regions.%u.file_bytes", i);
    page_cell(p, true);
    figure_whole(p, g->files, report_count, "hbase.regions.%u.files", i);
    page_cell(p, true);
    figure_whole(p, g->stores[0].flushes, report_count, "hbase.regions.%u.stores.0.flushes", i);
    page_cell(p, true);
    figure_whole(p, g->stores[0].minors, report_count, "hbase.regions.%u.stores.0.minors", i);
    page_cell(p, true);
    figure_whole(p, g->stores[0].majors, report_count, "hbase.regions.%u.stores.0.majors", i);
}

static void put_region_table(const struct simulate_view *v, struct page *p) {
    static const char *const heads[] = {"region",    "first row", "#server",  "#written", "#share",
                                        "#in files", "#files",    "#flushes", "#minor",   "#major"};
    const struct sim_report *r = v->cluster.report;
    page_details(p, "Table of regions");
    page_table(p, r->n_families > 1 ? "Regions at the end; flushes and compactions of the first family" : "Regions at the end",
               heads, countof(heads));
    for (uint32_t i = 0; i < r->totals.regions && i < LISTED; i++) put_region(r, r->live[i], p);
    page_table_end(p);
    page_details_end(p);
}

static void put_regions(const struct simulate_view *v, struct page *p) {
    const struct sim_report *r = v->cluster.report;
    struct named_bars b;
    page_section(p, "regions", "Regions of HBase", NULL);
    if (named_bars_open(&b, r->totals.regions, p)) {
        for (uint32_t i = 0; i < b.n; i++) {
            b.values[i] = r->regions[r->live[i]].file_bytes;
            snprintf(b.names[i].text, sizeof b.names[i].text, "region %u", r->live[i]);
        }
        named_bars_put(&b,
                       &(struct chart_bars){.text = {"Bytes in files per region, at the end",
                                                     "Bytes in files at the end. The limit is MAX_FILESIZE."},
                                            .number = report_bytes,
                                            .limit = v->cluster.settings.region.max_file_bytes,
                                            .unit = "region"},
                       p);
    }
    named_bars_close(&b);
    if (r->n_buckets) put_map(v, p);
    put_region_table(v, p);
    page_section_end(p);
}

/* ---- servers ---- */

static void put_server_table(const struct sim_report *r, struct page *p) {
    static const char *const heads[] = {"server", "#regions", "#written", "#in files", "#memstores at most"};
    page_table(p, "Region servers", heads, countof(heads));
    for (uint32_t i = 0; i < r->n_servers && i < LISTED; i++) {
        page_row(p);
        page_raw(p, "<th scope=\"row\">%u</th>", i);
        page_cell(p, true);
        figure_whole(p, r->servers[i].regions, report_count, "hbase.servers.%u.regions", i);
        page_cell(p, true);
        figure_whole(p, r->servers[i].bytes, report_bytes, "hbase.servers.%u.kv_bytes", i);
        page_cell(p, true);
        figure_whole(p, r->servers[i].file_bytes, report_bytes, "hbase.servers.%u.file_bytes", i);
        page_cell(p, true);
        figure_whole(p, r->servers[i].memstore_peak_bytes, report_bytes, "hbase.servers.%u.memstore_peak_bytes", i);
    }
    page_table_end(p);
}

static void put_servers(const struct simulate_view *v, struct page *p) {
    const struct sim_report *r = v->cluster.report;
    struct named_bars b;
    page_section(p, "servers", "Region servers", "The servers of the regions at the time of the writes, moves included.");
    page_raw(p, "<div class=\"two\">\n");
    if (named_bars_open(&b, r->n_servers, p)) {
        for (uint32_t i = 0; i < b.n; i++) {
            b.values[i] = r->servers[i].bytes;
            snprintf(b.names[i].text, sizeof b.names[i].text, "server %u", i);
        }
        named_bars_put(&b,
                       &(struct chart_bars){.text = {"Bytes written to each server", "KeyValues over the whole time."},
                                            .number = report_bytes,
                                            .unit = "server",
                                            .small = true},
                       p);
    }
    named_bars_close(&b);
    put_server_table(r, p);
    page_raw(p, "</div>\n");
    page_section_end(p);
}

void simulate_page_cluster(const struct simulate_view *v, struct page *p) {
    put_course(v, p);
    put_regions(v, p);
    put_servers(v, p);
}

/* ---- events ---- */

static void put_event(const struct sim_event *e, struct page *p) {
    struct buf text = {0};
    char at[48], took[32];
    moment_text(e->at_ms, true, at);
    simulate_span_text(e->took_ms, took);
    page_row(p);
    page_raw(p, "<th scope=\"row\">%s</th><td>%s<td class=\"n\">%d<td>", at, sim_event_name(e->kind), e->region);
    if (!p->err.code && !simulate_event_describe(e, &text, &p->err) && !buf_put_byte(&text, 0, &p->err))
        page_text(p, (const char *)text.p);
    page_raw(p, "<td class=\"n\">%s", took);
    buf_free(&text);
}

void simulate_page_events(const struct simulate_view *v, struct page *p) {
    static const char *const heads[] = {"when", "event", "#region", "", "#took"};
    const struct sim_totals *t = &v->cluster.report->totals;
    page_section(p, "events", "Events", NULL);
    page_raw(p, "<p>");
    for (int k = 0; k < SIM_EVENT_KINDS; k++) {
        const char *name = sim_event_name((enum sim_event_kind)k);
        page_raw(p, "%s%s: ", k ? ", " : "", name);
        figure_whole(p, t->events[k], report_count, "hbase.totals.events.%s", name);
    }
    page_raw(p, ".</p>\n");
    if (v->events.n) {
        page_details(p, v->events.seen > EVENTS_LISTED ? "Table of the first events" : "Table of events");
        page_table(p, "In order of completion", heads, countof(heads));
        for (uint32_t i = 0; i < v->events.n && i < EVENTS_LISTED; i++) put_event(&v->events.list[i], p);
        page_table_end(p);
        page_details_end(p);
    }
    page_section_end(p);
}
