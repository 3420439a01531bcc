/* Partitionings as values: built leaf by leaf, copied, compared, checked. A partitioning of two levels holds its levels as
 * partitionings; names of its leaves are derived from theirs. Placement (placement.h) reads what is built here. */
#include "table/key_prefix.h"
#include "table/partitioning.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static void free_list(struct list_values *l) {
    for (uint32_t i = 0; i < l->n; i++) free((void *)l->values[i].p);
    free(l->values);
}

void partitioning_free(struct partitioning *p) {
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->bounds) free((void *)p->bounds[i].p);
        if (p->names) free(p->names[i]);
        if (p->lists) free_list(&p->lists[i]);
    }
    for (uint32_t i = 0; i < p->n_levels; i++) partitioning_free(&p->levels[i]);
    free(p->notation);
    free(p->levels);
    free(p->lists);
    free(p->bounds);
    free(p->names);
    *p = (struct partitioning){0};
}

static char *copy_name(struct bytes s, struct err *err) {
    if (!s.n || memchr(s.p, 0, s.n)) {
        err_set(err, ERR_USAGE, "the name of a partition is empty or holds a NUL");
        return NULL;
    }
    char *t = malloc(s.n + 1);
    if (!t) {
        err_nomem(err, s.n + 1, "a name");
        return NULL;
    }
    if (s.n) memcpy(t, s.p, s.n);
    t[s.n] = 0;
    return t;
}

static char *number_name(uint32_t i, struct err *err) {
    char t[16];
    snprintf(t, sizeof t, "p%u", (unsigned)i);
    return copy_name(bytes_str(t), err);
}

static int copy_bound(struct bytes src, struct bytes *out, struct err *err) {
    *out = (struct bytes){NULL, 0};
    if (!src.p) return 0;
    uint8_t *t = malloc(src.n + 1);
    if (!t) return err_nomem(err, src.n + 1, "a partition bound");
    memcpy(t, src.p, src.n);
    *out = (struct bytes){t, src.n};
    return 0;
}

static int grow_lists(struct partitioning *p, bool with_bounds, struct err *err) {
    if (grow_array(&p->names, p->count, sizeof(char *), "partition names", err)) return -1;
    return with_bounds ? grow_array(&p->bounds, p->count, sizeof *p->bounds, "partition bounds", err) : 0;
}

int partitioning_add(struct partitioning *p, const struct bytes *name, const struct bytes *bound, struct err *err) {
    if (p->count >= PARTITIONS_MAX) return err_set(err, ERR_USAGE, "more than %d partitions", PARTITIONS_MAX);
    if (grow_lists(p, bound != NULL, err)) return -1;
    struct bytes b = {0};
    if (bound && copy_bound(*bound, &b, err)) return -1;
    char *s = name ? copy_name(*name, err) : number_name(p->count, err);
    if (!s) {
        free((void *)b.p);
        return -1;
    }
    if (bound) p->bounds[p->count] = b;
    p->names[p->count++] = s;
    return 0;
}

void partitioning_show_bound(struct bytes bound, char out[80]) {
    bool plain = true;
    for (size_t i = 0; i < bound.n; i++) plain = plain && bound.p[i] >= 0x20 && bound.p[i] < 0x7f;
    if (!bound.p) {
        snprintf(out, 80, "MAXVALUE");
        return;
    }
    if (plain) {
        snprintf(out, 80, "'%.*s'%s", (int)(bound.n < 60 ? bound.n : 60), (const char *)bound.p, bound.n > 60 ? "…" : "");
        return;
    }
    char *end = (char *)hex_write((uint8_t *)memcpy(out, "0x", 2) + 2, bytes_of(bound.p, bound.n < 32 ? bound.n : 32));
    snprintf(end, 8, "%s", bound.n > 32 ? "…" : "");
}

static int check_bounds(const struct partitioning *p, struct err *err) {
    char a[80], b[80];
    for (uint32_t i = 0; i < p->count; i++) {
        struct bytes cur = p->bounds[i];
        if (!cur.p) {
            if (i + 1 == p->count) break;
            return err_set(err, ERR_USAGE, "partition %s: MAXVALUE must be the last bound", p->names[i]);
        }
        if (p->by == BY_TIME && cur.n != 8) return err_set(err, ERR_USAGE, "partition %s: the bound is not a time", p->names[i]);
        if (cur.n == 0)
            return err_set(err, ERR_USAGE, "partition %s: the bound is empty, so no row can be below it", p->names[i]);
        if (i == 0 || bytes_cmp(p->bounds[i - 1], cur) < 0) continue;
        partitioning_show_bound(p->bounds[i - 1], a);
        partitioning_show_bound(cur, b);
        return err_set(err, ERR_USAGE, "partition %s: bound %s is not above the one before it, %s", p->names[i], b, a);
    }
    return 0;
}

static int compare_names(const void *a, const void *b) {
    return strcasecmp(*(char *const *)a, *(char *const *)b);
}

static int check_names(const struct partitioning *p, struct err *err) {
    char **sorted = malloc(p->count * sizeof *sorted);
    if (!sorted) return err_nomem(err, p->count * sizeof *sorted, "partition names");
    memcpy(sorted, p->names, p->count * sizeof *sorted);
    qsort(sorted, p->count, sizeof *sorted, compare_names);
    int rc = 0;
    for (uint32_t i = 1; i < p->count && !rc; i++)
        if (!strcasecmp(sorted[i - 1], sorted[i])) rc = err_set(err, ERR_USAGE, "partition name %s appears twice", sorted[i]);
    free(sorted);
    return rc;
}

int partitioning_check(const struct partitioning *p, struct err *err) {
    if (p->count == 0) return err_set(err, ERR_USAGE, "no partition is defined");
    if (p->count > PARTITIONS_MAX)
        return err_set(err, ERR_USAGE, "%u partitions: OceanBase allows at most %d", (unsigned)p->count, PARTITIONS_MAX);
    if (p->kind == PARTITION_RANGE && check_bounds(p, err)) return -1;
    if (p->kind == PARTITION_LIST && partitioning_check_lists(p, err)) return -1;
    for (uint32_t i = 0; i < p->n_levels; i++)
        if (partitioning_check(&p->levels[i], err)) return -1;
    return check_names(p, err);
}

static int copy_leaf(const struct partitioning *src, uint32_t i, struct partitioning *out, struct err *err) {
    struct bytes name = bytes_str(src->names[i]);
    if (!src->lists) return partitioning_add(out, &name, src->bounds ? &src->bounds[i] : NULL, err);
    if (partitioning_add_list(out, &name, err)) return -1;
    for (uint32_t k = 0; k < src->lists[i].n; k++)
        if (partitioning_add_value(out, &src->lists[i].values[k], err)) return -1;
    return src->lists[i].is_default ? partitioning_add_value(out, NULL, err) : 0;
}

static int copy_levels(const struct partitioning *src, struct partitioning *out, struct err *err) {
    if (!src->n_levels) return 0;
    out->levels = calloc(src->n_levels, sizeof *out->levels);
    if (!out->levels) return err_nomem(err, src->n_levels * sizeof *out->levels, "partitions");
    for (; out->n_levels < src->n_levels; out->n_levels++)
        if (partitioning_copy(&src->levels[out->n_levels], &out->levels[out->n_levels], err)) return -1;
    return 0;
}

int partitioning_copy(const struct partitioning *src, struct partitioning *out, struct err *err) {
    *out = (struct partitioning){
        .kind = src->kind, .by = src->by, .k_pad = src->k_pad, .prefix = src->prefix, .is_template = src->is_template};
    int rc = copy_levels(src, out, err);
    if (!rc && src->notation && !(out->notation = strdup(src->notation)))
        rc = err_nomem(err, 0, "the notation of a partitioning");
    for (uint32_t i = 0; !rc && i < src->count; i++) rc = copy_leaf(src, i, out, err);
    if (rc) partitioning_free(out);
    return rc;
}

static bool leaf_eq(const struct partitioning *a, const struct partitioning *b, uint32_t i) {
    if (strcmp(a->names[i], b->names[i])) return false;
    if (a->kind == PARTITION_LIST) return partitioning_list_eq(&a->lists[i], &b->lists[i]);
    return a->kind != PARTITION_RANGE || (!a->bounds[i].p == !b->bounds[i].p && bytes_eq(a->bounds[i], b->bounds[i]));
}

bool partitioning_eq(const struct partitioning *a, const struct partitioning *b) {
    if (a->kind != b->kind || a->by != b->by || a->count != b->count || a->k_pad != b->k_pad || a->n_levels != b->n_levels ||
        a->is_template != b->is_template)
        return false;
    if (!key_prefix_eq(a->prefix, b->prefix)) return false;
    if (a->names && a->names == b->names) return true; /* one is lent to both */
    if (!a->notation != !b->notation || (a->notation && strcmp(a->notation, b->notation) != 0)) return false;
    for (uint32_t i = 0; i < a->n_levels; i++)
        if (!partitioning_eq(&a->levels[i], &b->levels[i])) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!leaf_eq(a, b, i)) return false;
    return true;
}

/* ---- LIST partitions, and partitions of partitions ---- */

int partitioning_add_list(struct partitioning *p, const struct bytes *name, struct err *err) {
    if (grow_array(&p->lists, p->count, sizeof *p->lists, "LIST partitions", err)) return -1;
    p->lists[p->count] = (struct list_values){0};
    return partitioning_add(p, name, NULL, err);
}

int partitioning_add_value(struct partitioning *p, const struct bytes *value, struct err *err) {
    struct list_values *l = &p->lists[p->count - 1];
    if (!value) {
        l->is_default = true;
        return 0;
    }
    if (grow_array(&l->values, l->n, sizeof *l->values, "LIST values", err)) return -1;
    uint8_t *copy = malloc(value->n + 1);
    if (!copy) return err_nomem(err, value->n + 1, "a LIST value");
    if (value->n) memcpy(copy, value->p, value->n);
    l->values[l->n++] = (struct bytes){copy, value->n};
    return 0;
}

/* from: where it is if both have one order. */
static bool lists_value(const struct list_values *l, uint32_t from, struct bytes value) {
    for (uint32_t k = 0; k < l->n; k++)
        if (bytes_eq(l->values[(from + k) % l->n], value)) return true;
    return false;
}

/* No value is there twice, so the lists are equal if they have as many. OceanBase prints them in an order of its own. */
bool partitioning_list_eq(const struct list_values *a, const struct list_values *b) {
    if (a->n != b->n || a->is_default != b->is_default) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!lists_value(b, i, a->values[i])) return false;
    return true;
}

static int by_bytes(const void *a, const void *b) {
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
    if (defaults > 1) return err_set(err, ERR_USAGE, "DEFAULT appears twice");
    struct bytes *all = calloc(n + 1, sizeof *all);
    if (!all) return err_nomem(err, n * sizeof *all, "LIST values");
    n = 0;
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < p->lists[i].n; k++) all[n++] = p->lists[i].values[k];
    qsort(all, n, sizeof *all, by_bytes);
    int rc = 0;
    for (size_t i = 1; !rc && i < n; i++) {
        char text[80];
        partitioning_show_bound(all[i], text);
        if (bytes_eq(all[i - 1], all[i])) rc = err_set(err, ERR_USAGE, "the value %s is in two lists", text);
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

/* ---- what clients and servers make of bounds ---- */

static bool has_high(struct bytes b) {
    for (size_t k = 0; k < b.n; k++)
        if (b.p[k] >= 0x80) return true;
    return false;
}

bool partitioning_client_differs(const struct partitioning *p) {
    for (uint32_t i = 0; i < p->n_levels; i++)
        if (partitioning_client_differs(&p->levels[i])) return true;
    if (p->kind != PARTITION_RANGE || p->by != BY_ROW) return false;
    for (uint32_t i = 0; i < p->count; i++)
        if (has_high(p->bounds[i])) return true;
    return false;
}

/* Length of the UTF-8 character at p, 0 when it is not one (overlong, surrogate, above U+10FFFF, cut off). */
static size_t utf8_length(const uint8_t *p, size_t n) {
    if (p[0] < 0x80) return 1;
    size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || n < len) return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)) return 0;
    if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) return 0;
    return len;
}

static bool is_utf8(struct bytes b) {
    for (size_t k = 0, len; k < b.n; k += len)
        if (!(len = utf8_length(b.p + k, b.n - k))) return false;
    return true;
}

uint32_t partitioning_count_not_utf8(const struct partitioning *p) {
    uint32_t bad = 0;
    for (uint32_t i = 0; i < p->n_levels; i++) bad += partitioning_count_not_utf8(&p->levels[i]);
    for (uint32_t i = 0; p->lists && i < p->count; i++)
        for (uint32_t k = 0; k < p->lists[i].n; k++) bad += !is_utf8(p->lists[i].values[k]);
    for (uint32_t i = 0; p->kind == PARTITION_RANGE && p->by == BY_ROW && i < p->count; i++) bad += !is_utf8(p->bounds[i]);
    return bad;
}
