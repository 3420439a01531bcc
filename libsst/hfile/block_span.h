/* Blocks that go from one file into another as they are: which ones no other row touches, copying them, and what is known of
 * their cells without reading them. Exports: block_marks, block_spans, copied_cells */
#ifndef HFILE_BLOCK_SPAN_H
#define HFILE_BLOCK_SPAN_H

#include "base/buf.h"
#include "base/err.h"
#include "hfile/cell_put.h"
#include "hfile/hfile_reader.h"

/* Adjacent data blocks. */
struct block_span {
    uint64_t first, last;           /* offsets of the first and the last one */
    uint64_t end;                   /* of the data block after them, or of what follows all data */
    struct buf first_key, last_key; /* of their cells. Cells of these rows may be in the blocks next to them, too */
};

struct block_spans {
    struct block_span *list; /* ascending */
    size_t n;
    uint64_t bytes; /* of all, with what is between their blocks */
};
void block_spans_free(struct block_spans *s);

/* ---- which blocks are untouched (untouched_blocks.c) ---- */

struct block_marks {
    const struct hfile *h;
    uint8_t *touched; /* by data block, in order */
    uint64_t n;
    uint64_t new_bytes; /* KeyValue bytes of the rows that were marked */
};
/* h must have an index that can be read. */
int block_marks_init(struct block_marks *m, const struct hfile *h, struct err *err);
/* Marks the blocks that have, or by the index may have, one of these rows, or lie on both sides of it. rows ascend. */
int block_marks_rows(struct block_marks *m, struct source *rows, struct err *err);
/* Spans of blocks that are not marked, of at least so many bytes. */
int block_marks_spans(const struct block_marks *m, uint64_t least_bytes, struct block_spans *out, struct err *err);
void block_marks_free(struct block_marks *m);

/* ---- copying (block_copy.c) ---- */

struct hfile_writer;
/* Could a writer with these options have made the blocks of h? */
bool block_copy_fits(const struct hfile_write_opts *o, const struct hfile *h);
/* The cells come after all that were put, and those put next after them. Checksums are verified, payloads are not unpacked. The
 * chunks of h's bloom filter over these rows are copied, too. What the file info says of the cells is only added by
 * copied_cells_count. */
int hfile_writer_copy(struct hfile_writer *w, const struct hfile *h, const struct block_span *span, struct err *err);

/* ---- what is known of cells that were copied (copied_cells.c) ---- */

struct copied_cells {
    struct writer_sums sums; /* duplicates are not counted */
    struct buf biggest_key;  /* the first of sums.biggest_bytes */
    uint64_t rows;
};
void copied_cells_init(struct copied_cells *c);
void copied_cells_free(struct copied_cells *c);
/* Of all of h, as its file info, and kv_bytes of the manifest, say: 1. 0: it says too little, or has delete markers, tags or
 * sequence ids. -1: error. */
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
