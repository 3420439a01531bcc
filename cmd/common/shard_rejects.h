/* Joins the rejects of shards. */
#ifndef CMD_COMMON_SHARD_REJECTS_H
#define CMD_COMMON_SHARD_REJECTS_H

#include "base/err.h"
#include "dataset/manifest.h"

struct output;

struct reject_limit;
/* The limit of one shard, from that of all. */
void shard_tolerate(struct reject_limit *limit);
/* ERR_REJECTS: all shards together have more than they were allowed. */
int shards_check_rejects(const struct manifest *m, const char *const *names, size_t n, struct err *err);
/* The reports of the shards in these directories, which are in order, into that of the output. */
int shards_keep_reports(struct output *output, const char *const *dirs, size_t n, struct err *err);

#endif
