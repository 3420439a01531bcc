/* How good a choice is: evenness, size, what the newest writes and what scans would touch. */
#ifndef PLAN_FIGURES_H
#define PLAN_FIGURES_H

#include "cmd/common/spread/spread.h"
#include "cmd/split/plan/estimate.h"
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
    double error;      /* of a sample: the largest partition's bytes lie within so much (relative) of what is told, 99.7 % sure */
    double rows_error; /* … and its rows */
    struct precision precision;
};

int plan_figures_make(const struct plan_choice *c, const struct plan_result *r, const struct figures_opts *o,
                      struct plan_figures *out, struct err *err);

#endif
