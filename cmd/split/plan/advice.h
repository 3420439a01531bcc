/* How good a choice is: evenness, size, what the newest writes and what scans would touch. */
#ifndef PLAN_ADVICE_H
#define PLAN_ADVICE_H

#include "cmd/common/spread/spread.h"
#include "cmd/split/plan/choice.h"
#include "cmd/split/plan/plan.h"

struct figures_opts {
    double growth;            /* expected bytes for each byte that was seen in the sample, so for the sample's share too */
    uint64_t partition_limit; /* bytes that a partition should stay below */
    uint32_t nodes;
    uint32_t group_bytes; /* what scans give: so many leading bytes of a key */
};

struct plan_figures {
    struct spread rows, bytes;
    double largest;     /* bytes expected in the largest partition */
    uint32_t over;      /* partitions that come out above the limit */
    double nodes_max;   /* most loaded node / mean, partitions dealt out one after the other */
    bool newest_known;  /* rows enough, and their times differ */
    double hot_share;   /* of the newest 1 % of cells: in the partition that takes most of them */
    double time_parts;  /* partitions that the newest 1 % of cells touch: what a scan by time asks */
    double group_parts; /* partitions that a scan of one group of keys asks, mean over rows */
    double error;       /* of a sample: relative error of the largest partition's bytes, 99.7 % sure */
    double rows_error;  /* … and its rows */
    struct precision precision;
};

int plan_figures_make(const struct plan_choice *c, const struct plan_result *r, const struct figures_opts *o,
                      struct plan_figures *out, struct err *err);

/* Which choice to take, and why: a ranked list with reasons in words. Pure. */

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
