/* What `obkv-split plan -o DIR` leaves: the partitioning that was chosen as OceanBase (table.sql, bounds.txt), HBase
 * (create.hbase, splits.txt) and these tools (plan.json) take it. */
#include "base/fs.h"
#include "base/text.h"
#include "cmd/oceanbase/definition.h"
#include "cmd/split/plan/plan_view.h"
#include "cmd/split/split.h"
#include "table/partitioning.h"

#include <stdio.h>
#include <stdlib.h>

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

/* Of a hash these are the bounds of equal weight that the rows themselves give. */
static int put_splits(const char *dir, const struct plan_choice *c, struct err *err) {
    struct buf text = {0};
    int rc = 0;
    for (uint32_t i = 0; i + 1 < c->n && !rc; i++) rc = split_result_put_binary(&text, buf_bytes(&c->bounds[i]), err);
    if (!rc) rc = split_result_put(dir, "splits.txt", buf_bytes(&text), err);
    buf_free(&text);
    return rc;
}

static int put_family(struct buf *out, const struct family *f, struct err *err) {
    const struct family_rules *r = &f->rules;
    if (buf_printf(out, err,
                   ", {NAME => '%s', COMPRESSION => 'SNAPPY', DATA_BLOCK_ENCODING => 'FAST_DIFF', BLOOMFILTER => 'ROW', "
                   "BLOCKSIZE => 65536",
                   f->name))
        return -1;
    if (r->versions_given && r->versions != UINT32_MAX && buf_printf(out, err, ", VERSIONS => %u", r->versions)) return -1;
    if (r->min_versions && buf_printf(out, err, ", MIN_VERSIONS => %u", r->min_versions)) return -1;
    if (r->ttl_s && buf_printf(out, err, ", TTL => %lld", (long long)r->ttl_s)) return -1;
    return buf_put_byte(out, '}', err);
}

static int put_hbase(const char *dir, const struct plan_choice *splits, const struct table *t, struct err *err) {
    struct buf text = {0};
    int rc = buf_printf(&text, err, "create '%s'", t->name);
    for (uint32_t i = 0; i < t->n_families && !rc; i++) rc = put_family(&text, &t->families[i], err);
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
    if (fs_mkdirs(dir, err) || put_sql(dir, t, err) || put_hbase(dir, regions, t, err) || put_splits(dir, regions, err))
        return -1;
    if (c->bounds && put_bounds(dir, c, err)) return -1;
    return split_result_put_json(dir, "plan.json", plan_json_make(v), err);
}
