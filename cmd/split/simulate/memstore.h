/* Turns memstores of an emulated region server into store files. */
#ifndef CMD_SPLIT_SIMULATE_MEMSTORE_H
#define CMD_SPLIT_SIMULATE_MEMSTORE_H

#include "base/err.h"
#include "cmd/split/simulate/cluster_state.h"

/* memstore.c */
int memstore_take_snapshot(struct sim_cluster *c, struct store *s, struct err *err);
/* All snapshots of a region become files. */
int memstore_write_files(struct sim_cluster *c, uint32_t region, int64_t since_ms, const char *why, struct err *err);
/* All of it at once, what is being flushed included: the region is closed. */
int memstore_close(struct sim_cluster *c, uint32_t region, const char *why, struct err *err);
void flush_unqueue(struct sim_cluster *c, uint32_t region); /* no longer waits for a flush */

#endif
