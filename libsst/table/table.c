/* Tables as values: families by name, their limits, and a deep copy. Names are checked as HBase's column family descriptor does,
 * plus those that a dataset needs for itself. What DDL makes of a table is in ddl.c. */
#include "table/table.h"

#include "base/buf.h"
#include "base/near_name.h"
#include "table/partitioning.h"

#include <stdlib.h>

/* HBase's own limits where the table gives none: rows and, as far as its clients go, qualifiers carry a short length,
 * a cell as a whole an int32 one. */
enum { HANDMADE_K_MAX = 32767, HANDMADE_Q_MAX = 32767, HANDMADE_V_MAX = INT32_MAX - 65536 };

const struct family_rules *family_hbase_rules(const struct family *f) {
    return f->hbase_rules.versions ? &f->hbase_rules : &f->rules;
}

void table_free(struct table *t) {
    for (uint32_t i = 0; i < t->n_families; i++) {
        free(t->families[i].name);
        free(t->families[i].sql_table);
        free(t->families[i].v_type);
    }
    free(t->families);
    free(t->name);
    free(t->ddl);
    buf_free(&t->warnings);
    partitioning_free(&t->partitioning);
    *t = (struct table){0};
}

static int copy_text(const char *src, char **out, struct err *err) {
    *out = src ? strdup(src) : NULL;
    return src && !*out ? err_nomem(err, strlen(src) + 1, "the table definition") : 0;
}

static int copy_family(const struct family *src, struct family *out, struct err *err) {
    *out = *src;
    out->name = out->sql_table = out->v_type = NULL;
    return copy_text(src->name, &out->name, err) || copy_text(src->sql_table, &out->sql_table, err) ||
                   copy_text(src->v_type, &out->v_type, err)
               ? -1
               : 0;
}

static int copy_parts(const struct table *src, struct table *out, struct err *err) {
    if (copy_text(src->name, &out->name, err) || copy_text(src->ddl, &out->ddl, err) ||
        buf_put(&out->warnings, src->warnings.p, src->warnings.n, err) ||
        partitioning_copy(&src->partitioning, &out->partitioning, err))
        return -1;
    out->families = calloc(src->n_families + (size_t)1, sizeof *out->families);
    if (!out->families) return err_nomem(err, src->n_families * sizeof *out->families, "families");
    for (; out->n_families < src->n_families; out->n_families++)
        if (copy_family(&src->families[out->n_families], &out->families[out->n_families], err)) {
            out->n_families++; /* what it holds already must be freed */
            return -1;
        }
    return 0;
}

int table_copy(const struct table *src, struct table *out, struct err *err) {
    *out = (struct table){.default_rules = src->default_rules, .client_order_differs = src->client_order_differs};
    if (!copy_parts(src, out, err)) return 0;
    table_free(out);
    return -1;
}

int table_family(const struct table *t, struct bytes name) {
    for (uint32_t i = 0; i < t->n_families; i++)
        if (bytes_eq(bytes_str(t->families[i].name), name)) return (int)i;
    return -1;
}

int table_family_without_case(const struct table *t, uint32_t n, const char *name) {
    for (uint32_t i = 0; i < n; i++)
        if (!strcasecmp(t->families[i].name, name)) return (int)i;
    return -1;
}

/* As HBase's column family descriptor checks it, plus the two names that a dataset directory needs for itself. */
static int check_name(struct bytes name, struct err *err) {
    int show = (int)(name.n < 127 ? name.n : 127);
    const char *s = (const char *)name.p;
    if (name.n == 0) return err_set(err, ERR_USAGE, "a family name is empty");
    if (name.n > 127) return err_set(err, ERR_USAGE, "family name %.*s…: %zu bytes, HBase allows 127", show, s, name.n);
    if (s[0] == '.') return err_set(err, ERR_USAGE, "family name %.*s: may not start with '.'", show, s);
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] < 0x20 || name.p[i] == 0x7f)
            return err_set(err, ERR_USAGE, "family name: control character 0x%02x at byte %zu", name.p[i], i);
        if (name.p[i] == '/' || name.p[i] == ':' || name.p[i] == '\\')
            return err_set(err, ERR_USAGE, "family name %.*s: may not hold '%c'", show, s, name.p[i]);
    }
    if (bytes_eq(name, bytes_str("recovered.edits")) || bytes_eq(name, bytes_str("_report")) ||
        bytes_eq(name, bytes_str("MANIFEST.json")))
        return err_set(err, ERR_USAGE, "family name %.*s: is reserved", show, s);
    return 0;
}

bool table_has_new_version_behavior(const struct table *t) {
    bool any = t->default_rules.new_version_behavior;
    for (uint32_t i = 0; i < t->n_families; i++) any |= family_hbase_rules(&t->families[i])->new_version_behavior;
    return any;
}

int table_add_family(struct table *t, struct bytes name, struct err *err) {
    if (check_name(name, err)) return -1;
    if (table_family(t, name) >= 0)
        return err_set(err, ERR_USAGE, "family %.*s already exists", (int)name.n, (const char *)name.p);
    if (grow_array(&t->families, t->n_families, sizeof *t->families, "families", err)) return -1;
    char *copy = malloc(name.n + 1);
    if (!copy) return err_nomem(err, name.n + 1, "a family name");
    memcpy(copy, name.p, name.n);
    copy[name.n] = 0;
    t->families[t->n_families++] = (struct family){
        .name = copy, .k_max = HANDMADE_K_MAX, .q_max = HANDMADE_Q_MAX, .v_max = HANDMADE_V_MAX, .rules = t->default_rules};
    return 0;
}

void table_rank_families(const struct table *t, uint32_t *rank) {
    for (uint32_t i = 0; i < t->n_families; i++) {
        rank[i] = 0;
        for (uint32_t k = 0; k < t->n_families; k++) rank[i] += strcmp(t->families[k].name, t->families[i].name) < 0;
    }
}

int table_place_families(struct table *t, const uint32_t *rank, struct err *err) {
    struct family *before = malloc((t->n_families + 1) * sizeof *before);
    if (!before) return err_nomem(err, t->n_families * sizeof *before, "families");
    for (uint32_t i = 0; i < t->n_families; i++) before[i] = t->families[i];
    for (uint32_t i = 0; i < t->n_families; i++) t->families[rank[i]] = before[i];
    free(before);
    return 0;
}

int table_handmade(struct table *out, struct err *err) {
    *out = (struct table){.partitioning = {.kind = PARTITION_NONE}, .default_rules = {.versions = UINT32_MAX}};
    return partitioning_add(&out->partitioning, NULL, NULL, err);
}

int table_lacks_family(const struct table *t, struct bytes name, const char *who, struct err *err) {
    struct buf has = {0};
    struct near_name near = near_name_to(name);
    char meant[NEAR_NAME_MAX + 48];
    int rc = 0;
    for (uint32_t i = 0; !rc && i < t->n_families; i++) {
        near_name_offer(&near, bytes_str(t->families[i].name));
        rc = buf_printf(&has, err, "%s%s", i ? ", " : "", t->families[i].name);
    }
    if (!rc && !buf_put_byte(&has, 0, err))
        err_set(err, ERR_USAGE, "%s names the family \"%.*s\", which the table lacks; its families are: %s%s", who, (int)name.n,
                (const char *)name.p, t->n_families ? (char *)has.p : "none", near_name_text(&near, "", meant));
    buf_free(&has);
    return -1;
}
