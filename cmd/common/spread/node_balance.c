#include "cmd/common/spread/node_balance.h"

#include "base/heap.h"

#include <stdlib.h>

struct ranked {
    uint64_t amount;
    uint32_t index;
};

/* Largest first, of equal ones the first partition. */
static int by_amount(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->amount != y->amount) return x->amount < y->amount ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

static void give(struct node_load *node, uint64_t amount) {
    node->amount += amount;
    node->partitions++;
}

/* Empty partitions go where the fewest partitions are. */
static bool is_lighter(const struct node_load *a, const struct node_load *b) {
    if (a->amount != b->amount) return a->amount < b->amount;
    return a->partitions < b->partitions;
}

/* Both are of one array: node numbers break ties. */
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
        qsort(order, n, sizeof *order, by_amount);
        for (uint32_t i = 0; i < n; i++) {
            give(lightest[0], order[i].amount);
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
    if (!nodes || nodes > NODES_MAX) return err_set(err, ERR_USAGE, "%u nodes: 1 to %d are expected", nodes, NODES_MAX);
    out->round_robin = calloc(nodes, sizeof *out->round_robin);
    out->greedy = calloc(nodes, sizeof *out->greedy);
    if (!out->round_robin || !out->greedy) return err_nomem(err, nodes * sizeof *out->greedy, "the balance of nodes");
    double total = 0;
    for (uint32_t i = 0; i < n; i++) {
        give(&out->round_robin[i % nodes], amounts[i]);
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
