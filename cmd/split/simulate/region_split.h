/* Splits regions of an emulated cluster. */
#ifndef CMD_SPLIT_SIMULATE_REGION_SPLIT_H
#define CMD_SPLIT_SIMULATE_REGION_SPLIT_H

#include "base/bytes.h"
#include "base/err.h"
#include "cmd/split/simulate/cluster_state.h"

/* region_split.c: 1 split, 0 not, -1 error */
int split_request(struct sim_cluster *c, uint32_t region, struct err *err);
int split_after_compaction(struct sim_cluster *c, uint32_t region, uint32_t family, struct err *err);
bool split_is_due(const struct sim_cluster *c, const struct region *r, struct bytes *row);

int balance_run(struct sim_cluster *c, struct err *err);

#endif
