/* Measures how evenly an amount (bytes, rows …) is spread over partitions. Pure; empty partitions count. */
#ifndef SPREAD_SPREAD_H
#define SPREAD_SPREAD_H

#include "base/bytes.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Figures that need no list of the amounts, which are added one by one: it takes no memory, so that it cannot fail.
 * Zero-initialise; evenness_end fills mean and max_mean. */
struct evenness {
    uint64_t total, most;
    uint32_t n, empty;
    double mean, max_mean; /* max_mean: most / mean, 1 = even; 0 where there is nothing */
};

void evenness_add(struct evenness *e, uint64_t amount);
void evenness_end(struct evenness *e);

enum { SPREAD_LORENZ = 101 };

struct spread {
    uint64_t total, least, most, median;
    uint32_t n, empty;
    double mean;
    double max_mean; /* most / mean: 1 = even; 0 where there is nothing */
    double cv;       /* standard deviation (of all, not of a sample) / mean */
    double gini;     /* 0 = even, towards 1 = all in one */
    /* Lorenz curve: what share of the total the lightest i % of the partitions hold, in a straight line between partitions. */
    double lorenz[SPREAD_LORENZ];
};

/* n may be 0. Amounts stay below 2^53 in sum where all digits of cv and gini matter. */
int spread_make(const uint64_t *amounts, uint32_t n, struct spread *out, struct err *err);

/* Loads of n nodes when partitions are dealt out: one after the other (round-robin, in the order of the partitions), and the
 * largest first, each to the node that holds least so far (greedy). Pure. */

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

/* nodes from 1 to NODES_MAX. *out must be freed, whatever is returned. */
int node_balance_make(const uint64_t *amounts, uint32_t n, uint32_t nodes, struct node_balance *out, struct err *err);
void node_balance_free(struct node_balance *b);

/* The heaviest rows, exactly: each row is added once, with its whole weight. Bounded, and independent of the order. */

enum { TOP_ROW_BYTES = 1024, TOP_ROWS_MAX = 1000 };

struct top_row {
    uint64_t bytes, cells;
    uint32_t family, partition;
    uint32_t row_bytes;         /* length of the key */
    uint8_t row[TOP_ROW_BYTES]; /* its leading bytes */
};

struct top_rows {         /* zero-initialise but for most */
    struct top_row *rows; /* heaviest first; of equal ones the lower key, then family */
    uint32_t n, most;
};

/* row->row and row_bytes are filled from key. */
int top_rows_add(struct top_rows *t, const struct top_row *row, struct bytes key, struct err *err);
int top_rows_merge(struct top_rows *to, const struct top_rows *from, struct err *err);
void top_rows_free(struct top_rows *t);
static inline struct bytes top_row_key(const struct top_row *r) {
    return (struct bytes){r->row, r->row_bytes < TOP_ROW_BYTES ? r->row_bytes : TOP_ROW_BYTES};
}

#endif
