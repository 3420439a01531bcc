/* Which choice to take, and why: a ranked list with reasons in words. Pure. */
#ifndef PLAN_ADVICE_H
#define PLAN_ADVICE_H

#include "cmd/split/plan/figures.h"

struct candidate {
    const struct plan_choice *choice;
    struct plan_figures figures;
    double penalty; /* 0 = ideal */
    struct buf why; /* reasons, "; " between them */
};

struct advice_opts {
    uint32_t group_bytes; /* leading bytes that name a group of rows; 0 = keys have no groups */
    uint32_t wanted;      /* partitions that suit nodes and size; 0 = any */
};

/* Leading bytes of the key that most rows share with several others: what scans by prefix are likely to give. 0 = none. */
uint32_t advice_group_bytes(const struct plan_result *r);
/* The least of the counts that keeps an even partition at half the limit and gives each node several. */
uint32_t advice_partitions(const uint32_t *counts, uint32_t n, double expected_bytes, uint64_t limit, uint32_t nodes);
/* Fills penalty and why, and sorts: the best first. */
int advice_rank(struct candidate *list, uint32_t n, const struct plan_result *r, const struct advice_opts *o, struct err *err);

#endif
