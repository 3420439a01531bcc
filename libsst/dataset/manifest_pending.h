/* What a dataset still waits for: a nightly compaction by ratio leaves partitions as they are, and the cells of their deltas
 * in the deltas, for a later night. Such a dataset alone is not the table. */
#ifndef DATASET_MANIFEST_PENDING_H
#define DATASET_MANIFEST_PENDING_H

#include "cell/keyvalue.h"
#include "table/table.h"

#include <jansson.h>

struct manifest_slice {
    uint32_t family, partition; /* of the manifest's table */
};

/* By family and partition. */
int manifest_slice_cmp(const void *a, const void *b);

/* One delta. Wherever it lies now, it is known by the number of its files, its cells and their digest. */
struct manifest_pending {
    char *path;
    uint64_t files;
    struct tally tally;
    struct manifest_slice *slices; /* whose cells are not merged yet, by family and partition */
    size_t n;
};

int manifest_pending_add(struct manifest_pending *p, struct manifest_slice slice, struct err *err);
json_t *manifest_pending_json(const struct manifest_pending *p, size_t n, const struct table *t);
/* j NULL: nothing. */
int manifest_pending_parse(const json_t *j, const struct table *t, struct manifest_pending **out, size_t *n, struct err *err);
void manifest_pending_free(struct manifest_pending *p, size_t n);

#endif
