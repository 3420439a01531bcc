/* The packs of a shard: what its manifest says of them. */
#ifndef DATASET_MANIFEST_PACKS_H
#define DATASET_MANIFEST_PACKS_H

#include "base/err.h"
#include "dataset/manifest.h"

/* A member of the head, where there are any. */
int manifest_packs_put(const struct manifest *m, json_t *head);
int manifest_packs_parse(const json_t *head, struct manifest *m, struct err *err);
void manifest_packs_free(struct manifest *m);

#endif
