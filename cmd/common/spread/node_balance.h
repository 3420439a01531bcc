/* What each of n nodes holds when partitions are dealt out: one after the other (round-robin, in the order of the partitions),
 * and the largest first, each to the node that holds least so far (greedy). Pure. */
#ifndef SPREAD_NODE_BALANCE_H
#define SPREAD_NODE_BALANCE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { NODES_MAX = 4096 };

struct node_load {
    uint64_t amount;
    uint32_t partitions;
};

struct node_balance {
    uint32_t nodes;
    double mean;
    struct node_load *round_robin, *greedy;       /* [nodes]; of equally loaded nodes the first one is taken */
    double round_robin_max_mean, greedy_max_mean; /* 1 = even; 0 where there is nothing */
};

/* nodes from 1 to NODES_MAX. *out is to be freed whatever is returned. */
int node_balance_make(const uint64_t *amounts, uint32_t n, uint32_t nodes, struct node_balance *out, struct err *err);
void node_balance_free(struct node_balance *b);

#endif
