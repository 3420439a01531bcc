/* The figures of a skew report, worked out once for text, JSON and page: spreads of rows, cells and bytes, prefixes, nodes and
 * the heat map. */
#include "cmd/verify/verify.h"
#include "cmd/verify/skew/skew_view.h"

#include <stdlib.h>

/* A prefix must have this share of the bytes to be shown. */
static const double LEAST_PREFIX_SHARE = 0.01;

/* Orders partitions by bytes, most first; of equal ones the first comes first. */
static int by_bytes(const void *a, const void *b, void *arg) {
    const struct skew_view *v = arg;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    uint64_t x = v->all.parts[i].kv_bytes, y = v->all.parts[k].kv_bytes;
    if (x != y) return x < y ? 1 : -1;
    return (i > k) - (i < k);
}

uint32_t *skew_view_order(const struct skew_view *v, bool heaviest_first, struct err *err) {
    uint32_t *order = malloc((v->partitions + 1) * sizeof *order);
    if (!order) {
        err_nomem(err, v->partitions * sizeof *order, "the order of partitions");
        return NULL;
    }
    for (uint32_t i = 0; i < v->partitions; i++) order[i] = i;
    if (heaviest_first) qsort_r(order, v->partitions, sizeof *order, by_bytes, (void *)(uintptr_t)v);
    return order;
}

uint64_t skew_amount(const struct skew_part *p, enum skew_measure m) {
    switch (m) {
    case SKEW_ROWS: return p->rows;
    case SKEW_CELLS: return p->cells;
    case SKEW_KV_BYTES: return p->kv_bytes;
    case SKEW_FILE_BYTES: return p->file_bytes;
    case SKEW_MEASURES: break;
    }
    return 0;
}

const char *skew_measure_name(enum skew_measure m) {
    static const char *const names[] = {"rows", "cells", "kv_bytes", "file_bytes"};
    return m < SKEW_MEASURES ? names[m] : "";
}

double skew_versions_mean(const struct skew_part *p) {
    return p->columns ? (double)(p->cells - p->deletes) / (double)p->columns : 0;
}

bool skew_account_holds(const struct skew_view *v) {
    const struct tally *w = ledger_written(&v->r->ledger);
    return !v->r->stored || v->r->quick || (w->cells == v->all.total.cells && digest_eq(w->digest, v->r->digest));
}

double skew_share(const struct skew_view *v, uint64_t bytes) {
    uint64_t total = v->r->quick ? v->prefixes.total_bytes : v->all.total.kv_bytes;
    return total ? (double)bytes / (double)total : 0;
}

struct skew_versions skew_versions_next(const struct skew_view *v, const struct skew_versions *last) {
    const struct histogram *h = &v->r->sums.versions;
    struct skew_versions s = {.from = last ? last->to + 1 : 1};
    for (; s.from <= h->largest; s.from = s.to + 1) {
        s.to = s.from < 4 ? s.from : 2 * s.from - 1;
        s.columns = histogram_between(h, s.from, s.to);
        if (s.columns) return s;
    }
    return (struct skew_versions){0};
}

static int make_table(const struct skew_view *v, uint32_t family, struct skew_table *t, struct err *err) {
    uint64_t *amounts = calloc(v->partitions + 1, sizeof *amounts);
    t->parts = calloc(v->partitions + 1, sizeof *t->parts);
    int rc = amounts && t->parts ? 0 : err_nomem(err, v->partitions * sizeof *t->parts, "figures of partitions");
    for (uint32_t i = 0; !rc && i < v->partitions; i++) {
        t->parts[i] = family < v->families ? v->r->parts[(size_t)family * v->partitions + i] : skew_partition(v->r, i);
        skew_part_add(&t->total, &t->parts[i]);
    }
    for (int m = 0; !rc && m < SKEW_MEASURES; m++) {
        for (uint32_t i = 0; i < v->partitions; i++) amounts[i] = skew_amount(&t->parts[i], (enum skew_measure)m);
        rc = spread_make(amounts, v->partitions, &t->spread[m], err);
    }
    free(amounts);
    return rc;
}

static int make_tables(struct skew_view *v, struct err *err) {
    v->family = calloc(v->families + 1, sizeof *v->family);
    if (!v->family) return err_nomem(err, v->families * sizeof *v->family, "figures of families");
    for (uint32_t f = 0; f < v->families; f++)
        if (make_table(v, f, &v->family[f], err)) return -1;
    return make_table(v, v->families, &v->all, err);
}

static int balance_nodes(struct skew_view *v, struct err *err) {
    uint64_t *amounts = calloc(v->partitions + 1, sizeof *amounts);
    if (!amounts) return err_nomem(err, v->partitions * sizeof *amounts, "the balance of nodes");
    for (uint32_t i = 0; i < v->partitions; i++) amounts[i] = v->all.parts[i].kv_bytes;
    int rc = node_balance_make(amounts, v->partitions, (uint32_t)v->o->spread.nodes, &v->nodes, err);
    free(amounts);
    return rc;
}

static int list_over(struct skew_view *v, struct err *err) {
    size_t n = (size_t)v->families * v->partitions;
    for (size_t i = 0; i < n; i++) v->n_over += v->r->parts[i].kv_bytes > v->o->spread.max_partition;
    v->over = calloc(v->n_over + 1, sizeof *v->over);
    if (!v->over) return err_nomem(err, v->n_over * sizeof *v->over, "the list of large partitions");
    v->n_over = 0;
    for (size_t i = 0; i < n; i++)
        if (v->r->parts[i].kv_bytes > v->o->spread.max_partition)
            v->over[v->n_over++] =
                (struct skew_over){(uint32_t)(i / v->partitions), (uint32_t)(i % v->partitions), v->r->parts[i].kv_bytes};
    return 0;
}

int skew_view_make(const struct options *o, const struct table *t, struct skew_result *r, struct skew_view *v, struct err *err) {
    *v = (struct skew_view){.o = o, .table = t, .r = r, .families = r->families, .partitions = r->partitions, .first_reject = ""};
    v->known[SKEW_ROWS] = !r->quick;
    v->known[SKEW_CELLS] = v->known[SKEW_KV_BYTES] = true;
    v->known[SKEW_FILE_BYTES] = r->stored;
    if (make_tables(v, err) || balance_nodes(v, err) || list_over(v, err)) return -1;
    if (partitioning_describe(&t->partitioning, &v->partitioning, err) || buf_put_byte(&v->partitioning, 0, err)) return -1;
    const struct key_prefixes_opts p = {(uint32_t)verify_options(o)->top, LEAST_PREFIX_SHARE};
    if (key_prefixes_make(&r->sums.cuts, &p, &v->prefixes, err)) return -1;
    heat_map_make(&r->sample, &r->sums.cuts, &v->heat);
    return 0;
}

void skew_view_free(struct skew_view *v) {
    for (uint32_t f = 0; v->family && f < v->families; f++) free(v->family[f].parts);
    free(v->family);
    free(v->all.parts);
    free(v->over);
    node_balance_free(&v->nodes);
    key_prefixes_free(&v->prefixes);
    buf_free(&v->partitioning);
    json_decref(v->next);
    *v = (struct skew_view){0};
}
