/* Merges more sorted sources than can be open at once. Exports: merge_levels */
#ifndef ENGINE_MERGE_LEVELS_H
#define ENGINE_MERGE_LEVELS_H

#include "cell/cell.h"
#include "engine/job.h"

#include <stddef.h>

struct merge_levels {
    size_t n;                                                           /* sources */
    struct source *(*open)(const void *arg, size_t i, struct err *err); /* opens one, which takes little until it is read */
    uint64_t (*bytes)(const void *arg, size_t i); /* that reading one takes; NULL: all may be open, whatever they take */
    const void *arg;
    size_t width;    /* sources that may be open at once, at least 2 */
    uint64_t memory; /* for those that are */
    enum tie_rule tie;
    struct bytes family; /* of all sources; borrowed */
    const struct job *job;
};

/* Returns all sources as one. Reads those that are too many and writes them to disk before it returns. NULL: an error. */
struct source *merge_levels_open(const struct merge_levels *o, struct err *err);

#endif
