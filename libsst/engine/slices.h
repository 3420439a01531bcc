/* Writes a partition out of slices of its rows. */
#ifndef ENGINE_SLICES_H
#define ENGINE_SLICES_H

#include "base/err.h"
#include "cell/cell.h"
#include "engine/partition_writer.h"
#include "engine/slice_points.h"

struct partition_writer;

int partition_writer_put_slices(struct partition_writer *s, const struct slices *slices, struct err *err);
/* Returns what at_once slices take beside their sources. */
size_t slices_memory(unsigned at_once, size_t batch_bytes);

/* The points of several sources become those to cut at, ascending, about slice_bytes apart. Returns how many. *row_bytes, unless
 * NULL: of the row that most of them are at; 0: none is at one row with another. */
size_t slice_points_choose(struct slice_point *points, size_t n, uint64_t slice_bytes, uint64_t *row_bytes);
/* The rows of slice i, where n of them have been chosen. span: of all; narrowed. */
void slice_points_narrow(const struct slice_point *points, size_t n, size_t i, struct row_span *span);

#endif
