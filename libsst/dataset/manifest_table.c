#include "dataset/manifest_table.h"

#include "dataset/manifest_partitioning.h"
#include "table/partitioning.h"

#include <stdlib.h>

static const char *const keep_names[] = {"FALSE", "TRUE", "TTL"};

static int find_name(const char *const *names, size_t n, const char *s) {
    for (size_t i = 0; s && i < n; i++)
        if (!strcmp(names[i], s)) return (int)i;
    return -1;
}

static json_t *rules_json(const struct family_rules *r) {
    return json_pack("{s:o, s:I, s:I, s:s, s:b, s:I}", "versions",
                     !r->versions_given          ? json_null()
                     : r->versions == UINT32_MAX ? json_string("unlimited")
                                                 : json_integer(r->versions),
                     "min_versions", (json_int_t)r->min_versions, "ttl_s", (json_int_t)r->ttl_s, "keep_deleted_cells",
                     keep_names[r->keep_deleted], "new_version_behavior", (int)r->new_version_behavior, "purge_deletes_after_ms",
                     (json_int_t)r->purge_deletes_after_ms);
}

static json_t *family_json(const struct family *f) {
    json_t *j = json_pack("{s:o, s:o, s:I, s:I, s:I, s:o, s:b, s:o}", "name", manifest_text(f->name), "sql_table",
                          manifest_text(f->sql_table), "k_max", (json_int_t)f->k_max, "q_max", (json_int_t)f->q_max, "v_max",
                          (json_int_t)f->v_max, "v_type", manifest_text(f->v_type), "ttl_column", (int)f->has_ttl_column, "rules",
                          rules_json(&f->rules));
    if (j && f->has_generated) json_object_set_new(j, "generated_column", json_true());
    if (j && f->is_padded) json_object_set_new(j, "padded", json_true());
    return j;
}

json_t *manifest_table_json(const struct table *t) {
    json_t *families = json_array();
    for (uint32_t i = 0; i < t->n_families; i++) json_array_append_new(families, family_json(&t->families[i]));
    return json_pack("{s:o, s:o, s:o, s:o}", "name", manifest_text(t->name), "families", families, "partitioning",
                     manifest_partitioning_json(&t->partitioning), "ddl", manifest_text(t->ddl));
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
