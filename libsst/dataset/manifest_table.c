#include "dataset/manifest_table.h"

#include <stdio.h>
#include <stdlib.h>

json_t *manifest_hex(struct bytes b) {
    static const char digits[] = "0123456789abcdef";
    char *s = malloc(b.n * 2 + 1);
    if (!s) return NULL;
    for (size_t i = 0; i < b.n; i++) {
        s[2 * i] = digits[b.p[i] >> 4];
        s[2 * i + 1] = digits[b.p[i] & 15];
    }
    json_t *j = json_stringn(s, b.n * 2);
    free(s);
    return j;
}

static int nibble(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

int manifest_hex_parse(const json_t *j, struct buf *out, struct err *err) {
    const char *s = json_string_value(j);
    size_t n = json_string_length(j);
    if (!s || n % 2) return err_set(err, ERR_INPUT, "manifest: hex text expected");
    out->n = 0;
    if (buf_reserve(out, n / 2 + 1, err)) return -1;
    for (size_t i = 0; i < n; i += 2) {
        int hi = nibble(s[i]), lo = nibble(s[i + 1]);
        if (hi < 0 || lo < 0) return err_set(err, ERR_INPUT, "manifest: '%.20s' is not hex", s);
        out->p[out->n++] = (uint8_t)(hi << 4 | lo);
    }
    return 0;
}

static const char *const keep_names[] = {"FALSE", "TRUE", "TTL"};
static const char *const kind_names[] = {"none", "key", "range"};

static int find_name(const char *const *names, size_t n, const char *s) {
    for (size_t i = 0; s && i < n; i++)
        if (!strcmp(names[i], s)) return (int)i;
    return -1;
}

static json_t *rules_json(const struct family_rules *r) {
    return json_pack("{s:o, s:I, s:I, s:s, s:b, s:I}", "versions",
                     !r->versions_given ? json_null() : r->versions == UINT32_MAX ? json_string("unlimited") : json_integer(r->versions),
                     "min_versions", (json_int_t)r->min_versions, "ttl_s", (json_int_t)r->ttl_s, "keep_deleted_cells",
                     keep_names[r->keep_deleted], "new_version_behavior", (int)r->new_version_behavior, "purge_deletes_after_ms",
                     (json_int_t)r->purge_deletes_after_ms);
}

static json_t *family_json(const struct family *f) {
    return json_pack("{s:s, s:s?, s:I, s:I, s:I, s:s?, s:b, s:o}", "name", f->name, "sql_table", f->sql_table, "k_max",
                     (json_int_t)f->k_max, "q_max", (json_int_t)f->q_max, "v_max", (json_int_t)f->v_max, "v_type", f->v_type,
                     "ttl_column", (int)f->has_ttl_column, "rules", rules_json(&f->rules));
}

static json_t *partitioning_json(const struct partitioning *p) {
    json_t *j = json_pack("{s:s, s:I}", "kind", kind_names[p->kind], "count", (json_int_t)p->count);
    json_t *names = json_array();
    for (uint32_t i = 0; i < p->count; i++) json_array_append_new(names, json_string(p->names[i]));
    json_object_set_new(j, "names", names);
    if (p->prefix.on) {
        json_object_set_new(j, "prefix_pos", json_integer(p->prefix.pos));
        if (p->prefix.has_len) json_object_set_new(j, "prefix_len", json_integer(p->prefix.len));
    }
    if (p->k_pad) json_object_set_new(j, "k_pad", json_integer(p->k_pad));
    if (p->kind != PARTITION_RANGE) return j;
    json_t *bounds = json_array();
    for (uint32_t i = 0; i < p->count; i++)
        json_array_append_new(bounds, p->bounds[i].p ? manifest_hex(p->bounds[i]) : json_null());
    json_object_set_new(j, "bounds_hex", bounds);
    return j;
}

json_t *manifest_table_json(const struct table *t) {
    json_t *families = json_array();
    for (uint32_t i = 0; i < t->n_families; i++) json_array_append_new(families, family_json(&t->families[i]));
    return json_pack("{s:s?, s:o, s:o, s:s?}", "name", t->name, "families", families, "partitioning",
                     partitioning_json(&t->partitioning), "ddl", t->ddl);
}

static char *dup_or_null(const json_t *j, const char *key) {
    const char *s = json_string_value(json_object_get(j, key));
    return s ? strdup(s) : NULL;
}

static int parse_rules(const json_t *j, struct family_rules *r, struct err *err) {
    const json_t *v = json_object_get(j, "versions");
    r->versions_given = v && !json_is_null(v);
    r->versions = !r->versions_given || json_is_string(v) ? UINT32_MAX : (uint32_t)json_integer_value(v);
    r->min_versions = (uint32_t)json_integer_value(json_object_get(j, "min_versions"));
    r->ttl_s = json_integer_value(json_object_get(j, "ttl_s"));
    r->new_version_behavior = json_is_true(json_object_get(j, "new_version_behavior"));
    r->purge_deletes_after_ms = json_integer_value(json_object_get(j, "purge_deletes_after_ms"));
    int keep = find_name(keep_names, countof(keep_names), json_string_value(json_object_get(j, "keep_deleted_cells")));
    if (keep < 0) return err_set(err, ERR_INPUT, "manifest: unknown keep_deleted_cells");
    r->keep_deleted = (enum keep_deleted)keep;
    return 0;
}

static int parse_family(const json_t *j, struct table *t, struct err *err) {
    const char *name = json_string_value(json_object_get(j, "name"));
    if (!name) return err_set(err, ERR_INPUT, "manifest: a family without name");
    if (table_add_family(t, bytes_str(name), err)) return -1;
    struct family *f = &t->families[t->n_families - 1];
    f->sql_table = dup_or_null(j, "sql_table");
    f->v_type = dup_or_null(j, "v_type");
    f->k_max = (uint32_t)json_integer_value(json_object_get(j, "k_max"));
    f->q_max = (uint32_t)json_integer_value(json_object_get(j, "q_max"));
    f->v_max = (uint64_t)json_integer_value(json_object_get(j, "v_max"));
    f->has_ttl_column = json_is_true(json_object_get(j, "ttl_column"));
    return parse_rules(json_object_get(j, "rules"), &f->rules, err);
}

static int parse_bounds(const json_t *j, struct partitioning *p, struct err *err) {
    p->bounds = calloc(p->count, sizeof *p->bounds);
    if (!p->bounds) return err_nomem(err, p->count * sizeof *p->bounds, "bounds");
    if (json_array_size(j) != p->count) return err_set(err, ERR_INPUT, "manifest: bounds and partition count differ");
    for (uint32_t i = 0; i < p->count; i++) {
        if (json_is_null(json_array_get(j, i))) continue;
        struct buf b = {0};
        if (manifest_hex_parse(json_array_get(j, i), &b, err)) {
            buf_free(&b);
            return -1;
        }
        p->bounds[i] = buf_bytes(&b); /* owned by the partitioning from here */
    }
    return 0;
}

static int parse_partitioning(const json_t *j, struct partitioning *p, struct err *err) {
    int kind = find_name(kind_names, countof(kind_names), json_string_value(json_object_get(j, "kind")));
    json_int_t count = json_integer_value(json_object_get(j, "count"));
    const json_t *names = json_object_get(j, "names");
    if (kind < 0 || count < 1 || count > 1 << 20 || json_array_size(names) != (size_t)count)
        return err_set(err, ERR_INPUT, "manifest: partitioning is malformed");
    p->kind = (enum partition_kind)kind;
    p->count = (uint32_t)count;
    p->names = calloc(p->count, sizeof *p->names);
    if (!p->names) return err_nomem(err, p->count * sizeof *p->names, "partition names");
    for (uint32_t i = 0; i < p->count; i++) {
        const char *s = json_string_value(json_array_get(names, i));
        if (!s || !(p->names[i] = strdup(s))) return err_set(err, ERR_INPUT, "manifest: a partition without name");
    }
    const json_t *pos = json_object_get(j, "prefix_pos"), *len = json_object_get(j, "prefix_len");
    p->prefix = (struct key_prefix){.on = pos, .pos = json_integer_value(pos), .has_len = len, .len = json_integer_value(len)};
    p->k_pad = (uint32_t)json_integer_value(json_object_get(j, "k_pad"));
    return kind == PARTITION_RANGE ? parse_bounds(json_object_get(j, "bounds_hex"), p, err) : 0;
}

int manifest_table_parse(const json_t *j, struct table *t, struct err *err) {
    if (table_handmade(t, err)) return -1;
    partitioning_free(&t->partitioning);
    t->partitioning = (struct partitioning){0};
    t->name = dup_or_null(j, "name");
    t->ddl = dup_or_null(j, "ddl");
    const json_t *families = json_object_get(j, "families"), *f;
    size_t i;
    json_array_foreach(families, i, f) {
        if (parse_family(f, t, err)) return -1;
    }
    return parse_partitioning(json_object_get(j, "partitioning"), &t->partitioning, err);
}
