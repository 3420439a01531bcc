#include "table/table.h"

#include "base/buf.h"
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

int table_family(const struct table *t, struct bytes name) {
    for (uint32_t i = 0; i < t->n_families; i++)
        if (bytes_eq(bytes_str(t->families[i].name), name)) return (int)i;
    return -1;
}

/* As HBase's column family descriptor checks it, plus the two names a dataset folder needs for itself. */
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

int table_add_family(struct table *t, struct bytes name, struct err *err) {
    if (check_name(name, err)) return -1;
    if (table_family(t, name) >= 0)
        return err_set(err, ERR_USAGE, "family %.*s is there already", (int)name.n, (const char *)name.p);
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
