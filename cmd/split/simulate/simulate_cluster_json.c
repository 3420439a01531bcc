/* The emulated cluster in `obkv-split simulate --json`: docs/simulate.md has the fields. */
#include "cmd/common/output_text.h"
#include "cmd/split/simulate/simulate_view.h"

static json_t *number(int64_t n) {
    return json_integer((json_int_t)n);
}

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
    json_object_set_new(j, "born_ms", number(g->born_ms));
    json_object_set_new(j, "gone_ms", number_or_null(g->gone_ms));
    json_object_set_new(j, "cells", number((int64_t)g->cells));
    json_object_set_new(j, "kv_bytes", number((int64_t)g->bytes));
    json_object_set_new(j, "share", json_real(simulate_share(g->bytes, r->totals.bytes)));
    json_object_set_new(j, "file_bytes", number((int64_t)g->file_bytes));
    json_object_set_new(j, "files", number(g->files));
    for (uint32_t f = 0; f < r->n_families; f++)
        json_array_append_new(stores, store_json(&g->stores[f], v->cluster.settings.families[f].name));
    for (uint32_t b = 0; b < r->n_buckets; b++) json_array_append_new(course, number((int64_t)g->course[b]));
    json_object_set_new(j, "stores", stores);
    json_object_set_new(j, "course", course);
    return j;
}

static json_t *bucket_json(const struct sim_bucket *b) {
    json_t *j = json_object();
    json_object_set_new(j, "regions", number(b->regions));
    json_object_set_new(j, "files", number(b->files));
    json_object_set_new(j, "file_bytes", number((int64_t)b->file_bytes));
    json_object_set_new(j, "cells", number((int64_t)b->cells));
    json_object_set_new(j, "kv_bytes", number((int64_t)b->bytes));
    json_object_set_new(j, "flushed_bytes", number((int64_t)b->flushed_bytes));
    json_object_set_new(j, "compacted_bytes", number((int64_t)b->compacted_bytes));
    json_object_set_new(j, "events", events_json(b->events));
    json_object_set_new(j, "blocked_ms", number(b->blocked_ms));
    json_object_set_new(j, "hot_regions", number(b->hot_regions));
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
    json_object_set_new(j, "hot_regions_most", number(t->hot_regions_most));
    json_object_set_new(j, "blocked_region_ms", number(t->blocked_region_ms));
    json_object_set_new(j, "blocked_server_ms", number(t->blocked_server_ms));
    json_object_set_new(j, "delay_ms", number(t->delay_ms));
    json_object_set_new(j, "memstore_bytes", number((int64_t)t->memstore_bytes));
    json_object_set_new(j, "file_bytes", number((int64_t)t->file_bytes));
    json_object_set_new(j, "regions", number(t->regions));
    json_object_set_new(j, "files", number(t->files));
    return j;
}

static json_t *server_json(const struct sim_server *s) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "regions", (json_int_t)s->regions, "cells", (json_int_t)s->cells, "kv_bytes",
                     (json_int_t)s->bytes, "file_bytes", (json_int_t)s->file_bytes, "memstore_peak_bytes",
                     (json_int_t)s->memstore_peak_bytes);
}

/* What was reckoned with, of the settings that matter most. */
static json_t *settings_json(const struct sim_settings *s) {
    json_t *j = json_object(), *ignored = json_array();
    json_object_set_new(j, "flush_bytes", number((int64_t)s->region.flush_bytes));
    json_object_set_new(j, "block_multiplier", number(s->region.block_multiplier));
    json_object_set_new(j, "max_file_bytes", number((int64_t)s->region.max_file_bytes));
    json_object_set_new(j, "initial_split_bytes", number((int64_t)s->region.initial_split_bytes));
    json_object_set_new(j, "heap_bytes", number((int64_t)s->server.heap_bytes));
    json_object_set_new(j, "compression_ratio", json_real(s->n_families ? s->families[0].file_ratio : 1));
    for (size_t i = 0; i < s->n_ignored; i++) json_array_append_new(ignored, json_text(s->ignored[i]));
    json_object_set_new(j, "not_emulated", ignored);
    return j;
}

json_t *simulate_cluster_json(const struct simulate_view *v) {
    const struct sim_report *r = v->cluster.report;
    json_t *j = json_object(), *regions = json_array(), *live = json_array(), *servers = json_array(), *buckets = json_array();
    json_t *events = json_array();
    for (uint32_t i = 0; i < r->n_regions; i++) json_array_append_new(regions, region_json(v, i));
    for (uint32_t i = 0; i < r->totals.regions; i++) json_array_append_new(live, number(r->live[i]));
    for (uint32_t i = 0; i < r->n_servers; i++) json_array_append_new(servers, server_json(&r->servers[i]));
    for (uint32_t i = 0; i < r->n_buckets; i++) json_array_append_new(buckets, bucket_json(&r->buckets[i]));
    for (uint32_t i = 0; i < v->events.n; i++) json_array_append_new(events, simulate_event_json(&v->events.list[i], v->table));
    json_object_set_new(j, "splits", json_text(v->splits));
    json_object_set_new(j, "settings", settings_json(&v->cluster.settings));
    json_object_set_new(j, "start_ms", number(r->start_ms));
    json_object_set_new(j, "end_ms", number(r->end_ms));
    json_object_set_new(j, "bucket_ms", number(r->bucket_ms));
    json_object_set_new(j, "hottest_mean", json_real(v->hot_mean));
    json_object_set_new(j, "hottest_most", json_real(v->hot_most));
    json_object_set_new(j, "hottest_max_mean", json_real(v->hot_ratio));
    json_object_set_new(j, "totals", totals_json(&r->totals));
    json_object_set_new(j, "regions", regions);
    json_object_set_new(j, "live", live);
    json_object_set_new(j, "servers", servers);
    json_object_set_new(j, "buckets", buckets);
    json_object_set_new(j, "events_seen", number((int64_t)v->events.seen));
    json_object_set_new(j, "events", events);
    return j;
}
