/* Rows at which a partition may be cut into slices (slices.c), found in the indexes of files and in the points of runs. */
#ifndef ENGINE_SLICE_POINTS_H
#define ENGINE_SLICE_POINTS_H

#include "cell/cell.h"

#include <stddef.h>

/* A row at which slices may be cut, borrowed, and how many bytes its source has from the one before on. */
struct slice_point {
    struct bytes row;
    uint64_t bytes;
};
/* The points of several sources become those to cut at, ascending, about slice_bytes apart. Returns how many. *row_bytes, unless
 * NULL: of the row that most of them are at; 0: none is at one row with another. */
size_t slice_points_choose(struct slice_point *points, size_t n, uint64_t slice_bytes, uint64_t *row_bytes);
/* The rows of slice i, where n of them have been chosen. span: of all; narrowed. */
void slice_points_narrow(const struct slice_point *points, size_t n, size_t i, struct row_span *span);

#endif
