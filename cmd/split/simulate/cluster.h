/* A region cluster of HBase that holds sizes and samples of keys instead of cells: memstores, store files, flushes,
 * compactions, splits, and where regions are. Cells come in one after the other with the time they are sent at; the rest
 * follows from the settings. Single-threaded, no clock of its own, the same for the same calls and seed. */
#ifndef SIMULATE_CLUSTER_H
#define SIMULATE_CLUSTER_H

#include "cmd/split/simulate/cluster_figures.h"
#include "cmd/split/simulate/cluster_opts.h"

struct sim_cluster;

/* NULL: error. */
struct sim_cluster *sim_cluster_new(const struct sim_options *o, struct err *err);
/* The clock goes on to at_ms (never back: an earlier time is the present one) and the cell is written. Where the cluster takes
 * no writes, the one client waits, and everything it sends later comes so much later (delay_ms of the totals). */
int sim_cluster_put(struct sim_cluster *c, int64_t at_ms, const struct sim_cell *cell, struct err *err);
/* Time without writes. */
int sim_cluster_advance(struct sim_cluster *c, int64_t at_ms, struct err *err);

/* The state at the present time; what is under way is not over. Borrowed until the next call. NULL: error. */
const struct sim_report *sim_cluster_report(struct sim_cluster *c, struct err *err);
void sim_cluster_free(struct sim_cluster *c);

#endif
