/* Manifests of the parts of one run, which say most things alike. */
#ifndef DATASET_ALIKE_MANIFESTS_H
#define DATASET_ALIKE_MANIFESTS_H

#include "dataset/manifest.h"

/* Lends settings and partitions of `first`, and its list of inputs, to m, where m says the same. `first` may be moved, and freed
 * before m, but must be there as long as m is used. Returns how many bytes m takes then; UINT64_MAX: m says something else. */
uint64_t alike_manifests_lend(const struct manifest *first, struct manifest *m);
/* Returns whether both list the same inputs, with the same cells. */
bool alike_manifests_inputs(const struct manifest *a, const struct manifest *b);

#endif
