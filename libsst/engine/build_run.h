/* Imports and repartitions: inputs become a dataset's files in one call. Who has cells instead of inputs opens the run, puts
 * them (build_put.h), and finishes. */
#ifndef ENGINE_BUILD_RUN_H
#define ENGINE_BUILD_RUN_H

#include "base/err.h"
#include "engine/build.h"

struct build;

int build_run(const struct build_opts *o, struct build_result *out, struct err *err);
void build_result_free(struct build_result *r);

/* Shares out the memory and makes what the run needs; *o and *out stay. NULL: out may be freed all the same. */
struct build *build_open(const struct build_opts *o, struct build_result *out, struct err *err);
/* part_consumer.put, of a run. */
int build_put_part(void *build, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                   struct err *err);
/* All has been put: sorts, merges and writes it; *out is what came of it, and its ledger balances. Once. */
int build_finish(struct build *b, struct err *err);
void build_close(struct build *b); /* NULL is fine */

#endif
