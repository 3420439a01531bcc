/* Options and results of a plan. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "cmd/common/spread/heat_map.h"
#include "cmd/common/spread/key_prefixes.h"
#include "cmd/common/spread/spread.h"
#include "cmd/split/plan/choice.h"
#include "cmd/split/plan/key_design.h"
#include "cmd/split/plan/key_facts.h"
#include "cmd/split/plan/sampling.h"
#include "engine/input.h"
#include "engine/job.h"
#include "rules/ledger.h"
#include "table/partitioner.h"

struct reject_log;

enum { PLAN_COUNTS_MAX = 32, PLAN_HEAVIEST = 20, PLAN_CUTS = 4096 };

/* Keys made when there is no data yet. */
struct plan_generator {
    uint64_t rows, seed;
    int64_t interval_us; /* the clock advances by this from row to row */
    uint32_t cell_bytes; /* value bytes of a row */
};

struct plan_opts {
    const struct job *job;
    const uint32_t *counts; /* numbers of partitions, at most PLAN_COUNTS_MAX */
    uint32_t n_counts;
    enum sample_by sample_by;
    uint64_t sample_bytes; /* as sampling_choose takes it */
    /* Inputs that are read: */
    struct input *inputs;
    uint32_t n_inputs;
    struct read_opts read;
    const struct placement *placement; /* one partition */
    struct reject_log *rejects;
    /* … or made: */
    const struct plan_generator *generator;
    const struct key_design *design; /* NULL: the rows' own keys */
    bool keeps_cells;                /* some cells of rows that have their own keys, or were made */
};

/* Longest parts of a family's cells. */
struct plan_lengths {
    size_t qualifier, value;
    uint64_t qualifiers_over, values_over; /* 256 bytes, 1 MiB: OceanBase's usual columns */
};

struct plan_result {
    struct ledger ledger;
    struct plan_lengths lengths[FAMILIES_MOST];
    uint64_t unfit; /* cells of rows of which the design makes no key */
    char unfit_why[240];
    struct sampling sampling;
    struct key_facts facts;
    struct prefix_runs runs;
    struct range_cuts *ranges; /* [n_counts] */
    struct plan_choice *presplits;
    struct block_spread *presplit_blocks; /* of the partition that is being filled */
    uint32_t n_presplits;
    struct row_sample sample;
    struct top_rows top;
    struct key_cuts cuts;
    struct cell_sample cells; /* for heat maps, where they were asked for */
};

/* Computes what partitionings would make of the rows of some inputs: one pass that reads, sorts and weighs them, and every figure
 * that follows from the sorted rows. Exact where all rows are taken; of a sample (sampling.h) the figures say how far off they
 * may be. The same for any number of threads. */

/* *out must be freed, whatever is returned. */
int plan_run(const struct plan_opts *o, struct plan_result *out, struct err *err);
void plan_result_free(struct plan_result *r, uint32_t n_counts);

#endif
