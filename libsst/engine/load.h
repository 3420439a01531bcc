/* Reads inputs in parallel: readers hand out chunks in turn, all threads parse, records are checked against the table
 * (lengths, placement, timestamps) and handed to a consumer. Keeps the input side of both ledgers and the rejects. */
#ifndef ENGINE_LOAD_H
#define ENGINE_LOAD_H

#include "rules/ledger.h"
#include "engine/load_opts.h"

struct loader;
/* Looks at every input (they must exist), opens none yet. */
struct loader *loader_new(const struct load_opts *o, struct err *err);
/* 1 = stopped because the consumer is full (call again), 0 = all inputs are done, -1 = error. */
int loader_run(struct loader *l, struct err *err);
/* by_rows, when loader_run has stopped: 1 = no row before *row is still to come, as the indexes of the files say (a file that
 * then begins a chunk with such a row is damaged); valid until the next call. 0 = no row at all, -1. */
int loader_floor(struct loader *l, struct bytes *row, struct err *err);
/* Sums so far; valid when loader_run has returned. */
const struct ledger *loader_ledger(const struct loader *l);
uint64_t loader_client_rows(const struct loader *l); /* rows a direct-mode Java client would look for elsewhere */
void loader_free(struct loader *l);

#endif
