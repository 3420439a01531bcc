/* Derives facts about cells that were copied. */
#ifndef HFILE_COPIED_CELLS_H
#define HFILE_COPIED_CELLS_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "hfile/cell_put.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_state.h"

struct hfile_writer;

struct copied_cells {
    struct writer_sums sums; /* duplicates are not counted */
    struct buf biggest_key;  /* the first of sums.biggest_bytes */
    uint64_t rows;
};
void copied_cells_init(struct copied_cells *c);
void copied_cells_free(struct copied_cells *c);
/* Fills *out with facts about all cells of h, by its file info and the manifest's kv_bytes: 1. 0: they say too little, or h has
 * delete markers, tags or sequence ids. -1: error. */
int copied_cells_said(const struct hfile *h, uint64_t kv_bytes, struct copied_cells *out, struct err *err);
/* Adds the cells in these blocks of h, which are read. Blocks ascend from call to call. row_before: of the cell before them,
 * which is counted elsewhere; p == NULL: there is none. */
int copied_cells_read(const struct hfile *h, const struct hfile_range *blocks, struct bytes row_before, struct copied_cells *c,
                      struct err *err);
/* The sums of all cells of a file but the others, which were read: 1. w: has written what became of the others. 0: a least or
 * largest value may have been among the others only, so that the copied cells must be read. -1: error. */
int copied_cells_remain(const struct copied_cells *all, const struct copied_cells *others, const struct hfile_writer *w,
                        struct copied_cells *out, struct err *err);
/* Adds the copied cells to what the writer says of its file. Once, after all cells. */
int copied_cells_count(struct hfile_writer *w, const struct copied_cells *c, struct err *err);

#endif
