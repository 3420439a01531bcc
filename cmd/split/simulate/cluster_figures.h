/* Counts what happens in an emulated cluster while time passes: events, buckets of time, totals. */
#ifndef CMD_SPLIT_SIMULATE_CLUSTER_FIGURES_H
#define CMD_SPLIT_SIMULATE_CLUSTER_FIGURES_H

#include "base/err.h"
#include "cmd/split/simulate/cluster.h"

struct sim_cluster;

const char *sim_event_name(enum sim_event_kind kind); /* "flush", "minor", … */

/* The state at the present time; what is under way is not over. Borrowed until the next call. NULL: error. */
const struct sim_report *sim_cluster_report(struct sim_cluster *c, struct err *err);

/* Called when the clock has advanced. */
void bucket_advance(struct sim_cluster *c);
/* An event is over: it is counted and handed out. */
int event_record(struct sim_cluster *c, const struct sim_event *e, struct err *err);

#endif
