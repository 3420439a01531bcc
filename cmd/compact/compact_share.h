/* Shares of a compaction: shards as inputs, and --partitions. */
#ifndef CMD_COMPACT_COMPACT_SHARE_H
#define CMD_COMPACT_COMPACT_SHARE_H

#include "base/err.h"
#include "cmd/compact/base_policy.h"
#include "dataset/manifest.h"
#include "engine/partition_merge.h"

/* --partitions J/M. *out: of == 0: not given. */
int compact_share_parse(const struct compact_options *own, struct manifest_share *out, struct err *err);
/* Orders shards: if one dataset is a shard, all must be those of one import; m and paths are put in their order. Else nothing is
 * done. */
int compact_shards_order(struct manifest *m, char **paths, const bool *is_dataset, size_t n, bool *shards, struct err *err);
/* Counts after a merge: *share says what all shares read; files of other partitions are listed as if this run had read them. */
void compact_share_count(struct manifest_share *share, const struct merge_input *inputs, size_t n);

#endif
