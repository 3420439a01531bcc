/* `obkv-split plan --json`: every design with its facts, its ranked choices and the figures of each. docs/plan.md has the
 * fields; their names are an interface. */
#include "cmd/common/spread/spread_json.h"
#include "base/json.h"
#include "cmd/common/opt_given.h"
#include "cmd/common/output_text.h"
#include "cmd/split/plan/plan_view.h"

static json_t *spread_json(const struct spread *s) {
    return json_new(JSON("max_mean", s->max_mean), JSON("cv", s->cv), JSON("gini", s->gini), JSON("most", s->most),
                    JSON("least", s->least), JSON("empty", s->empty));
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
    json_put(j, JSON("text", json_stringn((const char *)text.p, text.n)));
    buf_free(&text);
    json_put(j, JSON("kind", plan_kind_name(c->choice->kind)), JSON("prefix", c->choice->prefix), JSON("asked", c->choice->room),
             JSON("count", c->choice->n), JSON("listed", c->listed), JSON("why", json_text((const char *)c->why.p)),
             JSON("penalty", c->penalty), JSON("rows", spread_json(&f->rows)), JSON("bytes", spread_json(&f->bytes)),
             JSON("largest_expected_bytes", f->largest), JSON("over_limit", f->over), JSON("nodes_max_mean", f->nodes_max),
             JSON("newest_share", f->newest_known ? json_real(f->hot_share) : json_null()),
             JSON("newest_partitions", f->newest_known ? json_real(f->time_parts) : json_null()),
             JSON("group_partitions", groups ? json_real(f->group_parts) : json_null()), JSON("largest_bytes_error", f->error),
             JSON("largest_rows_error", f->rows_error), JSON("partitions", parts_json(c)));
    if (f->precision.share < 1) json_object_set_new(j, "errors", errors_json(c));
    if (c->choice->bounds) json_object_set_new(j, "bounds_hex", bounds_json(c->choice));
    return j;
}

static json_t *positions_json(const struct plan_design *d) {
    json_t *list = json_array();
    for (uint32_t n = 1; n <= PLAN_PREFIX_MAX; n++)
        json_array_append_new(list,
                              json_new(JSON("bytes", n), JSON("entropy_bits", key_facts_entropy(&d->r.facts, n - 1)),
                                       JSON("distinct", d->r.runs.distinct[n]), JSON("heaviest_bytes", d->r.runs.heaviest[n])));
    return list;
}

static json_t *heavy_json(const struct plan_design *d) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < d->r.top.n; i++) {
        const struct top_row *t = &d->r.top.rows[i];
        json_array_append_new(
            list, json_new(JSON("row_hex", json_hex(top_row_key(t))), JSON("bytes", t->bytes), JSON("cells", t->cells)));
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
    return json_new(
        JSON("shortest", f->shortest), JSON("longest", f->longest),
        JSON("mean", f->rows ? (double)f->key_bytes / (double)f->rows : 0),
        JSON("bytes_per_cell", f->cells ? (double)f->cell_key_bytes / (double)f->cells : 0), JSON("over_1024", f->too_long),
        JSON("not_utf8", f->not_text), JSON("ascending_share", row_sample_ascending(&d->r.sample)),
        JSON("successor_share", (double)f->successors / pairs), JSON("begins_with", key_head_text(key_facts_head(f))),
        JSON("group_bytes", d->group_bytes), JSON("prefixes", positions_json(d)), JSON("heaviest_rows", heavy_json(d)));
}

static json_t *design_json(const struct plan_design *d) {
    json_t *j = json_object(), *list = json_array();
    json_put(j, JSON("key", json_text(d->text)), JSON("rows", d->r.facts.rows), JSON("cells", d->r.facts.cells),
             JSON("kv_bytes", d->r.facts.bytes), JSON("share", d->r.sampling.share),
             JSON("sample_by", sample_by_name(d->r.sampling.by)),
             JSON("not_by_blocks", d->r.sampling.refusal.text[0] ? json_text(d->r.sampling.refusal.text) : json_null()),
             JSON("cells_without_key", d->r.unfit), JSON("prefixes", prefixes_json(d)), JSON("keys", keys_json(d)));
    for (uint32_t i = 0; i < d->n; i++) json_array_append_new(list, candidate_json(&d->list[i], d->group_bytes));
    json_put(j, JSON("choices", list), JSON("nodes", spread_json_nodes(&d->nodes)), JSON("heat_map", spread_json_heat(&d->heat)));
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
    json_put(j, JSON("expected_bytes", v->expected_bytes), JSON("replicas", v->replicas), JSON("access", access_json(v)),
             JSON("notes", lines_json(buf_bytes(&v->notes))), JSON("table_review", lines_json(buf_bytes(&v->review))),
             JSON("partitions_wanted", v->wanted), JSON("nodes", v->o->spread.nodes),
             JSON("nodes_assumed", json_boolean(!opt_given(v->o, "nodes"))),
             JSON("partition_limit_bytes", v->o->spread.max_partition));
    const struct ledger *l = &v->designs[0].r.ledger;
    json_put(j,
             JSON("records", json_new(JSON("read", l->records_read), JSON("accepted", l->records_accepted),
                                      JSON("rejected", l->records_rejected), JSON("skipped", l->records_skipped))),
             JSON("records_rejected", l->records_rejected), JSON("seconds", v->seconds));
    for (uint32_t i = 0; i < v->n_designs; i++) json_array_append_new(list, design_json(&v->designs[i]));
    json_put(j, JSON("designs", list),
             JSON("access_doubt", v->access_doubt.n ? json_text((const char *)v->access_doubt.p) : json_null()),
             JSON("taken", v->shown.taken ? json_integer(v->shown.taken - v->designs[0].list) : json_null()));
    json_object_set(j, "present", v->shown.present ? v->shown.present : json_null());
    json_object_set(j, "next", v->shown.next ? v->shown.next : json_null());
    return j;
}
