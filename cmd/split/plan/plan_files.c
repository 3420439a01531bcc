/* Writes the files of `obkv-split plan -o DIR`: the partitioning that was chosen as OceanBase (table.sql, bounds.txt), HBase
 * (create.hbase, splits.txt) and these tools (plan.json) take it. */
#include "base/fs.h"
#include "base/text.h"
#include "cmd/oceanbase/create_sql.h"
#include "cmd/split/plan/plan_files.h"
#include "cmd/split/plan/plan_view.h"
#include "cmd/split/plan/split_result.h"
#include "formats/hbase/metadata.h"
#include "formats/hbase/shell_create.h"
#include "table/partitioning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- OceanBase ---- */

static int set_range(struct partitioning *p, const struct plan_choice *c, struct err *err) {
    const struct bytes top = {0};
    p->kind = PARTITION_RANGE;
    for (uint32_t i = 0; i < c->n; i++) {
        struct bytes bound = i + 1 < c->n ? buf_bytes(&c->bounds[i]) : top;
        if (partitioning_add(p, NULL, &bound, err)) return -1;
    }
    return partitioning_check(p, err);
}

int plan_table_partition(struct table *t, const struct plan_choice *c, struct err *err) {
    char spec[64];
    struct buf warnings = {0};
    partitioning_free(&t->partitioning);
    t->partitioning = (struct partitioning){0};
    if (c->kind != PLAN_KEY) return set_range(&t->partitioning, c, err);
    if (c->prefix)
        snprintf(spec, sizeof spec, "key:%u:substring(1,%u)", c->n, c->prefix);
    else
        snprintf(spec, sizeof spec, "key:%u", c->n);
    int rc = partitioning_parse(spec, &t->partitioning, &warnings, err);
    buf_free(&warnings);
    return rc;
}

static int put_sql(const char *dir, const struct table *t, struct err *err) {
    struct buf sql = {0};
    int rc = create_sql_put(&sql, t, err);
    if (!rc) rc = split_result_put(dir, "table.sql", buf_bytes(&sql), err);
    buf_free(&sql);
    return rc;
}

static int put_bounds(const char *dir, const struct plan_choice *c, struct err *err) {
    struct buf text = {0};
    int rc = 0;
    for (uint32_t i = 0; i + 1 < c->n && !rc; i++) {
        rc = buf_printf(&text, err, "hex:") || hex_put(&text, buf_bytes(&c->bounds[i]), err) || buf_put_byte(&text, '\n', err)
                 ? -1
                 : 0;
    }
    if (!rc) rc = buf_printf(&text, err, "MAXVALUE\n");
    if (!rc) rc = split_result_put(dir, "bounds.txt", buf_bytes(&text), err);
    buf_free(&text);
    return rc;
}

/* ---- HBase ---- */

/* Writes splits.txt: for a choice by hash, the bounds of equal weight that the rows themselves give. */
static int put_splits(const char *dir, const struct plan_choice *c, struct err *err) {
    struct buf text = {0};
    int rc = 0;
    for (uint32_t i = 0; i + 1 < c->n && !rc; i++) rc = split_result_put_binary(&text, buf_bytes(&c->bounds[i]), err);
    if (!rc) rc = split_result_put(dir, "splits.txt", buf_bytes(&text), err);
    buf_free(&text);
    return rc;
}

/* Returns the description of a family; NULL: nothing is known of it but its name. */
static const struct hbase_family *described_family(const struct hbase_table *t, const char *name) {
    for (uint32_t i = 0; t && i < t->n_families; i++)
        if (!strcmp(t->families[i].name, name)) return &t->families[i];
    return NULL;
}

/* Writes a value in words of Ruby: a number or a text. */
static int put_value(struct buf *out, const char *text, struct err *err) {
    if (*text && !text[strspn(text, "0123456789")]) return buf_printf(out, err, "%s", text);
    if (buf_put_byte(out, '\'', err)) return -1;
    for (; *text; text++)
        if (((*text == '\'' || *text == '\\') && buf_put_byte(out, '\\', err)) || buf_put_byte(out, (uint8_t)*text, err))
            return -1;
    return buf_put_byte(out, '\'', err);
}

/* Places of an attribute in the statement. */
enum attribute_place { PLACE_RULES, PLACE_FILES, PLACE_FAMILY, PLACE_CONFIGURATION, PLACE_METADATA };

/* Attributes of how files are written, and the values that we advise. */
static const char *const file_settings[][2] = {
    {"COMPRESSION", "SNAPPY"}, {"DATA_BLOCK_ENCODING", "FAST_DIFF"}, {"BLOOMFILTER", "ROW"}, {"BLOCKSIZE", "65536"}};

static enum attribute_place place_of_attribute(const char *name) {
    static const char *const rules[] = {"VERSIONS", "MIN_VERSIONS", "TTL"}; /* options may have changed them */
    for (unsigned i = 0; i < countof(rules); i++)
        if (!strcmp(name, rules[i])) return PLACE_RULES;
    for (unsigned i = 0; i < countof(file_settings); i++)
        if (!strcmp(name, file_settings[i][0])) return PLACE_FILES;
    if (shell_create_knows(bytes_str(name))) return PLACE_FAMILY;
    return strchr(name, '.') ? PLACE_CONFIGURATION : PLACE_METADATA;
}

static int put_attribute(struct buf *out, const struct attribute_text *a, struct err *err) {
    const bool plain = place_of_attribute(a->name) == PLACE_FAMILY;
    if (plain ? buf_printf(out, err, "%s", a->name) : put_value(out, a->name, err)) return -1;
    return buf_printf(out, err, " => ") || put_value(out, a->value, err) ? -1 : 0;
}

/* Writes the attributes of one place, in their order. */
static int put_attributes(struct buf *out, const struct attribute_list *l, enum attribute_place place, struct err *err) {
    const char *const open = place == PLACE_CONFIGURATION ? "CONFIGURATION => {" : place == PLACE_METADATA ? "METADATA => {" : "";
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (place_of_attribute(l->p[i].name) != place) continue;
        if (buf_printf(out, err, ", %s", n++ ? "" : open) || put_attribute(out, &l->p[i], err)) return -1;
    }
    return n && *open ? buf_put_byte(out, '}', err) : 0;
}

/* Writes the settings of files, of --ddl or else those that we advise; then the other attributes of --ddl. */
static int put_settings(struct buf *out, const struct attribute_list *given, struct err *err) {
    for (unsigned i = 0; i < countof(file_settings); i++) {
        const char *value = file_settings[i][1];
        for (size_t k = 0; given && k < given->n; k++)
            if (!strcmp(given->p[k].name, file_settings[i][0])) value = given->p[k].value;
        if (buf_printf(out, err, ", %s => ", file_settings[i][0]) || put_value(out, value, err)) return -1;
    }
    for (enum attribute_place place = PLACE_FAMILY; given && place <= PLACE_METADATA; place++)
        if (put_attributes(out, given, place, err)) return -1;
    return 0;
}

static int put_family(struct buf *out, const struct family *f, const struct hbase_family *described, struct err *err) {
    const struct family_rules *r = &f->rules;
    if (buf_printf(out, err, ", {NAME => '%s'", f->name) || put_settings(out, described ? &described->attributes : NULL, err))
        return -1;
    if (r->versions_given && r->versions != UINT32_MAX && buf_printf(out, err, ", VERSIONS => %u", r->versions)) return -1;
    if (r->min_versions && buf_printf(out, err, ", MIN_VERSIONS => %u", r->min_versions)) return -1;
    if (r->ttl_s && buf_printf(out, err, ", TTL => %lld", (long long)r->ttl_s)) return -1;
    return buf_put_byte(out, '}', err);
}

static int put_hbase(const char *dir, const struct plan_choice *splits, const struct table *t,
                     const struct hbase_table *described, struct err *err) {
    struct buf text = {0};
    int rc = buf_printf(&text, err, "create '%s'", t->name);
    for (uint32_t i = 0; i < t->n_families && !rc; i++) {
        const struct family *f = &t->families[i];
        rc = put_family(&text, f, described_family(described, f->name), err);
    }
    if (!rc) rc = buf_printf(&text, err, splits->n > 1 ? ", SPLITS_FILE => 'splits.txt'\n" : "\n");
    if (!rc) rc = split_result_put(dir, "create.hbase", buf_bytes(&text), err);
    buf_free(&text);
    return rc;
}

/* A hash has no bounds: regions get those of equal weight. */
static const struct plan_choice *regions_of(const struct plan_view *v, const struct plan_choice *c) {
    const struct candidate *range = plan_view_find(&v->designs[0], PLAN_RANGE, 0, c->room);
    return c->bounds || !range ? c : range->choice;
}

int plan_files_write(const struct plan_view *v, const struct plan_choice *c, struct table *t, const char *dir, struct err *err) {
    const struct plan_choice *regions = regions_of(v, c);
    if (fs_mkdirs(dir, err) || put_sql(dir, t, err) || put_hbase(dir, regions, t, v->described, err) ||
        put_splits(dir, regions, err))
        return -1;
    if (c->bounds && put_bounds(dir, c, err)) return -1;
    return split_result_put_json(dir, "plan.json", plan_json_make(v), err);
}
