/* The event loop of the emulated cluster. */
#ifndef CMD_SPLIT_SIMULATE_CLUSTER_LOOP_H
#define CMD_SPLIT_SIMULATE_CLUSTER_LOOP_H

#include "base/err.h"
#include "cmd/split/simulate/cluster.h"

struct sim_cluster;

/* Makes an emulated cluster; NULL: error. */
struct sim_cluster *sim_cluster_new(const struct sim_options *o, struct err *err);
/* Advances the clock to at_ms (never back: an earlier time is the present one) and writes the cell. If the cluster takes
 * no writes, the one client waits, and everything it sends later comes so much later (delay_ms of the totals). */
int sim_cluster_put(struct sim_cluster *c, int64_t at_ms, const struct sim_cell *cell, struct err *err);
/* Time without writes. */
int sim_cluster_advance(struct sim_cluster *c, int64_t at_ms, struct err *err);
void sim_cluster_free(struct sim_cluster *c);

#endif
