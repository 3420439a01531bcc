/* `obkv-verify skew --json`: families and partitions with their spread, heaviest rows and prefixes, nodes and the heat map.
 * docs/skew.md has the fields; their names are an interface. */
#include "cmd/common/spread/spread_json.h"
#include "cmd/common/output_text.h"
#include "cmd/verify/info/info_text.h"
#include "cmd/verify/skew/skew_view.h"

static json_t *number(uint64_t n) {
    return json_integer((json_int_t)n);
}

static json_t *number_or_null(bool is, uint64_t n) {
    return is ? number(n) : json_null();
}

static json_t *part_json(const struct skew_view *v, const struct skew_part *p) {
    bool full = !v->r->quick;
    json_t *j = json_object();
    json_object_set_new(j, "rows", number_or_null(full, p->rows));
    json_object_set_new(j, "cells", number(p->cells));
    json_object_set_new(j, "delete_markers", number_or_null(full, p->deletes));
    json_object_set_new(j, "columns", number_or_null(full, p->columns));
    json_object_set_new(j, "versions_mean", full ? json_real(skew_versions_mean(p)) : json_null());
    json_object_set_new(j, "versions_most", number_or_null(full, p->versions_most));
    json_object_set_new(j, "kv_bytes", number(p->kv_bytes));
    json_object_set_new(j, "file_bytes", number_or_null(v->r->stored, p->file_bytes));
    json_object_set_new(j, "files", number_or_null(v->r->stored, p->files));
    return j;
}

static json_t *spread_json(const struct skew_view *v, const struct skew_table *t) {
    json_t *j = json_object();
    for (int m = 0; m < SKEW_MEASURES; m++) {
        const struct spread *s = &t->spread[m];
        json_object_set_new(j, skew_measure_name((enum skew_measure)m),
                            !v->known[m]
                                ? json_null()
                                : json_pack("{s:f, s:I, s:I, s:I, s:f, s:f, s:f, s:i}", "mean", s->mean, "median",
                                            (json_int_t)s->median, "least", (json_int_t)s->least, "most", (json_int_t)s->most,
                                            "max_mean", s->max_mean, "cv", s->cv, "gini", s->gini, "empty", (int)s->empty));
    }
    return j;
}

/* Figures, how even, and each partition. */
static void put_table(const struct skew_view *v, const struct skew_table *t, json_t *to) {
    json_t *list = json_array(), *empty = json_array();
    for (uint32_t i = 0; i < v->partitions; i++) {
        json_t *j = json_pack("{s:o}", "name", json_text(v->table->partitioning.names[i])), *p = part_json(v, &t->parts[i]);
        json_object_update(j, p);
        json_decref(p);
        json_array_append_new(list, j);
        if (!t->parts[i].cells) json_array_append_new(empty, json_text(v->table->partitioning.names[i]));
    }
    json_object_set_new(to, "total", part_json(v, &t->total));
    json_object_set_new(to, "spread", spread_json(v, t));
    json_object_set_new(to, "empty", empty);
    json_object_set_new(to, "partitions", list);
}

static json_t *families_json(const struct skew_view *v) {
    json_t *list = json_array();
    for (uint32_t f = 0; f < v->families; f++) {
        json_t *j = json_pack("{s:o}", "name", json_text(v->table->families[f].name));
        put_table(v, &v->family[f], j);
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *lorenz_json(const struct skew_view *v) {
    json_t *list = json_array();
    for (int i = 0; i < SPREAD_LORENZ; i++) json_array_append_new(list, json_real(v->all.spread[SKEW_KV_BYTES].lorenz[i]));
    return list;
}

static json_t *over_json(const struct skew_view *v) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < v->n_over; i++)
        json_array_append_new(list, json_pack("{s:o, s:o, s:I}", "family", json_text(v->table->families[v->over[i].family].name),
                                              "partition", json_text(v->table->partitioning.names[v->over[i].partition]),
                                              "kv_bytes", (json_int_t)v->over[i].bytes));
    return json_pack("{s:I, s:o}", "limit_bytes", (json_int_t)v->o->spread.max_partition, "partitions", list);
}

static json_t *histogram_json(const struct histogram *h) {
    return json_pack("{s:f, s:I, s:I, s:I, s:I}", "mean", histogram_mean(h), "p50", (json_int_t)histogram_share(h, 0.5), "p95",
                     (json_int_t)histogram_share(h, 0.95), "p99", (json_int_t)histogram_share(h, 0.99), "most",
                     (json_int_t)h->largest);
}

static json_t *versions_json(const struct skew_view *v) {
    json_t *list = json_array();
    for (struct skew_versions s = skew_versions_next(v, NULL); s.from; s = skew_versions_next(v, &s))
        json_array_append_new(list, json_pack("{s:I, s:I, s:I}", "from", (json_int_t)s.from, "to", (json_int_t)s.to, "columns",
                                              (json_int_t)s.columns));
    return list;
}

static json_t *rows_json(const struct skew_view *v) {
    const struct top_rows *rows = &v->r->sums.heaviest;
    json_t *list = json_array();
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct top_row *r = &rows->rows[i];
        json_t *j = json_pack("{s:o, s:o, s:I, s:o, s:o}", "row", json_hex(top_row_key(r)), "text",
                              info_text_json(info_put_bytes, top_row_key(r)), "row_bytes", (json_int_t)r->row_bytes, "family",
                              json_text(v->table->families[r->family].name), "partition",
                              json_text(v->table->partitioning.names[r->partition]));
        json_object_set_new(j, "cells", number(r->cells));
        json_object_set_new(j, "kv_bytes", number(r->bytes));
        json_object_set_new(j, "share", json_real(skew_share(v, r->bytes)));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *range(uint64_t low, uint64_t high) {
    return json_pack("[I, I]", (json_int_t)low, (json_int_t)high);
}

static json_t *prefixes_json(const struct skew_view *v) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < v->prefixes.n; i++) {
        const struct key_prefix_weight *p = &v->prefixes.list[i];
        struct bytes key = bytes_of(p->key, p->n);
        json_t *j = json_pack("{s:o, s:o, s:o}", "prefix", json_hex(key), "text", info_text_json(info_put_bytes, key),
                              v->r->quick ? "block_bytes" : "kv_bytes", range(p->low.bytes, p->high.bytes));
        if (!v->r->quick) json_object_set_new(j, "rows", range(p->low.rows, p->high.rows));
        if (!v->r->quick) json_object_set_new(j, "cells", range(p->low.cells, p->high.cells));
        json_object_set_new(j, "share", json_pack("[f, f]", skew_share(v, p->low.bytes), skew_share(v, p->high.bytes)));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *account_json(const struct skew_view *v) {
    const struct ledger *l = &v->r->ledger;
    char digest[DIGEST_HEX];
    json_t *dropped = json_object();
    digest_print(v->r->stored ? v->r->digest : l->in.digest, digest);
    json_t *j = json_pack("{s:I, s:I, s:I, s:I}", "records_read", (json_int_t)l->records_read, "records_accepted",
                          (json_int_t)l->records_accepted, "records_rejected", (json_int_t)l->records_rejected, "records_skipped",
                          (json_int_t)l->records_skipped);
    json_object_set_new(j, "cells_in", number(l->in.cells));
    json_object_set_new(j, "cells_rejected", number(l->rejected.cells));
    json_object_set_new(j, "cells_dropped", dropped);
    for (int i = VERDICT_KEEP + 1; i < VERDICT_COUNT; i++)
        json_object_set_new(dropped, verdict_name((enum verdict)i), number(l->dropped[i].cells));
    json_object_set_new(j, "cells_written", v->r->stored ? number(ledger_written(l)->cells) : json_null());
    json_object_set_new(j, "cells_counted", number(v->all.total.cells));
    json_object_set_new(j, "digest_counted", v->r->quick ? json_null() : json_string(digest));
    json_object_set_new(j, "holds", v->r->quick ? json_null() : json_boolean(skew_account_holds(v)));
    if (*v->first_reject) json_object_set_new(j, "first_reject", json_text(v->first_reject));
    return j;
}

json_t *skew_json_make(const struct skew_view *v, char *const *inputs, int n_inputs) {
    json_t *j = json_pack("{s:s, s:s, s:o, s:b}", "tool", "obkv-verify", "did", "skew", "partitioning",
                          json_text((const char *)v->partitioning.p), "quick", (int)v->r->quick);
    json_t *list = json_array();
    for (int i = 0; i < n_inputs; i++) json_array_append_new(list, json_text(inputs[i]));
    json_object_set_new(j, "inputs", list);
    put_table(v, &v->all, j);
    json_object_set_new(j, "lorenz", lorenz_json(v));
    json_object_set_new(j, "above_limit", over_json(v));
    json_object_set_new(j, "row_bytes", v->r->quick ? json_null() : histogram_json(&v->r->sums.row_bytes));
    json_object_set_new(j, "row_cells", v->r->quick ? json_null() : histogram_json(&v->r->sums.row_cells));
    json_object_set_new(j, "versions", v->r->quick ? json_null() : versions_json(v));
    json_object_set_new(j, "heaviest_rows", v->r->quick ? json_null() : rows_json(v));
    json_object_set_new(j, "prefixes", prefixes_json(v));
    json_object_set_new(j, "nodes", spread_json_nodes(&v->nodes));
    json_object_set_new(j, "heat_map", spread_json_heat(&v->heat));
    json_object_set_new(j, "account", account_json(v));
    json_object_set_new(j, "families", families_json(v));
    json_object_set_new(j, "seconds", json_real(v->seconds));
    json_object_set(j, "next", v->next ? v->next : json_null());
    return j;
}
