/* `obkv-split simulate --json`: one document with all figures, for both modes. docs/simulate.md has the fields; their names
 * are an interface. */
#include "base/fs.h"
#include "base/json.h"
#include "cmd/common/output_text.h"
#include "cmd/split/plan/split_result.h"
#include "cmd/split/simulate/cluster_figures.h"
#include "cmd/split/simulate/simulate_events.h"
#include "cmd/split/simulate/simulate_json.h"
#include "cmd/split/simulate/simulate_try.h"
#include "cmd/split/simulate/simulate_view.h"
#include "cmd/split/split.h"

static json_t *slices_json(const struct simulate_side *s) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < s->history->slices; i++) {
        const struct write_history_slice *slice = &s->figures.slices[i];
        json_t *hottest = slice->writes ? json_integer((json_int_t)slice->hottest) : json_null();
        json_array_append_new(list, json_new(JSON("writes", slice->writes), JSON("hottest", hottest),
                                             JSON("hottest_share", simulate_share(slice->most, slice->writes))));
    }
    return list;
}

static json_t *nodes_json(const struct node_balance *b) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < b->nodes; i++)
        json_array_append_new(list,
                              json_new(JSON("places", b->round_robin[i].partitions), JSON("writes", b->round_robin[i].amount)));
    return json_new(JSON("count", b->nodes), JSON("max_mean", b->round_robin_max_mean), JSON("nodes", list));
}

static void put_side(json_t *j, const struct simulate_side *s) {
    const struct write_history_figures *f = &s->figures;
    json_put(j, JSON("count", s->history->places), JSON("max_mean", f->writes.max_mean), JSON("cv", f->writes.cv),
             JSON("gini", f->writes.gini), JSON("empty", f->writes.empty), JSON("bytes_max_mean", f->bytes.max_mean),
             JSON("hottest_mean", f->hottest_mean), JSON("hottest_most", f->hottest_most),
             JSON("hottest_places", f->hottest_places), JSON("slices", slices_json(s)), JSON("nodes", nodes_json(&s->nodes)));
}

static json_t *place_json(const struct simulate_side *s, uint32_t place, uint64_t all) {
    const struct write_history *c = s->history;
    const struct place_sum *sum = &c->sums[place];
    json_t *j = json_new(JSON("writes", sum->writes), JSON("share", simulate_share(sum->writes, all)), JSON("cells", sum->cells),
                         JSON("kv_bytes", sum->bytes), JSON("hottest_in", simulate_hottest_in(s, place)));
    json_t *course = json_array();
    for (uint32_t i = 0; i < c->slices; i++)
        json_array_append_new(course, json_integer((json_int_t)c->writes[(size_t)i * c->places + place]));
    json_put(j, JSON("course", course));
    return j;
}

static json_t *hbase_json(const struct simulate_view *v) {
    json_t *j = json_object(), *list = json_array();
    json_put(j, JSON("splits", json_text(v->splits)));
    put_side(j, &v->regions);
    for (uint32_t i = 0; i < v->regions.history->places; i++) {
        json_t *region = place_json(&v->regions, i, v->counted.writes);
        json_put(region, JSON("first_row", json_hex(simulate_region_row(v, i))),
                 JSON("sampled", v->r.sample_kept ? json_integer((json_int_t)v->r.sample_counts[i]) : json_null()));
        json_array_append_new(list, region);
    }
    json_put(j, JSON("regions", list));
    return j;
}

static json_t *oceanbase_json(const struct simulate_view *v) {
    json_t *j = json_object(), *list = json_array();
    json_put(j, JSON("partitioning", json_text((const char *)v->partitioning.p)),
             JSON("direct_load", json_boolean(!partitioning_is_generated(&v->table->partitioning))));
    put_side(j, &v->partitions);
    json_put(j, JSON("writes_nowhere", v->r.nowhere));
    for (uint32_t i = 0; i < v->partitions.history->places; i++) {
        json_t *partition = place_json(&v->partitions, i, v->counted.writes);
        json_put(partition, JSON("name", json_text(v->table->partitioning.names[i])));
        json_array_append_new(list, partition);
    }
    json_put(j, JSON("partitions", list));
    return j;
}

static json_t *times_json(const struct simulate_view *v) {
    json_t *list = json_array();
    for (uint32_t i = 0; i <= v->partitions.history->slices; i++)
        json_array_append_new(list, json_integer((json_int_t)simulate_slice_ms(v, i)));
    return list;
}

/* ---- an emulated cluster ---- */

static json_t *number_or_null(int64_t n) {
    return n == SIM_NONE ? json_null() : json_integer(n);
}

static json_t *events_json(const uint64_t *events) {
    json_t *j = json_object();
    for (int k = 0; k < SIM_EVENT_KINDS; k++) json_put(j, JSON(sim_event_name((enum sim_event_kind)k), events[k]));
    return j;
}

static json_t *store_json(const struct sim_store *s, const char *family) {
    return json_new(JSON("family", json_text(family)), JSON("memstore_bytes", s->memstore_bytes),
                    JSON("file_bytes", s->file_bytes), JSON("files", s->files), JSON("references", s->references),
                    JSON("flushes", s->flushes), JSON("minors", s->minors), JSON("majors", s->majors));
}

static json_t *region_json(const struct simulate_view *v, uint32_t i) {
    const struct sim_report *r = v->cluster.report;
    const struct sim_region *g = &r->regions[i];
    json_t *j = json_object(), *stores = json_array(), *course = json_array();
    json_put(j, JSON("first_row", json_hex(g->first)), JSON("end_row", json_hex(g->last)),
             JSON("parent", number_or_null(g->parent)), JSON("server", number_or_null(g->server)), JSON("born_ms", g->born_ms),
             JSON("gone_ms", number_or_null(g->gone_ms)), JSON("cells", g->cells), JSON("kv_bytes", g->bytes),
             JSON("share", simulate_share(g->bytes, r->totals.bytes)), JSON("file_bytes", g->file_bytes),
             JSON("files", g->files));
    for (uint32_t f = 0; f < r->n_families; f++)
        json_array_append_new(stores, store_json(&g->stores[f], v->cluster.settings.families[f].name));
    for (uint32_t b = 0; b < r->n_buckets; b++) json_array_append_new(course, json_integer((json_int_t)g->bucket_bytes[b]));
    json_put(j, JSON("stores", stores), JSON("course", course));
    return j;
}

static json_t *bucket_json(const struct sim_bucket *b) {
    return json_new(JSON("regions", b->regions), JSON("files", b->files), JSON("file_bytes", b->file_bytes),
                    JSON("cells", b->cells), JSON("kv_bytes", b->bytes), JSON("flushed_bytes", b->flushed_bytes),
                    JSON("compacted_bytes", b->compacted_bytes), JSON("events", events_json(b->events)),
                    JSON("blocked_ms", b->blocked_ms), JSON("hot_regions", b->hot_regions),
                    JSON("hottest", number_or_null(b->hottest)), JSON("hottest_share", b->hottest_share));
}

static json_t *totals_json(const struct sim_totals *t) {
    return json_new(JSON("cells", t->cells), JSON("kv_bytes", t->bytes), JSON("flushed_bytes", t->flushed_bytes),
                    JSON("compacted_in_bytes", t->compacted_in_bytes), JSON("compacted_bytes", t->compacted_bytes),
                    JSON("events", events_json(t->events)), JSON("write_amplification", t->write_amplification),
                    JSON("hot_regions_most", t->hot_regions_most), JSON("blocked_region_ms", t->blocked_region_ms),
                    JSON("blocked_server_ms", t->blocked_server_ms), JSON("delay_ms", t->delay_ms),
                    JSON("memstore_bytes", t->memstore_bytes), JSON("file_bytes", t->file_bytes), JSON("regions", t->regions),
                    JSON("files", t->files));
}

static json_t *server_json(const struct sim_server *s) {
    return json_new(JSON("regions", s->regions), JSON("cells", s->cells), JSON("kv_bytes", s->bytes),
                    JSON("file_bytes", s->file_bytes), JSON("memstore_peak_bytes", s->memstore_peak_bytes));
}

/* Lists the settings that the simulation used, those that matter most. */
static json_t *settings_json(const struct sim_settings *s) {
    json_t *j = json_object(), *ignored = json_array();
    json_put(j, JSON("flush_bytes", s->region.flush_bytes), JSON("block_multiplier", s->region.block_multiplier),
             JSON("max_file_bytes", s->region.max_file_bytes), JSON("initial_split_bytes", s->region.initial_split_bytes),
             JSON("heap_bytes", s->server.heap_bytes), JSON("compression_ratio", s->n_families ? s->families[0].file_ratio : 1));
    for (size_t i = 0; i < s->n_ignored; i++) json_array_append_new(ignored, json_text(s->ignored[i]));
    json_put(j, JSON("not_emulated", ignored));
    return j;
}

/* An event as in the file, and in words. */
static json_t *event_json(const struct sim_event *e, const struct table *t) {
    json_t *j = simulate_event_json(e, t);
    struct buf text = {0};
    struct err lost = {0};
    if (simulate_event_describe(e, &text, &lost)) json_memory_note_lost();
    json_put(j, JSON("text", json_stringn(text.n ? (const char *)text.p : "", text.n)));
    buf_free(&text);
    return j;
}

static json_t *cluster_json(const struct simulate_view *v) {
    const struct sim_report *r = v->cluster.report;
    json_t *j = json_object(), *regions = json_array(), *live = json_array(), *servers = json_array(), *buckets = json_array();
    json_t *events = json_array();
    for (uint32_t i = 0; i < r->n_regions; i++) json_array_append_new(regions, region_json(v, i));
    for (uint32_t i = 0; i < r->totals.regions; i++) json_array_append_new(live, json_integer((json_int_t)r->live[i]));
    for (uint32_t i = 0; i < r->n_servers; i++) json_array_append_new(servers, server_json(&r->servers[i]));
    for (uint32_t i = 0; i < r->n_buckets; i++) json_array_append_new(buckets, bucket_json(&r->buckets[i]));
    for (uint32_t i = 0; i < v->events.n; i++) json_array_append_new(events, event_json(&v->events.list[i], v->table));
    json_put(j, JSON("splits", json_text(v->splits)), JSON("settings", settings_json(&v->cluster.settings)),
             JSON("start_ms", r->start_ms), JSON("end_ms", r->end_ms), JSON("bucket_ms", r->bucket_ms),
             JSON("hottest_mean", v->hot.mean), JSON("hottest_most", v->hot.most), JSON("hottest_max_mean", v->hot.ratio),
             JSON("totals", totals_json(&r->totals)), JSON("regions", regions), JSON("live", live), JSON("servers", servers),
             JSON("buckets", buckets), JSON("events_seen", v->events.seen), JSON("events", events));
    return j;
}

/* ---- all ---- */

static json_t *sentence_json(const struct simulate_view *v,
                             int (*put)(const struct simulate_view *v, struct buf *out, struct err *err)) {
    struct buf text = {0};
    struct err lost = {0};
    if (put(v, &text, &lost)) json_memory_note_lost();
    json_t *j = json_stringn(text.n ? (const char *)text.p : "", text.n);
    buf_free(&text);
    return j;
}

json_t *simulate_json_make(const struct simulate_view *v) {
    const struct write_stream_facts *f = &v->r.facts;
    json_t *j = json_object(), *inputs = json_array();
    json_put(j, JSON("mode", v->emulated ? "emulate" : "simple"), JSON("writes", v->counted.writes),
             JSON("cells", v->counted.cells), JSON("kv_bytes", v->counted.bytes),
             JSON("sample", json_new(JSON("rows", v->r.sample_seen), JSON("kept", v->r.sample_kept))),
             JSON("key", split_options(v->o)->key ? json_text(split_options(v->o)->key) : json_null()), JSON("order", v->order),
             JSON("clock", f->tick_us == 1000 ? "timestamps" : "rate"), JSON("start_ms", f->start_ms), JSON("end_ms", f->end_ms),
             JSON("time_ms", times_json(v)), JSON("records_rejected", f->ledger.records_rejected), JSON("without_key", f->unfit),
             JSON("seconds", v->seconds), JSON("verdict", sentence_json(v, simulate_verdict_put)),
             JSON("designs_verdict", sentence_json(v, simulate_designs_verdict)), JSON("inputs", inputs));
    for (int i = 0; i < v->o->n_inputs; i++) json_array_append_new(inputs, json_text(v->o->inputs[i]));
    json_object_set(j, "next", v->shown.next ? v->shown.next : json_null());
    json_put(j, JSON("designs", simulate_designs_json(v)), JSON("hbase", v->emulated ? cluster_json(v) : hbase_json(v)),
             JSON("oceanbase", oceanbase_json(v)));
    return j;
}

/* ---- files beside events.jsonl: all figures, and the first regions for HBase's shell ---- */

int simulate_files_write(const struct simulate_view *v, const char *dir, struct err *err) {
    struct buf text = {0};
    int rc = fs_mkdirs(dir, err);
    for (uint32_t i = 0; i < v->r.bounds.n && !rc; i++) rc = split_result_put_binary(&text, buf_bytes(&v->r.bounds.list[i]), err);
    if (!rc) rc = split_result_put(dir, "splits.txt", buf_bytes(&text), err);
    buf_free(&text);
    return rc ? -1 : split_result_put_json(dir, "simulate.json", simulate_json_make(v), err);
}
