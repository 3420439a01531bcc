/* LIST partitions, and partitions of partitions. */
#include "base/bytes.h"
#include "table/partitioning.h"

#include <stdlib.h>

int partitioning_add_list(struct partitioning *p, const struct bytes *name, struct err *err) {
    struct list_values *lists = realloc(p->lists, ((size_t)p->count + 1) * sizeof *lists);
    if (!lists) return err_nomem(err, (p->count + 1) * sizeof *lists, "LIST partitions");
    p->lists = lists;
    lists[p->count] = (struct list_values){0};
    return partitioning_add(p, name, NULL, err);
}

int partitioning_add_value(struct partitioning *p, const struct bytes *value, struct err *err) {
    struct list_values *l = &p->lists[p->count - 1];
    if (!value) return l->is_default = true, 0;
    struct bytes *values = realloc(l->values, ((size_t)l->n + 1) * sizeof *values);
    if (!values) return err_nomem(err, (l->n + 1) * sizeof *values, "LIST values");
    l->values = values;
    uint8_t *copy = malloc(value->n + 1);
    if (!copy) return err_nomem(err, value->n + 1, "a LIST value");
    if (value->n) memcpy(copy, value->p, value->n);
    values[l->n++] = (struct bytes){copy, value->n};
    return 0;
}

bool partitioning_list_eq(const struct list_values *a, const struct list_values *b) {
    if (a->n != b->n || a->is_default != b->is_default) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!bytes_eq(a->values[i], b->values[i])) return false;
    return true;
}

static int compare(const void *a, const void *b) {
    return bytes_cmp(*(const struct bytes *)a, *(const struct bytes *)b);
}

int partitioning_check_lists(const struct partitioning *p, struct err *err) {
    size_t n = 0, defaults = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        n += p->lists[i].n;
        defaults += p->lists[i].is_default;
        if (!p->lists[i].n && !p->lists[i].is_default)
            return err_set(err, ERR_USAGE, "partition %s: a list without values", p->names[i]);
    }
    if (defaults > 1) return err_set(err, ERR_USAGE, "DEFAULT stands twice");
    struct bytes *all = calloc(n + 1, sizeof *all);
    if (!all) return err_nomem(err, n * sizeof *all, "LIST values");
    n = 0;
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < p->lists[i].n; k++) all[n++] = p->lists[i].values[k];
    qsort(all, n, sizeof *all, compare);
    int rc = 0;
    for (size_t i = 1; !rc && i < n; i++) {
        char text[80];
        partitioning_show_bound(all[i], text);
        if (bytes_eq(all[i - 1], all[i])) rc = err_set(err, ERR_USAGE, "the value %s stands in two lists", text);
    }
    free(all);
    return rc;
}

const struct partitioning *partitioning_below(const struct partitioning *p, uint32_t i) {
    return &p->levels[p->is_template ? 1 : i + 1];
}

static int add_leaf(struct partitioning *p, const char *part, const char *sub, bool is_template, struct err *err) {
    struct buf name = {0};
    int rc = is_template ? buf_printf(&name, err, "%ss%s", part, sub) : buf_printf(&name, err, "%s", sub);
    struct bytes b = buf_bytes(&name);
    if (!rc) rc = partitioning_add(p, &b, NULL, err);
    buf_free(&name);
    return rc;
}

int partitioning_join(struct partitioning *p, struct err *err) {
    const struct partitioning *upper = &p->levels[0];
    for (uint32_t i = 0; i < upper->count; i++) {
        const struct partitioning *sub = partitioning_below(p, i);
        for (uint32_t k = 0; k < sub->count; k++)
            if (add_leaf(p, upper->names[i], sub->names[k], p->is_template, err)) return -1;
    }
    return 0;
}

bool partitioning_is_generated(const struct partitioning *p) {
    for (uint32_t i = 0; i < p->n_levels; i++)
        if (partitioning_is_generated(&p->levels[i])) return true;
    return p->prefix.on || p->by == BY_TIME;
}

bool partitioning_splits_rows(const struct partitioning *p) {
    for (uint32_t i = 0; i < p->n_levels; i++)
        if (partitioning_splits_rows(&p->levels[i])) return true;
    return p->by != BY_ROW;
}

void partitioning_put_time(int64_t v, uint8_t out[8]) {
    put_be64(out, (uint64_t)v ^ UINT64_C(1) << 63);
}

int64_t partitioning_take_time(struct bytes bound) {
    return bound.n == 8 ? (int64_t)(be64(bound.p) ^ UINT64_C(1) << 63) : 0;
}
