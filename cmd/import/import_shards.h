/* Imports by shards, one after the other. */
#ifndef CMD_IMPORT_IMPORT_SHARDS_H
#define CMD_IMPORT_IMPORT_SHARDS_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "cmd/import/import.h"
#include "dataset/manifest.h"

/* --shard I/N: `in`, which has all inputs, keeps those of the shard, which is then written. */
int import_shard_begin(struct environment *env, struct intake *intake, const struct read_opts *read, struct input_list *in,
                       struct manifest_shard *shard, struct err *err);
/* Refuses options that need all records, or would be decided by each shard for itself. */
int import_shards_check(const struct environment *env, const struct intake *intake, const char *option, struct err *err);
/* --shards N: each in a directory of its own beside OUT, then all joined. What is finished is kept for the next start. */
int import_shards(struct environment *env, struct intake *intake, import_one_fn *import_one, int *code, struct err *err);

#endif
