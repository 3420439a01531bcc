/* The parts of a manifest about shards and shares of a run. */
#ifndef DATASET_MANIFEST_SHARD_H
#define DATASET_MANIFEST_SHARD_H

#include "base/err.h"
#include "dataset/manifest.h"

/* Members of the head, where there are any. */
int manifest_shard_put(const struct manifest *m, json_t *head);
int manifest_shard_parse(const json_t *head, struct manifest *m, struct err *err);
/* Checks that these are all shards of one run, or all shares, each of them once. Sorts them by number. names: of the datasets,
 * for messages. ERR_USAGE names what is missing, there twice, or different. */
int manifest_shards_check(struct manifest *m, const char **names, size_t n, struct err *err);
int manifest_shares_check(struct manifest *m, const char **names, size_t n, struct err *err);
/* The inputs of all shards, as one run would list them, into out->inputs. Their names are borrowed. */
int manifest_shards_inputs(const struct manifest *m, size_t n, struct manifest *out, struct err *err);

#endif
