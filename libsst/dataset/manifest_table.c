/* A table definition and its partitioning as JSON, in both directions. What is read passes the same checks as DDL does, so a
 * dataset comes back from its manifest with the same placement and rules. */
#include "base/json.h"
#include "dataset/manifest_json.h"

#include "dataset/manifest_table.h"
#include "table/partitioning.h"

#include <stdlib.h>

static const char *const keep_names[] = {"FALSE", "TRUE", "TTL"};

static int find_name(const char *const *names, size_t n, const char *s) {
    for (size_t i = 0; s && i < n; i++)
        if (!strcmp(names[i], s)) return (int)i;
    return -1;
}

static json_t *rules_json(const struct family_rules *r) {
    return json_new(
        JSON("versions", !r->versions_given          ? json_null()
                         : r->versions == UINT32_MAX ? json_string("unlimited")
                                                     : json_integer(r->versions)),
        JSON("min_versions", r->min_versions), JSON("ttl_s", r->ttl_s), JSON("keep_deleted_cells", keep_names[r->keep_deleted]),
        JSON("new_version_behavior", r->new_version_behavior), JSON("purge_deletes_after_ms", r->purge_deletes_after_ms));
}

static json_t *family_json(const struct family *f) {
    json_t *j =
        json_new(JSON("name", manifest_text(f->name)), JSON("sql_table", manifest_text(f->sql_table)), JSON("k_max", f->k_max),
                 JSON("q_max", f->q_max), JSON("v_max", f->v_max), JSON("v_type", manifest_text(f->v_type)),
                 JSON("ttl_column", f->has_ttl_column), JSON("rules", rules_json(&f->rules)));
    if (j && f->has_generated) json_object_set_new(j, "generated_column", json_true());
    if (j && f->is_padded) json_object_set_new(j, "padded", json_true());
    return j;
}

json_t *manifest_table_json(const struct table *t) {
    json_t *families = json_array();
    for (uint32_t i = 0; i < t->n_families; i++) json_array_append_new(families, family_json(&t->families[i]));
    return json_new(JSON("name", manifest_text(t->name)), JSON("families", families),
                    JSON("partitioning", manifest_partitioning_json(&t->partitioning)), JSON("ddl", manifest_text(t->ddl)));
}

static int parse_rules(const json_t *j, struct family_rules *r, struct err *err) {
    const json_t *v = json_object_get(j, "versions");
    r->versions_given = v && !json_is_null(v);
    r->versions = UINT32_MAX;
    if (json_is_string(v) ? strcmp(json_string_value(v), "unlimited") != 0 : r->versions_given && !json_is_integer(v))
        return err_set(err, ERR_INPUT, "manifest: versions is neither a number nor \"unlimited\"");
    if (json_is_integer(v) && manifest_u32(j, "versions", &r->versions, err)) return -1;
    if (manifest_u32(j, "min_versions", &r->min_versions, err) || manifest_i64(j, "ttl_s", &r->ttl_s, err) ||
        manifest_i64(j, "purge_deletes_after_ms", &r->purge_deletes_after_ms, err))
        return -1;
    r->new_version_behavior = json_is_true(json_object_get(j, "new_version_behavior"));
    int keep = find_name(keep_names, countof(keep_names), json_string_value(json_object_get(j, "keep_deleted_cells")));
    if (keep < 0) return err_set(err, ERR_INPUT, "manifest: unknown keep_deleted_cells");
    r->keep_deleted = (enum keep_deleted)keep;
    return 0;
}

static int add_family(const json_t *j, struct table *t, struct err *err) {
    char *name;
    struct err why = {0};
    if (manifest_text_parse(json_object_get(j, "name"), "a family", &name, err)) return -1;
    int rc = table_add_family(t, bytes_str(name ? name : ""), &why);
    free(name);
    return rc ? err_set(err, why.code == ERR_USAGE ? ERR_INPUT : why.code, "manifest: %s", why.text) : 0;
}

static int parse_family(const json_t *j, struct table *t, struct err *err) {
    if (add_family(j, t, err)) return -1;
    struct family *f = &t->families[t->n_families - 1];
    f->has_ttl_column = json_is_true(json_object_get(j, "ttl_column"));
    f->has_generated = json_is_true(json_object_get(j, "generated_column"));
    f->is_padded = json_is_true(json_object_get(j, "padded"));
    if (manifest_text_parse(json_object_get(j, "sql_table"), "sql_table", &f->sql_table, err) ||
        manifest_text_parse(json_object_get(j, "v_type"), "v_type", &f->v_type, err) ||
        manifest_u32(j, "k_max", &f->k_max, err) || manifest_u32(j, "q_max", &f->q_max, err) ||
        manifest_u64(j, "v_max", &f->v_max, err))
        return -1;
    return parse_rules(json_object_get(j, "rules"), &f->rules, err);
}

int manifest_table_parse(const json_t *j, struct table *t, struct err *err) {
    if (table_handmade(t, err)) return -1;
    partitioning_free(&t->partitioning);
    if (manifest_text_parse(json_object_get(j, "name"), "the table's name", &t->name, err) ||
        manifest_text_parse(json_object_get(j, "ddl"), "the DDL", &t->ddl, err))
        return -1;
    const json_t *families = json_object_get(j, "families"), *f;
    size_t i;
    json_array_foreach(families, i, f) {
        if (parse_family(f, t, err)) return -1;
    }
    if (manifest_partitioning_parse(json_object_get(j, "partitioning"), &t->partitioning, err)) return -1;
    t->client_order_differs = partitioning_client_differs(&t->partitioning);
    return 0;
}

static const char *const kind_names[] = {"none", "key", "range", "list", "two_level", "other"};
static const char *const by_names[] = {"row", "column", "cell", "time"};

static void put_prefix(json_t *j, const struct key_prefix *prefix) {
    if (!prefix->on) return;
    json_put(j, JSON("prefix_pos", prefix->pos));
    if (prefix->has_len) json_object_set_new(j, "prefix_len", json_integer(prefix->len));
    if (prefix->delimiter[0]) json_object_set_new(j, "prefix_delimiter_hex", manifest_hex(bytes_str(prefix->delimiter)));
}

static json_t *bounds_json(const struct partitioning *p) {
    json_t *bounds = json_array();
    for (uint32_t i = 0; i < p->count; i++)
        json_array_append_new(bounds, p->bounds[i].p ? manifest_hex(p->bounds[i]) : json_null());
    return bounds;
}

/* Lists the values of each partition; null among them is DEFAULT. */
static json_t *lists_json(const struct partitioning *p) {
    json_t *lists = json_array();
    for (uint32_t i = 0; i < p->count; i++) {
        json_t *values = json_array();
        for (uint32_t k = 0; k < p->lists[i].n; k++) json_array_append_new(values, manifest_hex(p->lists[i].values[k]));
        if (p->lists[i].is_default) json_array_append_new(values, json_null());
        json_array_append_new(lists, values);
    }
    return lists;
}

json_t *manifest_partitioning_json(const struct partitioning *p) {
    json_t *j = json_new(JSON("kind", kind_names[p->kind]), JSON("count", p->count));
    json_t *names = json_array();
    for (uint32_t i = 0; i < p->count; i++) json_array_append_new(names, manifest_text(p->names[i]));
    json_put(j, JSON("names", names));
    put_prefix(j, &p->prefix);
    if (p->by != BY_ROW) json_object_set_new(j, "by", json_string(by_names[p->by]));
    if (p->k_pad) json_object_set_new(j, "k_pad", json_integer(p->k_pad));
    if (p->kind == PARTITION_OTHER) json_object_set_new(j, "notation", manifest_text(p->notation));
    if (p->kind == PARTITION_RANGE) json_object_set_new(j, "bounds_hex", bounds_json(p));
    if (p->kind == PARTITION_LIST) json_object_set_new(j, "lists_hex", lists_json(p));
    if (p->kind != PARTITION_TWO_LEVEL) return j;
    json_t *levels = json_array();
    for (uint32_t i = 0; i < p->n_levels; i++) json_array_append_new(levels, manifest_partitioning_json(&p->levels[i]));
    json_put(j, JSON("template", p->is_template), JSON("levels", levels));
    return j;
}

/* ---- and back ---- */

static int malformed(struct err *err) {
    return err_set(err, ERR_INPUT, "manifest: partitioning is malformed");
}

static int parse_prefix(const json_t *j, struct key_prefix *prefix, struct err *err) {
    const json_t *delimiter = json_object_get(j, "prefix_delimiter_hex");
    struct buf b = {0};
    if (manifest_i64(j, "prefix_pos", &prefix->pos, err) || manifest_i64(j, "prefix_len", &prefix->len, err)) return -1;
    prefix->on = json_object_get(j, "prefix_pos");
    prefix->has_len = json_object_get(j, "prefix_len");
    if (!delimiter) return 0;
    int rc = manifest_hex_parse(delimiter, &b, err);
    if (!rc && (!prefix->on || !b.n || b.n >= sizeof prefix->delimiter || memchr(b.p, 0, b.n))) rc = malformed(err);
    if (!rc) memcpy(prefix->delimiter, b.p, b.n);
    buf_free(&b);
    return rc;
}

/* One bound or value into scratch; *out stays empty for null. */
static int take_hex(const json_t *j, struct buf *scratch, struct bytes *out, struct err *err) {
    *out = (struct bytes){0};
    if (json_is_null(j)) return 0;
    if (manifest_hex_parse(j, scratch, err)) return -1;
    *out = (struct bytes){scratch->p, scratch->n};
    return 0;
}

static int parse_list(const json_t *values, struct partitioning *p, const struct bytes *name, struct buf *scratch,
                      struct err *err) {
    const json_t *v;
    struct bytes value;
    size_t i;
    if (!json_is_array(values)) return malformed(err);
    if (partitioning_add_list(p, name, err)) return -1;
    json_array_foreach(values, i, v) {
        if (take_hex(v, scratch, &value, err) || partitioning_add_value(p, value.p ? &value : NULL, err)) return -1;
    }
    return 0;
}

static int parse_leaf(const json_t *j, size_t i, struct partitioning *p, struct buf *scratch, struct err *err) {
    char *text;
    struct bytes bound;
    if (manifest_text_parse(json_array_get(json_object_get(j, "names"), i), "a partition name", &text, err)) return -1;
    if (!text) return err_set(err, ERR_INPUT, "manifest: a partition without name");
    struct bytes name = bytes_str(text);
    int rc;
    if (p->kind == PARTITION_LIST)
        rc = parse_list(json_array_get(json_object_get(j, "lists_hex"), i), p, &name, scratch, err);
    else if (p->kind == PARTITION_RANGE)
        rc = take_hex(json_array_get(json_object_get(j, "bounds_hex"), i), scratch, &bound, err) ||
             partitioning_add(p, &name, &bound, err);
    else
        rc = partitioning_add(p, &name, NULL, err);
    free(text);
    return rc ? -1 : 0;
}

static int parse_flat(const json_t *j, uint32_t count, struct partitioning *p, struct err *err) {
    struct buf scratch = {0};
    int rc = 0;
    if (p->kind == PARTITION_RANGE && json_array_size(json_object_get(j, "bounds_hex")) != count)
        return err_set(err, ERR_INPUT, "manifest: bounds and partition count differ");
    for (size_t i = 0; !rc && i < count; i++) rc = parse_leaf(j, i, p, &scratch, err);
    buf_free(&scratch);
    return rc;
}

static int parse_one(const json_t *j, struct partitioning *p, bool may_nest, struct err *err);

/* Names of leaves are made anew; they must equal those in the manifest. */
static int parse_levels(const json_t *j, uint32_t count, struct partitioning *p, struct err *err) {
    const json_t *levels = json_object_get(j, "levels");
    size_t n = json_array_size(levels);
    p->is_template = json_is_true(json_object_get(j, "template"));
    if (n < 2 || n > PARTITIONS_MAX + 1) return malformed(err);
    p->levels = calloc(n, sizeof *p->levels);
    if (!p->levels) return err_nomem(err, n * sizeof *p->levels, "partitions");
    for (; p->n_levels < n; p->n_levels++)
        if (parse_one(json_array_get(levels, p->n_levels), &p->levels[p->n_levels], false, err)) {
            partitioning_free(&p->levels[p->n_levels]);
            return -1;
        }
    if (n != (p->is_template ? 2 : (size_t)p->levels[0].count + 1)) return malformed(err);
    if (partitioning_join(p, err)) return -1;
    return p->count == count ? 0 : malformed(err);
}

static int parse_one(const json_t *j, struct partitioning *p, bool may_nest, struct err *err) {
    uint32_t count;
    int kind = find_name(kind_names, countof(kind_names), json_string_value(json_object_get(j, "kind")));
    const json_t *by_name = json_object_get(j, "by");
    int by = by_name ? find_name(by_names, countof(by_names), json_string_value(by_name)) : BY_ROW;
    *p = (struct partitioning){0};
    if (manifest_u32(j, "count", &count, err) || manifest_u32(j, "k_pad", &p->k_pad, err) || parse_prefix(j, &p->prefix, err))
        return -1;
    bool sound = kind >= 0 && by >= 0 && count >= 1 && count <= PARTITIONS_MAX &&
                 json_array_size(json_object_get(j, "names")) == count && (may_nest || kind != PARTITION_TWO_LEVEL);
    if (by == BY_TIME) sound = sound && kind == PARTITION_RANGE;
    if (by == BY_COLUMN || by == BY_CELL) sound = sound && kind == PARTITION_KEY;
    if (!sound) return malformed(err);
    p->kind = (enum partition_kind)kind;
    p->by = (enum partition_by)by;
    if (p->kind == PARTITION_OTHER) {
        if (manifest_text_parse(json_object_get(j, "notation"), "the notation of a partitioning", &p->notation, err)) return -1;
        if (!p->notation) return malformed(err);
    }
    return kind == PARTITION_TWO_LEVEL ? parse_levels(j, count, p, err) : parse_flat(j, count, p, err);
}

/* Parses a partitioning. A mistake that would be wrong usage where a user asks for partitions is a damaged manifest here. */
int manifest_partitioning_parse(const json_t *j, struct partitioning *p, struct err *err) {
    struct err why = {0};
    if (!parse_one(j, p, true, &why) && !partitioning_check(p, &why)) return 0;
    if (why.code != ERR_USAGE) {
        err_keep(err, &why);
        return -1;
    }
    return err_set(err, ERR_INPUT, "manifest: %s", why.text);
}

/* ---- what a dataset is of its table ---- */

static const char *const dataset_kinds[] = {[DATASET_UNSAID] = NULL, [DATASET_WHOLE] = "whole", [DATASET_DELTA] = "delta"};

const char *dataset_kind_name(enum dataset_kind kind) {
    return dataset_kinds[kind];
}

/* A base with deltas is whole, deltas together are one. */
enum dataset_kind dataset_kind_add(enum dataset_kind a, enum dataset_kind b) {
    if (a == DATASET_WHOLE || b == DATASET_WHOLE) return DATASET_WHOLE;
    return a == b ? a : DATASET_UNSAID;
}

/* An unknown name may be one of a later version, about which nothing may be assumed. */
int dataset_kind_parse(const char *name, enum dataset_kind *kind, struct err *err) {
    int found = name ? find_name(dataset_kinds + 1, countof(dataset_kinds) - 1, name) : -1;
    *kind = (enum dataset_kind)(found + 1);
    if (!name || found >= 0) return 0;
    return err_set(err, ERR_UNSUPPORTED, "a dataset of kind '%.50s'; use a newer version of this program", name);
}
