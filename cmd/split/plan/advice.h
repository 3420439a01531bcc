/* Judges how good a choice is: evenness, size, what the newest writes and what scans would touch. */
#ifndef PLAN_ADVICE_H
#define PLAN_ADVICE_H

#include "cmd/common/spread/spread.h"
#include "cmd/split/plan/choice.h"
#include "cmd/split/plan/plan.h"

#define PLAN_EVEN 1.5       /* partitions are even where none holds more than so many times the mean */
enum { PLAN_PER_NODE = 4 }; /* partitions that each node is to have, at least */

/* The cost to a load of the generated column of a prefix (docs/loading.md). */
#define DIRECT_LOAD_LOST "loading takes one and a half times to twice the work of the server (measured)"

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

/* Advises which choice to take, and why: a ranked list with reasons in words. Pure. The rules are those of OceanBase's guides to
 * the OBKV-HBase data model and its row keys (docs/plan.md lists them). */

struct candidate {
    const struct plan_choice *choice;
    struct plan_figures figures;
    double penalty; /* 0 = ideal */
    struct buf why; /* reasons, "; " between them */
    bool listed;    /* appears in reports; others of its kind differ from a listed one in the count or prefix only */
};

/* Ways in which clients read the table. */
enum plan_access {
    ACCESS_UNKNOWN, /* not said: ranked as for Gets */
    ACCESS_GET,     /* by whole keys: KEY(K) */
    ACCESS_PREFIX,  /* scans of all rows with the same first bytes: KEY on these bytes */
    ACCESS_RANGE    /* scans of any range of keys: RANGE */
};

struct advice_opts {
    enum plan_access access;
    uint32_t group_bytes; /* leading bytes that name a group of rows, with ACCESS_PREFIX those that scans give; 0 = no groups */
    uint32_t wanted;      /* partitions that suit nodes and size; 0 = any */
};

/* Leading bytes of the key, up to a separator, that most rows share with several others: what scans by prefix would give.
 * 0 = none. */
uint32_t advice_group_bytes(const struct plan_result *r);
/* Leading bytes of the key, up to a separator, that have few different values, such as types of messages. 0 = none. */
uint32_t advice_type_bytes(const struct plan_result *r);
/* The least of the counts that keeps an even partition within the limit and gives each node several. bytes: of one replica. */
uint32_t advice_partitions(const uint32_t *counts, uint32_t n, double bytes, uint64_t limit, uint32_t nodes);
/* Fills penalty, why and listed, and sorts: those listed first, of them the best first. */
int advice_rank(struct candidate *list, uint32_t n, const struct plan_result *r, const struct advice_opts *o, struct err *err);

#endif
