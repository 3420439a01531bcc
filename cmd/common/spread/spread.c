/* Measures how evenly an amount is spread: over partitions (max/mean, coefficient of variation, Gini, Lorenz curve), over nodes
 * that take the partitions in turn or by size, and over rows (the heaviest ones). Pure figures: nothing here knows of files. */
#include "cmd/common/spread/spread.h"

#include "base/heap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void evenness_add(struct evenness *e, uint64_t amount) {
    e->n++;
    e->total += amount;
    if (amount > e->most) e->most = amount;
    e->empty += !amount;
}

void evenness_end(struct evenness *e) {
    e->mean = e->n ? (double)e->total / e->n : 0;
    e->max_mean = e->total ? (double)e->most / e->mean : 0;
}

static int by_amount(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double deviation(const uint64_t *v, uint32_t n, double mean) {
    double squares = 0;
    for (uint32_t i = 0; i < n; i++) squares += ((double)v[i] - mean) * ((double)v[i] - mean);
    return sqrt(squares / n);
}

/* Returns the Gini coefficient of ascending amounts: sum of (2i - n - 1) v_i over n * sum of v_i, i from 1. */
static double gini(const uint64_t *v, uint32_t n, double total) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += (2.0 * i + 1 - n) * (double)v[i];
    return sum / (n * total);
}

static void lorenz(const uint64_t *v, uint32_t n, double total, double *out) {
    double below = 0;
    uint32_t i = 0;
    for (int p = 0; p < SPREAD_LORENZ; p++) {
        double at = (double)n * p / (SPREAD_LORENZ - 1);
        for (; i < n && i + 1 <= at; i++) below += (double)v[i];
        double part = i < n ? (at - i) * (double)v[i] : 0;
        out[p] = (below + part) / total;
    }
}

int spread_make(const uint64_t *amounts, uint32_t n, struct spread *out, struct err *err) {
    *out = (struct spread){.n = n};
    if (!n) return 0;
    uint64_t *v = malloc(n * sizeof *v);
    if (!v) return err_nomem(err, n * sizeof *v, "figures of partitions");
    memcpy(v, amounts, n * sizeof *v);
    qsort(v, n, sizeof *v, by_amount);
    struct evenness e = {0};
    for (uint32_t i = 0; i < n; i++) evenness_add(&e, v[i]);
    evenness_end(&e);
    out->total = e.total;
    out->empty = e.empty;
    out->least = v[0];
    out->most = e.most;
    out->median = v[(n - 1) / 2];
    out->mean = e.mean;
    out->max_mean = e.max_mean;
    if (out->total) {
        out->cv = deviation(v, n, out->mean) / out->mean;
        out->gini = gini(v, n, (double)out->total);
        lorenz(v, n, (double)out->total, out->lorenz);
    }
    free(v);
    return 0;
}

struct ranked {
    uint64_t amount;
    uint32_t index;
};

/* Largest first, of equal ones the first partition. */
static int heaviest_first(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->amount != y->amount) return x->amount < y->amount ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

static void add_to_node(struct node_load *node, uint64_t amount) {
    node->amount += amount;
    node->partitions++;
}

/* Empty partitions go where the fewest partitions are. */
static bool is_lighter(const struct node_load *a, const struct node_load *b) {
    if (a->amount != b->amount) return a->amount < b->amount;
    return a->partitions < b->partitions;
}

/* Returns whether node a comes before node b. Both are of one array: node numbers break ties. */
static bool is_before(const void *a, const void *b, const void *arg) {
    const struct node_load *x = *(struct node_load *const *)a, *y = *(struct node_load *const *)b;
    (void)arg;
    return is_lighter(x, y) || (!is_lighter(y, x) && x < y);
}

static int deal_greedy(const uint64_t *amounts, uint32_t n, struct node_balance *b, struct err *err) {
    struct ranked *order = malloc((n + 1) * sizeof *order);
    struct node_load **lightest = malloc(b->nodes * sizeof(struct node_load *));
    int rc = order && lightest ? 0 : err_nomem(err, n * sizeof *order, "the balance of nodes");
    if (!rc) {
        for (uint32_t i = 0; i < n; i++) order[i] = (struct ranked){amounts[i], i};
        for (uint32_t i = 0; i < b->nodes; i++) lightest[i] = &b->greedy[i];
        qsort(order, n, sizeof *order, heaviest_first);
        for (uint32_t i = 0; i < n; i++) {
            add_to_node(lightest[0], order[i].amount);
            heap_sink(lightest, b->nodes, sizeof(struct node_load *), 0, is_before, NULL);
        }
    }
    free(order);
    free(lightest);
    return rc;
}

static double max_mean(const struct node_load *load, const struct node_balance *b) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < b->nodes; i++)
        if (load[i].amount > most) most = load[i].amount;
    return b->mean > 0 ? (double)most / b->mean : 0;
}

int node_balance_make(const uint64_t *amounts, uint32_t n, uint32_t nodes, struct node_balance *out, struct err *err) {
    *out = (struct node_balance){.nodes = nodes};
    if (!nodes || nodes > NODES_MAX) return err_set(err, ERR_USAGE, "%u nodes, expected 1 to %d", nodes, NODES_MAX);
    out->round_robin = calloc(nodes, sizeof *out->round_robin);
    out->greedy = calloc(nodes, sizeof *out->greedy);
    if (!out->round_robin || !out->greedy) return err_nomem(err, nodes * sizeof *out->greedy, "the balance of nodes");
    double total = 0;
    for (uint32_t i = 0; i < n; i++) {
        add_to_node(&out->round_robin[i % nodes], amounts[i]);
        total += (double)amounts[i];
    }
    out->mean = total / nodes;
    if (deal_greedy(amounts, n, out, err)) return -1;
    out->round_robin_max_mean = max_mean(out->round_robin, out);
    out->greedy_max_mean = max_mean(out->greedy, out);
    return 0;
}

void node_balance_free(struct node_balance *b) {
    free(b->round_robin);
    free(b->greedy);
    *b = (struct node_balance){0};
}

static bool stands_before(const struct top_row *a, const struct top_row *b) {
    if (a->bytes != b->bytes) return a->bytes > b->bytes;
    int c = bytes_cmp(top_row_key(a), top_row_key(b));
    return c ? c < 0 : a->family < b->family;
}

static int add_top_row(struct top_rows *t, const struct top_row *r, struct err *err) {
    if (!t->rows && !(t->rows = calloc(t->most, sizeof *t->rows)))
        return err_nomem(err, t->most * sizeof *t->rows, "the heaviest rows");
    if (t->n == t->most && !stands_before(r, &t->rows[t->n - 1])) return 0;
    uint32_t i = t->n < t->most ? t->n++ : t->n - 1;
    for (; i && stands_before(r, &t->rows[i - 1]); i--) t->rows[i] = t->rows[i - 1];
    t->rows[i] = *r;
    return 0;
}

/* Rows too light to be kept are not worth their copy. */
static bool is_too_light(const struct top_rows *t, uint64_t bytes) {
    return !t->most || (t->n == t->most && bytes < t->rows[t->n - 1].bytes);
}

int top_rows_add(struct top_rows *t, const struct top_row *row, struct bytes key, struct err *err) {
    if (is_too_light(t, row->bytes)) return 0;
    struct top_row r = *row;
    r.row_bytes = (uint32_t)key.n;
    memcpy(r.row, key.p, top_row_key(&r).n);
    return add_top_row(t, &r, err);
}

int top_rows_merge(struct top_rows *to, const struct top_rows *from, struct err *err) {
    for (uint32_t i = 0; i < from->n; i++)
        if (!is_too_light(to, from->rows[i].bytes) && add_top_row(to, &from->rows[i], err)) return -1;
    return 0;
}

void top_rows_free(struct top_rows *t) {
    free(t->rows);
    *t = (struct top_rows){0};
}
