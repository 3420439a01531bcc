/* `obkv-verify skew --json`: families and partitions with their spread, heaviest rows and prefixes, nodes and the heat map.
 * docs/skew.md has the fields; their names are an interface. */
#include "cmd/common/spread/spread_json.h"
#include "cmd/common/output_text.h"
#include "cmd/verify/info/info_text.h"
#include "cmd/verify/skew/skew_view.h"

static json_t *number_or_null(bool is, uint64_t n) {
    return is ? json_of_count(n) : json_null();
}

static json_t *part_json(const struct skew_view *v, const struct skew_part *p) {
    bool full = !v->r->quick;
    return json_new(JSON("rows", number_or_null(full, p->rows)), JSON("cells", p->cells),
                    JSON("delete_markers", number_or_null(full, p->deletes)), JSON("columns", number_or_null(full, p->columns)),
                    JSON("versions_mean", full ? json_real(skew_versions_mean(p)) : json_null()),
                    JSON("versions_most", number_or_null(full, p->versions_most)), JSON("kv_bytes", p->kv_bytes),
                    JSON("file_bytes", number_or_null(v->r->stored, p->file_bytes)),
                    JSON("files", number_or_null(v->r->stored, p->files)));
}

static json_t *spread_json(const struct skew_view *v, const struct skew_table *t) {
    json_t *j = json_object();
    for (int m = 0; m < SKEW_MEASURES; m++) {
        const struct spread *s = &t->spread[m];
        json_put(j, JSON(skew_measure_name((enum skew_measure)m),
                         !v->known[m] ? json_null()
                                      : json_new(JSON("mean", s->mean), JSON("median", s->median), JSON("least", s->least),
                                                 JSON("most", s->most), JSON("max_mean", s->max_mean), JSON("cv", s->cv),
                                                 JSON("gini", s->gini), JSON("empty", s->empty))));
    }
    return j;
}

/* Figures, how even, and each partition. */
static void put_table(const struct skew_view *v, const struct skew_table *t, json_t *to) {
    json_t *list = json_array(), *empty = json_array();
    for (uint32_t i = 0; i < v->partitions; i++) {
        json_t *j = json_new(JSON("name", json_text(v->table->partitioning.names[i]))), *p = part_json(v, &t->parts[i]);
        json_object_update(j, p);
        json_decref(p);
        json_array_append_new(list, j);
        if (!t->parts[i].cells) json_array_append_new(empty, json_text(v->table->partitioning.names[i]));
    }
    json_put(to, JSON("total", part_json(v, &t->total)), JSON("spread", spread_json(v, t)), JSON("empty", empty),
             JSON("partitions", list));
}

static json_t *families_json(const struct skew_view *v) {
    json_t *list = json_array();
    for (uint32_t f = 0; f < v->families; f++) {
        json_t *j = json_new(JSON("name", json_text(v->table->families[f].name)));
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
        json_array_append_new(list, json_new(JSON("family", json_text(v->table->families[v->over[i].family].name)),
                                             JSON("partition", json_text(v->table->partitioning.names[v->over[i].partition])),
                                             JSON("kv_bytes", v->over[i].bytes)));
    return json_new(JSON("limit_bytes", v->o->spread.max_partition), JSON("partitions", list));
}

static json_t *histogram_json(const struct histogram *h) {
    return json_new(JSON("mean", histogram_mean(h)), JSON("p50", histogram_share(h, 0.5)), JSON("p95", histogram_share(h, 0.95)),
                    JSON("p99", histogram_share(h, 0.99)), JSON("most", h->largest));
}

static json_t *versions_json(const struct skew_view *v) {
    json_t *list = json_array();
    for (struct skew_versions s = skew_versions_next(v, NULL); s.from; s = skew_versions_next(v, &s))
        json_array_append_new(list, json_new(JSON("from", s.from), JSON("to", s.to), JSON("columns", s.columns)));
    return list;
}

static json_t *rows_json(const struct skew_view *v) {
    const struct top_rows *rows = &v->r->sums.heaviest;
    json_t *list = json_array();
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct top_row *r = &rows->rows[i];
        json_t *j = json_new(JSON("row", json_hex(top_row_key(r))), JSON("text", info_text_json(info_put_bytes, top_row_key(r))),
                             JSON("row_bytes", r->row_bytes), JSON("family", json_text(v->table->families[r->family].name)),
                             JSON("partition", json_text(v->table->partitioning.names[r->partition])));
        json_put(j, JSON("cells", r->cells), JSON("kv_bytes", r->bytes), JSON("share", skew_share(v, r->bytes)));
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
        json_t *j = json_new(JSON("prefix", json_hex(key)), JSON("text", info_text_json(info_put_bytes, key)),
                             JSON(v->r->quick ? "block_bytes" : "kv_bytes", range(p->low.bytes, p->high.bytes)));
        if (!v->r->quick) json_object_set_new(j, "rows", range(p->low.rows, p->high.rows));
        if (!v->r->quick) json_object_set_new(j, "cells", range(p->low.cells, p->high.cells));
        json_put(j, JSON("share", json_pack("[f, f]", skew_share(v, p->low.bytes), skew_share(v, p->high.bytes))));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *account_json(const struct skew_view *v) {
    const struct ledger *l = &v->r->ledger;
    char digest[DIGEST_HEX];
    json_t *dropped = json_object();
    digest_print(v->r->stored ? v->r->digest : l->in.digest, digest);
    json_t *j = json_new(JSON("records_read", l->records_read), JSON("records_accepted", l->records_accepted),
                         JSON("records_rejected", l->records_rejected), JSON("records_skipped", l->records_skipped));
    json_put(j, JSON("cells_in", l->in.cells), JSON("cells_rejected", l->rejected.cells), JSON("cells_dropped", dropped));
    for (int i = VERDICT_KEEP + 1; i < VERDICT_COUNT; i++)
        json_put(dropped, JSON(verdict_name((enum verdict)i), l->dropped[i].cells));
    json_put(j, JSON("cells_written", number_or_null(v->r->stored, ledger_written(l)->cells)),
             JSON("cells_counted", v->all.total.cells), JSON("digest_counted", v->r->quick ? json_null() : json_string(digest)),
             JSON("holds", v->r->quick ? json_null() : json_boolean(skew_account_holds(v))));
    if (*v->first_reject) json_object_set_new(j, "first_reject", json_text(v->first_reject));
    return j;
}

json_t *skew_json_make(const struct skew_view *v, char *const *inputs, int n_inputs) {
    json_t *j = json_new(JSON("tool", "obkv-verify"), JSON("did", "skew"),
                         JSON("partitioning", json_text((const char *)v->partitioning.p)), JSON("quick", v->r->quick));
    json_t *list = json_array();
    for (int i = 0; i < n_inputs; i++) json_array_append_new(list, json_text(inputs[i]));
    json_put(j, JSON("inputs", list));
    put_table(v, &v->all, j);
    json_put(j, JSON("lorenz", lorenz_json(v)), JSON("above_limit", over_json(v)),
             JSON("row_bytes", v->r->quick ? json_null() : histogram_json(&v->r->sums.row_bytes)),
             JSON("row_cells", v->r->quick ? json_null() : histogram_json(&v->r->sums.row_cells)),
             JSON("versions", v->r->quick ? json_null() : versions_json(v)),
             JSON("heaviest_rows", v->r->quick ? json_null() : rows_json(v)), JSON("prefixes", prefixes_json(v)),
             JSON("nodes", spread_json_nodes(&v->nodes)), JSON("heat_map", spread_json_heat(&v->heat)),
             JSON("account", account_json(v)), JSON("families", families_json(v)), JSON("seconds", v->seconds));
    json_object_set(j, "next", v->next ? v->next : json_null());
    return j;
}
