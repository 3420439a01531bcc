/* The page of `obkv-split simulate --html`: verdict, tiles, account and settings; the sections between them are in
 * simulate_page_sections.c (both modes) and simulate_page_cluster.c (an emulated cluster). */
#include "cmd/common/html/page_next.h"
#include "cmd/common/html/page_origin.h"
#include "cmd/common/report_figures.h"
#include "cmd/oceanbase/create_sql.h"
#include "cmd/split/simulate/simulate_page_cluster.h"
#include "cmd/split/simulate/simulate_page_sections.h"
#include "cmd/split/simulate/simulate_try.h"
#include "cmd/split/split.h"
#include "cmd/common/html/page.h"
#include "cmd/common/output_text.h"
#include "cmd/split/simulate/simulate_view.h"
#include "cmd/common/html/chart.h"

/* Above these, writes of a moment are called uneven, and hot: the hottest place over the mean. */
static const double UNEVEN = 1.5, HOT = 3;

/* ---- the top of the page ---- */

static void put_verdict(const struct simulate_view *v, struct page *p) {
    struct buf text = {0};
    double hot = v->emulated ? v->hot.ratio : v->regions.figures.slice_max_mean;
    uint32_t regions = v->emulated ? v->cluster.report->totals.regions : v->regions.history->places;
    page_raw(p, "<p class=\"verdict%s\">", v->counted.writes && hot > HOT ? " bad" : "");
    if (v->counted.writes)
        page_raw(p, "<strong>%s:</strong> ",
                 regions == 1    ? "One region"
                 : hot <= UNEVEN ? "Even at all times"
                 : hot <= HOT    ? "Uneven at times"
                                 : "Hot regions");
    if (!p->err.code && !simulate_verdict_put(v, &text, &p->err) && !buf_put_byte(&text, 0, &p->err))
        page_text(p, (const char *)text.p);
    page_raw(p, ".</p>\n");
    buf_free(&text);
}

static void put_hot_tile(struct page *p, const char *name, double share, const char *path) {
    tile_open(p, name);
    figure_share(p, share, "%s", path);
    tile_close(p);
}

static void put_cluster_tiles(const struct simulate_view *v, struct page *p) {
    const struct sim_totals *t = &v->cluster.report->totals;
    tile_whole(p, "regions at the end", t->regions, report_count, "hbase.totals.regions");
    tile_open(p, "write amplification");
    figure_real(p, t->write_amplification, 2, "hbase.totals.write_amplification");
    tile_close(p);
    put_hot_tile(p, "hottest region", v->hot.mean, "hbase.hottest_mean");
}

static void put_tiles(const struct simulate_view *v, struct page *p) {
    page_raw(p, "<dl class=\"tiles\">\n");
    tile_whole(p, "writes", v->counted.writes, report_count, "writes");
    tile_whole(p, "KeyValue bytes", v->counted.bytes, report_bytes, "kv_bytes");
    if (v->emulated) {
        put_cluster_tiles(v, p);
    } else {
        tile_whole(p, "regions", v->regions.history->places, report_count, "hbase.count");
        put_hot_tile(p, "hottest region", v->regions.figures.hottest_mean, "hbase.hottest_mean");
    }
    tile_whole(p, "partitions", v->partitions.history->places, report_count, "oceanbase.count");
    put_hot_tile(p, "hottest partition", v->partitions.figures.hottest_mean, "oceanbase.hottest_mean");
    page_raw(p, "</dl>\n");
}

/* ---- what to do next ---- */

/* Keys that are made have no import: a plan writes their table and shows which partitioning suits them. */
static void put_plan(const struct options *o, struct page *p) {
    const struct split_options *own = split_options(o);
    char rows[32];
    snprintf(rows, sizeof rows, "%llu", (unsigned long long)own->generate);
    if (own->generate)
        page_next_command(p, "Compare partitionings for these keys:",
                          (const char *const[]){"obkv-split", "plan", "--generate", rows, "--key", own->key, "-o", "PLAN", NULL});
    else
        page_next_read(p, "Compare partitionings for the keys as they are and for this key:",
                       (const char *const[]){"obkv-split", "plan", "--try", own->key, NULL}, o);
}

static void put_next(const struct simulate_view *v, struct page *p) {
    struct buf sql = {0};
    const int refused = v->table->n_families && !p->err.code ? create_sql_show(&sql, v->table, &p->err) : -1;
    if (refused >= 0) {
        page_next_begin(p,
                        refused ? (const char *)sql.p
                                : "The table of the simulation in OceanBase; save it as table.sql. One click selects all of it.",
                        refused ? "" : (const char *)sql.p);
        if (split_options(v->o)->key)
            put_plan(v->o, p);
        else
            page_next_import(p, v->o, "table.sql");
        page_next_end(p);
    }
    buf_free(&sql);
}

/* ---- account, settings ---- */

static void put_account(const struct simulate_view *v, struct page *p) {
    const struct write_stream_facts *f = &v->r.facts;
    char x[32];
    page_section(p, "account", "Account", NULL);
    page_raw(p, "<p>Records rejected: ");
    figure_whole(p, f->ledger.records_rejected, report_count, "records_rejected");
    page_raw(p, ". Without a key: ");
    figure_whole(p, f->unfit, report_count, "without_key");
    page_raw(p, ". Keys sampled for the bounds, not counted: ");
    figure_whole(p, v->r.sample_seen, report_count, "sample.rows");
    page_raw(p, ". Writes that fit into no partition: ");
    figure_whole(p, v->r.nowhere, report_count, "oceanbase.writes_nowhere");
    page_raw(p, ".</p>\n");
    if (f->ledger.records_read) page_raw(p, "<p>%s records were read.</p>\n", report_count(f->ledger.records_read, x));
    page_section_end(p);
}

static void put_cluster_settings(const struct sim_settings *s, struct page *p) {
    char text[48];
    page_setting(p, "memstore flush size", report_bytes(s->region.flush_bytes, text));
    page_setting(p, "max file size", report_bytes(s->region.max_file_bytes, text));
    snprintf(text, sizeof text, "%.3g", s->n_families ? s->families[0].file_ratio : 1);
    page_setting(p, "file bytes for each byte of KeyValues", text);
    for (size_t i = 0; i < s->n_ignored; i++) page_setting(p, "not emulated", s->ignored[i]);
}

static void put_settings(const struct simulate_view *v, const struct page_origin *made, struct page *p) {
    page_origin_begin(made, p);
    page_setting(p, v->emulated ? "regions at the start" : "regions", v->splits);
    if (v->emulated) put_cluster_settings(&v->cluster.settings, p);
    page_setting(p, "partitions", (const char *)v->partitioning.p);
    page_setting(p, "key", split_options(v->o)->key ? split_options(v->o)->key : "as it is");
    page_setting(p, "arrival", v->order);
    page_setting(p, "clock", v->r.facts.tick_us == 1000 ? "timestamps" : "rate");
    for (int i = 0; i < v->o->n_inputs; i++) page_setting(p, "input", v->o->inputs[i]);
    page_origin_end(made, p);
}

int simulate_page_write(const struct simulate_view *v, const struct page_origin *made, const char *path, struct err *err) {
    struct page p;
    char subtitle[300], from[48], span[32];
    moment_text(simulate_slice_ms(v, 0), true, from);
    simulate_span_text(v->r.facts.end_ms - simulate_slice_ms(v, 0), span);
    snprintf(subtitle, sizeof subtitle, "%s · %.100s · from %s, for %s", v->splits, (const char *)v->partitioning.p, from, span);
    page_open(&p, &(struct page_head){"Where writes go", subtitle});
    put_verdict(v, &p);
    put_tiles(v, &p);
    simulate_page_designs(v, &p);
    if (v->counted.writes) {
        if (v->emulated) {
            simulate_page_cluster(v, &p);
        } else {
            simulate_page_moments(v, &p);
            simulate_page_regions(v, &p);
        }
        simulate_page_partitions(v, &p);
        if (v->emulated)
            simulate_page_events(v, &p);
        else
            simulate_page_nodes(v, &p);
    }
    put_next(v, &p);
    put_account(v, &p);
    put_settings(v, made, &p);
    return page_finish(&p, path, err);
}
