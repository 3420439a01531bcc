/* Rows at which a partition may be cut into slices (slices.c), found in the indexes of files and in the points of runs. */
#ifndef ENGINE_SLICE_POINTS_H
#define ENGINE_SLICE_POINTS_H

#include "base/bytes.h"

#include <stddef.h>

/* A row at which slices may be cut, borrowed, and how many bytes its source has from the one before on. */
struct slice_point {
    struct bytes row;
    uint64_t bytes;
};

#endif
