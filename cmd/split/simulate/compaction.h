/* Compactions of an emulated region server. */
#ifndef CMD_SPLIT_SIMULATE_COMPACTION_H
#define CMD_SPLIT_SIMULATE_COMPACTION_H

#include "base/err.h"
#include "cmd/split/simulate/cluster_state.h"

/* compaction.c */
int compaction_request(struct sim_cluster *c, uint32_t region, uint32_t family, struct err *err);
int compaction_request_all(struct sim_cluster *c, uint32_t region, struct err *err);
/* 1 = its result is written, 0 = the region was closed meanwhile, -1; then compaction_start. */
int compaction_end(struct sim_cluster *c, const struct cluster_moment *m, struct err *err);
int compaction_start(struct sim_cluster *c, uint32_t server, struct err *err); /* threads that are free take what waits */
bool compaction_is_crowded(const struct sim_cluster *c, uint32_t region, uint32_t family);
/* A region is opened: its stores with references or enough files are compacted. */
int compaction_request_opened(struct sim_cluster *c, uint32_t region, struct err *err);
int compaction_check(struct sim_cluster *c, uint64_t round, struct err *err);
void compaction_abort(struct sim_cluster *c, uint32_t region);

#endif
