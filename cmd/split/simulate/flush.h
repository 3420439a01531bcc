/* Flushes of an emulated region server. */
#ifndef CMD_SPLIT_SIMULATE_FLUSH_H
#define CMD_SPLIT_SIMULATE_FLUSH_H

#include "base/err.h"
#include "cmd/split/simulate/cluster_state.h"

/* flush.c */
int flush_request(struct sim_cluster *c, uint32_t region, int64_t delay_ms, const char *why, struct err *err);
int flush_pump(struct sim_cluster *c, uint32_t server, struct err *err); /* threads that are free take what waits */
int flush_done(struct sim_cluster *c, const struct cluster_moment *m, struct err *err);
int flush_check_age(struct sim_cluster *c, struct err *err);
int64_t flush_next_age(const struct sim_cluster *c); /* before then no memstore gets too old */

#endif
