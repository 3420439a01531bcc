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

static json_t *number(int64_t n) {
    return json_integer((json_int_t)n);
}

static json_t *slices_json(const struct simulate_side *s) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < s->history->slices; i++) {
        const struct write_history_slice *slice = &s->figures.slices[i];
        json_t *hottest = slice->writes ? number((int64_t)slice->hottest) : json_null();
        json_array_append_new(list, json_pack("{s:I, s:o, s:f}", "writes", (json_int_t)slice->writes, "hottest", hottest,
                                              "hottest_share", simulate_share(slice->most, slice->writes)));
    }
    return list;
}

static json_t *nodes_json(const struct node_balance *b) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < b->nodes; i++)
        json_array_append_new(list, json_pack("{s:i, s:I}", "places", (int)b->round_robin[i].partitions, "writes",
                                              (json_int_t)b->round_robin[i].amount));
    return json_pack("{s:i, s:f, s:o}", "count", (int)b->nodes, "max_mean", b->round_robin_max_mean, "nodes", list);
}

static void put_side(json_t *j, const struct simulate_side *s) {
    const struct write_history_figures *f = &s->figures;
    json_object_set_new(j, "count", number((int64_t)s->history->places));
    json_object_set_new(j, "max_mean", json_real(f->writes.max_mean));
    json_object_set_new(j, "cv", json_real(f->writes.cv));
    json_object_set_new(j, "gini", json_real(f->writes.gini));
    json_object_set_new(j, "empty", number((int64_t)f->writes.empty));
    json_object_set_new(j, "bytes_max_mean", json_real(f->bytes.max_mean));
    json_object_set_new(j, "hottest_mean", json_real(f->hottest_mean));
    json_object_set_new(j, "hottest_most", json_real(f->hottest_most));
    json_object_set_new(j, "hottest_places", number((int64_t)f->hottest_places));
    json_object_set_new(j, "slices", slices_json(s));
    json_object_set_new(j, "nodes", nodes_json(&s->nodes));
}

static json_t *place_json(const struct simulate_side *s, uint32_t place, uint64_t all) {
    const struct write_history *c = s->history;
    const struct place_sum *sum = &c->sums[place];
    json_t *j = json_pack("{s:I, s:f, s:I, s:I, s:i}", "writes", (json_int_t)sum->writes, "share",
                          simulate_share(sum->writes, all), "cells", (json_int_t)sum->cells, "kv_bytes", (json_int_t)sum->bytes,
                          "hottest_in", (int)simulate_hottest_in(s, place));
    json_t *course = json_array();
    for (uint32_t i = 0; i < c->slices; i++)
        json_array_append_new(course, number((int64_t)c->writes[(size_t)i * c->places + place]));
    json_object_set_new(j, "course", course);
    return j;
}

static json_t *hbase_json(const struct simulate_view *v) {
    json_t *j = json_object(), *list = json_array();
    json_object_set_new(j, "splits", json_text(v->splits));
    put_side(j, &v->regions);
    for (uint32_t i = 0; i < v->regions.history->places; i++) {
        json_t *region = place_json(&v->regions, i, v->counted.writes);
        json_object_set_new(region, "first_row", json_hex(simulate_region_row(v, i)));
        json_object_set_new(region, "sampled", v->r.sample_kept ? number((int64_t)v->r.sample_counts[i]) : json_null());
        json_array_append_new(list, region);
    }
    json_object_set_new(j, "regions", list);
    return j;
}

static json_t *oceanbase_json(const struct simulate_view *v) {
    json_t *j = json_object(), *list = json_array();
    json_object_set_new(j, "partitioning", json_text((const char *)v->partitioning.p));
    json_object_set_new(j, "direct_load", json_boolean(!partitioning_is_generated(&v->table->partitioning)));
    put_side(j, &v->partitions);
    json_object_set_new(j, "writes_nowhere", number((int64_t)v->r.nowhere));
    for (uint32_t i = 0; i < v->partitions.history->places; i++) {
        json_t *partition = place_json(&v->partitions, i, v->counted.writes);
        json_object_set_new(partition, "name", json_text(v->table->partitioning.names[i]));
        json_array_append_new(list, partition);
    }
    json_object_set_new(j, "partitions", list);
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
    return n == SIM_NONE ? json_null() : number(n);
}

static json_t *events_json(const uint64_t *events) {
    json_t *j = json_object();
    for (int k = 0; k < SIM_EVENT_KINDS; k++)
        json_object_set_new(j, sim_event_name((enum sim_event_kind)k), number((int64_t)events[k]));
    return j;
}

static json_t *store_json(const struct sim_store *s, const char *family) {
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "family", json_text(family), "memstore_bytes",
                     (json_int_t)s->memstore_bytes, "file_bytes", (json_int_t)s->file_bytes, "files", (json_int_t)s->files,
                     "references", (json_int_t)s->references, "flushes", (json_int_t)s->flushes, "minors", (json_int_t)s->minors,
                     "majors", (json_int_t)s->majors);
}

static json_t *region_json(const struct simulate_view *v, uint32_t i) {
    const struct sim_report *r = v->cluster.report;
    const struct sim_region *g = &r->regions[i];
    json_t *j = json_object(), *stores = json_array(), *course = json_array();
    json_object_set_new(j, "first_row", json_hex(g->first));
    json_object_set_new(j, "end_row", json_hex(g->last));
    json_object_set_new(j, "parent", number_or_null(g->parent));
    json_object_set_new(j, "server", number_or_null(g->server));
    json_object_set_new(j, "born_ms", number((int64_t)g->born_ms));
    json_object_set_new(j, "gone_ms", number_or_null(g->gone_ms));
    json_object_set_new(j, "cells", number((int64_t)g->cells));
    json_object_set_new(j, "kv_bytes", number((int64_t)g->bytes));
    json_object_set_new(j, "share", json_real(simulate_share(g->bytes, r->totals.bytes)));
    json_object_set_new(j, "file_bytes", number((int64_t)g->file_bytes));
    json_object_set_new(j, "files", number((int64_t)g->files));
    for (uint32_t f = 0; f < r->n_families; f++)
        json_array_append_new(stores, store_json(&g->stores[f], v->cluster.settings.families[f].name));
    for (uint32_t b = 0; b < r->n_buckets; b++) json_array_append_new(course, number((int64_t)g->bucket_bytes[b]));
    json_object_set_new(j, "stores", stores);
    json_object_set_new(j, "course", course);
    return j;
}

static json_t *bucket_json(const struct sim_bucket *b) {
    json_t *j = json_object();
    json_object_set_new(j, "regions", number((int64_t)b->regions));
    json_object_set_new(j, "files", number((int64_t)b->files));
    json_object_set_new(j, "file_bytes", number((int64_t)b->file_bytes));
    json_object_set_new(j, "cells", number((int64_t)b->cells));
    json_object_set_new(j, "kv_bytes", number((int64_t)b->bytes));
    json_object_set_new(j, "flushed_bytes", number((int64_t)b->flushed_bytes));
    json_object_set_new(j, "compacted_bytes", number((int64_t)b->compacted_bytes));
    json_object_set_new(j, "events", events_json(b->events));
    json_object_set_new(j, "blocked_ms", number((int64_t)b->blocked_ms));
    json_object_set_new(j, "hot_regions", number((int64_t)b->hot_regions));
    json_object_set_new(j, "hottest", number_or_null(b->hottest));
    json_object_set_new(j, "hottest_share", json_real(b->hottest_share));
    return j;
}

static json_t *totals_json(const struct sim_totals *t) {
    json_t *j = json_object();
    json_object_set_new(j, "cells", number((int64_t)t->cells));
    json_object_set_new(j, "kv_bytes", number((int64_t)t->bytes));
    json_object_set_new(j, "flushed_bytes", number((int64_t)t->flushed_bytes));
    json_object_set_new(j, "compacted_in_bytes", number((int64_t)t->compacted_in_bytes));
    json_object_set_new(j, "compacted_bytes", number((int64_t)t->compacted_bytes));
    json_object_set_new(j, "events", events_json(t->events));
    json_object_set_new(j, "write_amplification", json_real(t->write_amplification));
    json_object_set_new(j, "hot_regions_most", number((int64_t)t->hot_regions_most));
    json_object_set_new(j, "blocked_region_ms", number((int64_t)t->blocked_region_ms));
    json_object_set_new(j, "blocked_server_ms", number((int64_t)t->blocked_server_ms));
    json_object_set_new(j, "delay_ms", number((int64_t)t->delay_ms));
    json_object_set_new(j, "memstore_bytes", number((int64_t)t->memstore_bytes));
    json_object_set_new(j, "file_bytes", number((int64_t)t->file_bytes));
    json_object_set_new(j, "regions", number((int64_t)t->regions));
    json_object_set_new(j, "files", number((int64_t)t->files));
    return j;
}

static json_t *server_json(const struct sim_server *s) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "regions", (json_int_t)s->regions, "cells", (json_int_t)s->cells, "kv_bytes",
                     (json_int_t)s->bytes, "file_bytes", (json_int_t)s->file_bytes, "memstore_peak_bytes",
                     (json_int_t)s->memstore_peak_bytes);
}

/* Lists the settings that the simulation used, those that matter most. */
static json_t *settings_json(const struct sim_settings *s) {
    json_t *j = json_object(), *ignored = json_array();
    json_object_set_new(j, "flush_bytes", number((int64_t)s->region.flush_bytes));
    json_object_set_new(j, "block_multiplier", number((int64_t)s->region.block_multiplier));
    json_object_set_new(j, "max_file_bytes", number((int64_t)s->region.max_file_bytes));
    json_object_set_new(j, "initial_split_bytes", number((int64_t)s->region.initial_split_bytes));
    json_object_set_new(j, "heap_bytes", number((int64_t)s->server.heap_bytes));
    json_object_set_new(j, "compression_ratio", json_real(s->n_families ? s->families[0].file_ratio : 1));
    for (size_t i = 0; i < s->n_ignored; i++) json_array_append_new(ignored, json_text(s->ignored[i]));
    json_object_set_new(j, "not_emulated", ignored);
    return j;
}

/* An event as in the file, and in words. */
static json_t *event_json(const struct sim_event *e, const struct table *t) {
    json_t *j = simulate_event_json(e, t);
    struct buf text = {0};
    struct err lost = {0};
    if (simulate_event_describe(e, &text, &lost)) json_memory_note_lost();
    json_object_set_new(j, "text", json_stringn(text.n ? (const char *)text.p : "", text.n));
    buf_free(&text);
    return j;
}

static json_t *cluster_json(const struct simulate_view *v) {
    const struct sim_report *r = v->cluster.report;
    json_t *j = json_object(), *regions = json_array(), *live = json_array(), *servers = json_array(), *buckets = json_array();
    json_t *events = json_array();
    for (uint32_t i = 0; i < r->n_regions; i++) json_array_append_new(regions, region_json(v, i));
    for (uint32_t i = 0; i < r->totals.regions; i++) json_array_append_new(live, number((int64_t)r->live[i]));
    for (uint32_t i = 0; i < r->n_servers; i++) json_array_append_new(servers, server_json(&r->servers[i]));
    for (uint32_t i = 0; i < r->n_buckets; i++) json_array_append_new(buckets, bucket_json(&r->buckets[i]));
    for (uint32_t i = 0; i < v->events.n; i++) json_array_append_new(events, event_json(&v->events.list[i], v->table));
    json_object_set_new(j, "splits", json_text(v->splits));
    json_object_set_new(j, "settings", settings_json(&v->cluster.settings));
    json_object_set_new(j, "start_ms", number((int64_t)r->start_ms));
    json_object_set_new(j, "end_ms", number((int64_t)r->end_ms));
    json_object_set_new(j, "bucket_ms", number((int64_t)r->bucket_ms));
    json_object_set_new(j, "hottest_mean", json_real(v->hot.mean));
    json_object_set_new(j, "hottest_most", json_real(v->hot.most));
    json_object_set_new(j, "hottest_max_mean", json_real(v->hot.ratio));
    json_object_set_new(j, "totals", totals_json(&r->totals));
    json_object_set_new(j, "regions", regions);
    json_object_set_new(j, "live", live);
    json_object_set_new(j, "servers", servers);
    json_object_set_new(j, "buckets", buckets);
    json_object_set_new(j, "events_seen", number((int64_t)v->events.seen));
    json_object_set_new(j, "events", events);
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
    json_object_set_new(j, "mode", json_string(v->emulated ? "emulate" : "simple"));
    json_object_set_new(j, "writes", number((int64_t)v->counted.writes));
    json_object_set_new(j, "cells", number((int64_t)v->counted.cells));
    json_object_set_new(j, "kv_bytes", number((int64_t)v->counted.bytes));
    json_object_set_new(j, "sample",
                        json_pack("{s:I, s:I}", "rows", (json_int_t)v->r.sample_seen, "kept", (json_int_t)v->r.sample_kept));
    json_object_set_new(j, "key", split_options(v->o)->key ? json_text(split_options(v->o)->key) : json_null());
    json_object_set_new(j, "order", json_string(v->order));
    json_object_set_new(j, "clock", json_string(f->tick_us == 1000 ? "timestamps" : "rate"));
    json_object_set_new(j, "start_ms", json_integer((json_int_t)f->start_ms));
    json_object_set_new(j, "end_ms", json_integer((json_int_t)f->end_ms));
    json_object_set_new(j, "time_ms", times_json(v));
    json_object_set_new(j, "records_rejected", number((int64_t)f->ledger.records_rejected));
    json_object_set_new(j, "without_key", number((int64_t)f->unfit));
    json_object_set_new(j, "seconds", json_real(v->seconds));
    json_object_set_new(j, "verdict", sentence_json(v, simulate_verdict_put));
    json_object_set_new(j, "designs_verdict", sentence_json(v, simulate_designs_verdict));
    json_object_set_new(j, "inputs", inputs);
    for (int i = 0; i < v->o->n_inputs; i++) json_array_append_new(inputs, json_text(v->o->inputs[i]));
    json_object_set(j, "next", v->shown.next ? v->shown.next : json_null());
    json_object_set_new(j, "designs", simulate_designs_json(v));
    json_object_set_new(j, "hbase", v->emulated ? cluster_json(v) : hbase_json(v));
    json_object_set_new(j, "oceanbase", oceanbase_json(v));
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
