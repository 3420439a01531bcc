/* Keeps which deltas a database holds, in their order. */
#ifndef CMD_LOAD_LOAD_HISTORY_H
#define CMD_LOAD_LOAD_HISTORY_H

#include "base/err.h"
#include "cmd/load/load_run.h"

struct connection;

/* load_history.c: the deltas that the database holds. ERR_USAGE: newer ones than this have been loaded. */
int load_history_check(struct load_run *r, struct connection *c, struct err *err);
/* Records the load before its first statement. begins: the table has no history yet. */
int load_history_begin(struct load_run *r, struct connection *c, bool begins, struct err *err);

#endif
