/* `obkv-split simulate --json`: docs/simulate.md has the fields. */
#include "cmd/split/split.h"
#include "cmd/common/output_text.h"
#include "cmd/split/simulate/simulate_view.h"

static json_t *number(uint64_t n) {
    return json_integer((json_int_t)n);
}

static json_t *slices_json(const struct simulate_side *s) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < s->course->slices; i++) {
        const struct write_course_slice *slice = &s->figures.slices[i];
        json_t *hottest = slice->writes ? number(slice->hottest) : json_null();
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
    const struct write_course_figures *f = &s->figures;
    json_object_set_new(j, "count", number(s->course->places));
    json_object_set_new(j, "max_mean", json_real(f->writes.max_mean));
    json_object_set_new(j, "cv", json_real(f->writes.cv));
    json_object_set_new(j, "gini", json_real(f->writes.gini));
    json_object_set_new(j, "empty", number(f->writes.empty));
    json_object_set_new(j, "bytes_max_mean", json_real(f->bytes.max_mean));
    json_object_set_new(j, "hottest_mean", json_real(f->hottest_mean));
    json_object_set_new(j, "hottest_most", json_real(f->hottest_most));
    json_object_set_new(j, "hottest_places", number(f->hottest_places));
    json_object_set_new(j, "slices", slices_json(s));
    json_object_set_new(j, "nodes", nodes_json(&s->nodes));
}

static json_t *place_json(const struct simulate_side *s, uint32_t place, uint64_t all) {
    const struct write_course *c = s->course;
    const struct place_sum *sum = &c->sums[place];
    json_t *j = json_pack("{s:I, s:f, s:I, s:I, s:i}", "writes", (json_int_t)sum->writes, "share",
                          simulate_share(sum->writes, all), "cells", (json_int_t)sum->cells, "kv_bytes", (json_int_t)sum->bytes,
                          "hottest_in", (int)simulate_hottest_in(s, place));
    json_t *course = json_array();
    for (uint32_t i = 0; i < c->slices; i++) json_array_append_new(course, number(c->writes[(size_t)i * c->places + place]));
    json_object_set_new(j, "course", course);
    return j;
}

static json_t *hbase_json(const struct simulate_view *v) {
    json_t *j = json_object(), *list = json_array();
    json_object_set_new(j, "splits", json_text(v->splits));
    put_side(j, &v->regions);
    for (uint32_t i = 0; i < v->regions.course->places; i++) {
        json_t *region = place_json(&v->regions, i, v->writes);
        json_object_set_new(region, "first_row", json_hex(simulate_region_row(v, i)));
        json_object_set_new(region, "sampled", v->r.sample_kept ? number(v->r.sample_counts[i]) : json_null());
        json_array_append_new(list, region);
    }
    json_object_set_new(j, "regions", list);
    return j;
}

static json_t *oceanbase_json(const struct simulate_view *v) {
    json_t *j = json_object(), *list = json_array();
    json_object_set_new(j, "partitioning", json_text((const char *)v->partitioning.p));
    put_side(j, &v->partitions);
    json_object_set_new(j, "writes_nowhere", number(v->r.nowhere));
    for (uint32_t i = 0; i < v->partitions.course->places; i++) {
        json_t *partition = place_json(&v->partitions, i, v->writes);
        json_object_set_new(partition, "name", json_text(v->table->partitioning.names[i]));
        json_array_append_new(list, partition);
    }
    json_object_set_new(j, "partitions", list);
    return j;
}

static json_t *times_json(const struct simulate_view *v) {
    json_t *list = json_array();
    for (uint32_t i = 0; i <= v->partitions.course->slices; i++)
        json_array_append_new(list, json_integer((json_int_t)simulate_slice_ms(v, i)));
    return list;
}

json_t *simulate_json_make(const struct simulate_view *v) {
    const struct write_stream_facts *f = &v->r.facts;
    json_t *j = json_object();
    json_object_set_new(j, "mode", json_string(v->emulated ? "emulate" : "simple"));
    json_object_set_new(j, "writes", number(v->writes));
    json_object_set_new(j, "cells", number(v->cells));
    json_object_set_new(j, "kv_bytes", number(v->bytes));
    json_object_set_new(j, "sample",
                        json_pack("{s:I, s:I}", "rows", (json_int_t)v->r.sample_seen, "kept", (json_int_t)v->r.sample_kept));
    json_object_set_new(j, "key", split_options(v->o)->key ? json_text(split_options(v->o)->key) : json_null());
    json_object_set_new(j, "order", json_string(v->order));
    json_object_set_new(j, "clock", json_string(f->tick_us == 1000 ? "timestamps" : "rate"));
    json_object_set_new(j, "start_ms", json_integer((json_int_t)f->start_ms));
    json_object_set_new(j, "end_ms", json_integer((json_int_t)f->end_ms));
    json_object_set_new(j, "time_ms", times_json(v));
    json_object_set_new(j, "records_rejected", number(f->ledger.records_rejected));
    json_object_set_new(j, "without_key", number(f->unfit));
    json_object_set_new(j, "seconds", json_real(v->seconds));
    json_object_set_new(j, "hbase", v->emulated ? simulate_cluster_json(v) : hbase_json(v));
    json_object_set_new(j, "oceanbase", oceanbase_json(v));
    return j;
}
