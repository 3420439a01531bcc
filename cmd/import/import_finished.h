/* Finds the shards of obkv-import --shards that an earlier start has finished. */
#ifndef CMD_IMPORT_IMPORT_FINISHED_H
#define CMD_IMPORT_IMPORT_FINISHED_H

#include "base/err.h"
#include "base/stop.h"
#include "cmd/common/inputs.h"

struct import_finished;
struct join_opts;

/* l has the inputs of the first shard in front, cut from a list in which they begin at `first`. */
int import_finished_list(struct import_finished *f, const struct input_list *l, uint32_t first, struct err *err);
/* *is: dir holds the shard of this number, of the same run and inputs as they were listed; *code is at least that of its run.
 * Otherwise nothing is said of it. When the first shard is finished. */
int import_finished_is(struct import_finished *f, const char *dir, uint32_t number, bool *is, int *code, struct err *err);
int import_finished_share(struct import_finished *f, const char *dir, const struct join_opts *share, const struct stop *stop,
                          bool *is, struct err *err);
void import_finished_free(struct import_finished *f);

#endif
