/* `obkv-split plan --json`: every design with its facts, its ranked choices and the figures of each. docs/plan.md has the
 * fields; their names are an interface. */
#include "cmd/common/spread/spread_json.h"
#include "base/json.h"
#include "cmd/common/opt_given.h"
#include "cmd/common/output_text.h"
#include "cmd/split/plan/plan_view.h"

static json_t *number(uint64_t n) {
    return json_integer((json_int_t)n);
}

static json_t *spread_json(const struct spread *s) {
    return json_pack("{s:f, s:f, s:f, s:I, s:I, s:i}", "max_mean", s->max_mean, "cv", s->cv, "gini", s->gini, "most",
                     (json_int_t)s->most, "least", (json_int_t)s->least, "empty", (int)s->empty);
}

static json_int_t whole(double x) {
    return (json_int_t)(x + 0.5);
}

/* Lists rows, cells and bytes of each partition, estimated where a sample was taken. */
static json_t *parts_json(const struct candidate *c) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < c->choice->n; i++) {
        const struct estimate e = estimate_of(&c->figures.precision, &c->choice->parts[i]);
        json_array_append_new(list, json_pack("[I, I, I]", whole(e.rows), whole(e.cells), whole(e.bytes)));
    }
    return list;
}

static json_t *errors_json(const struct candidate *c) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < c->choice->n; i++) {
        const struct estimate e = estimate_of(&c->figures.precision, &c->choice->parts[i]);
        json_array_append_new(list, json_pack("[I, I]", whole(e.rows_error + 0.5), whole(e.bytes_error + 0.5)));
    }
    return list;
}

static json_t *bounds_json(const struct plan_choice *c) {
    json_t *list = json_array();
    for (uint32_t i = 0; c->bounds && i + 1 < c->n; i++) json_array_append_new(list, json_hex(buf_bytes(&c->bounds[i])));
    return list;
}

static json_t *candidate_json(const struct candidate *c, bool groups) {
    const struct plan_figures *f = &c->figures;
    json_t *j = json_object();
    struct buf text = {0};
    struct err lost = {0};
    if (plan_choice_describe(c->choice, &text, &lost)) json_memory_note_lost();
    json_object_set_new(j, "text", json_stringn((const char *)text.p, text.n));
    buf_free(&text);
    json_object_set_new(j, "kind", json_string(plan_kind_name(c->choice->kind)));
    json_object_set_new(j, "prefix", number(c->choice->prefix));
    json_object_set_new(j, "asked", number(c->choice->room));
    json_object_set_new(j, "count", number(c->choice->n));
    json_object_set_new(j, "listed", json_boolean(c->listed));
    json_object_set_new(j, "why", json_text((const char *)c->why.p));
    json_object_set_new(j, "penalty", json_real(c->penalty));
    json_object_set_new(j, "rows", spread_json(&f->rows));
    json_object_set_new(j, "bytes", spread_json(&f->bytes));
    json_object_set_new(j, "largest_expected_bytes", json_real(f->largest));
    json_object_set_new(j, "over_limit", number(f->over));
    json_object_set_new(j, "nodes_max_mean", json_real(f->nodes_max));
    json_object_set_new(j, "newest_share", f->newest_known ? json_real(f->hot_share) : json_null());
    json_object_set_new(j, "newest_partitions", f->newest_known ? json_real(f->time_parts) : json_null());
    json_object_set_new(j, "group_partitions", groups ? json_real(f->group_parts) : json_null());
    json_object_set_new(j, "largest_bytes_error", json_real(f->error));
    json_object_set_new(j, "largest_rows_error", json_real(f->rows_error));
    json_object_set_new(j, "partitions", parts_json(c));
    if (f->precision.share < 1) json_object_set_new(j, "errors", errors_json(c));
    if (c->choice->bounds) json_object_set_new(j, "bounds_hex", bounds_json(c->choice));
    return j;
}

static json_t *positions_json(const struct plan_design *d) {
    json_t *list = json_array();
    for (uint32_t n = 1; n <= PLAN_PREFIX_MAX; n++)
        json_array_append_new(
            list, json_pack("{s:i, s:f, s:I, s:I}", "bytes", (int)n, "entropy_bits", key_facts_entropy(&d->r.facts, n - 1),
                            "distinct", (json_int_t)d->r.runs.distinct[n], "heaviest_bytes", (json_int_t)d->r.runs.heaviest[n]));
    return list;
}

static json_t *heavy_json(const struct plan_design *d) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < d->r.top.n; i++) {
        const struct top_row *t = &d->r.top.rows[i];
        json_array_append_new(list, json_pack("{s:o, s:I, s:I}", "row_hex", json_hex(top_row_key(t)), "bytes",
                                              (json_int_t)t->bytes, "cells", (json_int_t)t->cells));
    }
    return list;
}

/* Lists heavy prefixes, with the least and the greatest share of the bytes that they hold. */
static json_t *prefixes_json(const struct plan_design *d) {
    const double total = d->prefixes.total_bytes ? (double)d->prefixes.total_bytes : 1;
    json_t *list = json_array();
    for (uint32_t i = 0; i < d->prefixes.n; i++) {
        const struct key_prefix_weight *w = &d->prefixes.list[i];
        json_array_append_new(list, json_pack("{s:o, s:[f, f]}", "prefix", json_hex(bytes_of(w->key, w->n)), "share",
                                              (double)w->low.bytes / total, (double)w->high.bytes / total));
    }
    return list;
}

static json_t *keys_json(const struct plan_design *d) {
    const struct key_facts *f = &d->r.facts;
    double pairs = f->rows > 1 ? (double)(f->rows - 1) : 1;
    json_t *j = json_object();
    json_object_set_new(j, "shortest", number(f->shortest));
    json_object_set_new(j, "longest", number(f->longest));
    json_object_set_new(j, "mean", json_real(f->rows ? (double)f->key_bytes / (double)f->rows : 0));
    json_object_set_new(j, "bytes_per_cell", json_real(f->cells ? (double)f->cell_key_bytes / (double)f->cells : 0));
    json_object_set_new(j, "over_1024", number(f->too_long));
    json_object_set_new(j, "not_utf8", number(f->not_text));
    json_object_set_new(j, "ascending_share", json_real(row_sample_ascending(&d->r.sample)));
    json_object_set_new(j, "successor_share", json_real((double)f->successors / pairs));
    json_object_set_new(j, "begins_with", json_string(key_head_text(key_facts_head(f))));
    json_object_set_new(j, "group_bytes", number(d->group_bytes));
    json_object_set_new(j, "prefixes", positions_json(d));
    json_object_set_new(j, "heaviest_rows", heavy_json(d));
    return j;
}

static json_t *design_json(const struct plan_design *d) {
    json_t *j = json_object(), *list = json_array();
    json_object_set_new(j, "key", json_text(d->text));
    json_object_set_new(j, "rows", number(d->r.facts.rows));
    json_object_set_new(j, "cells", number(d->r.facts.cells));
    json_object_set_new(j, "kv_bytes", number(d->r.facts.bytes));
    json_object_set_new(j, "share", json_real(d->r.sampling.share));
    json_object_set_new(j, "sample_by", json_string(sample_by_name(d->r.sampling.by)));
    json_object_set_new(j, "not_by_blocks", d->r.sampling.refusal.text[0] ? json_text(d->r.sampling.refusal.text) : json_null());
    json_object_set_new(j, "cells_without_key", number(d->r.unfit));
    json_object_set_new(j, "prefixes", prefixes_json(d));
    json_object_set_new(j, "keys", keys_json(d));
    for (uint32_t i = 0; i < d->n; i++) json_array_append_new(list, candidate_json(&d->list[i], d->group_bytes));
    json_object_set_new(j, "choices", list);
    json_object_set_new(j, "nodes", spread_json_nodes(&d->nodes));
    json_object_set_new(j, "heat_map", spread_json_heat(&d->heat));
    return j;
}

static json_t *access_json(const struct plan_view *v) {
    switch (v->access) {
    case ACCESS_GET: return json_string("get");
    case ACCESS_PREFIX: return json_sprintf("prefix:%u", v->access_bytes);
    case ACCESS_RANGE: return json_string("range");
    default: return json_null();
    }
}

static json_t *lines_json(struct bytes rest) {
    json_t *list = json_array();
    while (rest.n) {
        const struct bytes line = plan_take_line(&rest);
        json_array_append_new(list, json_stringn((const char *)line.p, line.n));
    }
    return list;
}

json_t *plan_json_make(const struct plan_view *v) {
    json_t *j = json_object(), *list = json_array();
    json_object_set_new(j, "expected_bytes", json_real(v->expected_bytes));
    json_object_set_new(j, "replicas", number(v->replicas));
    json_object_set_new(j, "access", access_json(v));
    json_object_set_new(j, "notes", lines_json(buf_bytes(&v->notes)));
    json_object_set_new(j, "table_review", lines_json(buf_bytes(&v->review)));
    json_object_set_new(j, "partitions_wanted", number(v->wanted));
    json_object_set_new(j, "nodes", number(v->o->spread.nodes));
    json_object_set_new(j, "nodes_assumed", json_boolean(!opt_given(v->o, "nodes")));
    json_object_set_new(j, "partition_limit_bytes", number(v->o->spread.max_partition));
    const struct ledger *l = &v->designs[0].r.ledger;
    json_object_set_new(j, "records",
                        json_pack("{s:I, s:I, s:I, s:I}", "read", (json_int_t)l->records_read, "accepted",
                                  (json_int_t)l->records_accepted, "rejected", (json_int_t)l->records_rejected, "skipped",
                                  (json_int_t)l->records_skipped));
    json_object_set_new(j, "records_rejected", number(l->records_rejected));
    json_object_set_new(j, "seconds", json_real(v->seconds));
    for (uint32_t i = 0; i < v->n_designs; i++) json_array_append_new(list, design_json(&v->designs[i]));
    json_object_set_new(j, "designs", list);
    json_object_set_new(j, "access_doubt", v->access_doubt.n ? json_text((const char *)v->access_doubt.p) : json_null());
    json_object_set_new(j, "taken", v->shown.taken ? number((uint64_t)(v->shown.taken - v->designs[0].list)) : json_null());
    json_object_set(j, "present", v->shown.present ? v->shown.present : json_null());
    json_object_set(j, "next", v->shown.next ? v->shown.next : json_null());
    return j;
}
