/* The order of the files of a manifest: by family, partition and number. */
#ifndef DATASET_MANIFEST_ORDER_H
#define DATASET_MANIFEST_ORDER_H

#include "dataset/manifest.h"

void manifest_order_make(struct manifest *m);
/* Returns whether the files are in order. */
bool manifest_order_is(const struct manifest *m);
/* Finds the files of a partition of a family, from *first up to, but not including, *end; where the files are not in order, these
 * are all of them. family < 0: none. */
void manifest_order_find(const struct manifest *m, bool in_order, int family, uint32_t partition, size_t *first, size_t *end);

#endif
