/* Rows of one file in the form that they will have in its blocks, so that one thread can prepare them while another one writes
 * those before them: several batches are filled side by side, and put into the writer one after the other (put_rows.c). Where
 * blocks end is decided there, so that it never depends on batches. */
#ifndef HFILE_ROW_BATCH_H
#define HFILE_ROW_BATCH_H

#include "base/buf.h"
#include "cell/cell.h"
#include "hfile/bloom.h"
#include "hfile/cell_put.h"

enum batch_flag { BATCH_SAME_KEY = 1 /* as the cell before */, BATCH_FAMILY_DELETE = 2 };

struct batch_cell {
    uint32_t end; /* in bytes */
    uint32_t flags;
};

struct batch_row {
    uint32_t cell;         /* its first one */
    uint32_t bytes_before; /* KeyValue bytes in this batch */
    uint32_t row_n;
    struct bloom_hash_pair row_hash; /* with a ROW filter */
};

/* The moment at which time drops a cell: see next_drop_ms in partition_writer.h. */
struct batch_moment {
    uint32_t cell; /* the first one of its part */
    int64_t ms;
};

struct row_batch {
    struct hfile_write_opts o;
    const char *place; /* for messages */
    struct buf bytes, prefix, family;
    struct batch_cell *cells;
    struct batch_row *rows;
    struct batch_moment *moments;
    size_t n_cells, room_cells, n_rows, room_rows, n_moments, room_moments;
    bool continues;          /* the first row is the last one of the batch before */
    struct writer_sums sums; /* of all cells */
    size_t biggest;          /* cell */
    bool plain;              /* no cell has a flag */
};

/* o is copied; place is borrowed. */
void row_batch_init(struct row_batch *b, const struct hfile_write_opts *o, const char *place);
void row_batch_free(struct row_batch *b);
/* Empties the batch. The rows put next follow on those before: the first may be the last one's. */
void row_batch_clear(struct row_batch *b);
/* Empties the batch. The rows put next have nothing to do with those before. */
void row_batch_restart(struct row_batch *b);
/* Appends a part, which comes after those before in cell order. */
int row_batch_put(struct row_batch *b, const struct row_part *part, struct err *err);
/* Time drops one of the cells put since, which are in one row and begin with first_cell, at that moment. */
int row_batch_put_moment(struct row_batch *b, size_t first_cell, int64_t ms, struct err *err);
/* Digests and figures of the cells of rows [from, to), where these are not all. */
int row_batch_sum(const struct row_batch *b, size_t from, size_t to, struct writer_sums *out, size_t *biggest, struct err *err);
/* Bytes that a batch takes whose cells have so many. */
size_t row_batch_memory(size_t bytes);

static inline uint32_t batch_cell_begin(const struct row_batch *b, size_t i) {
    return i ? b->cells[i - 1].end : 0;
}
/* The first cell after row r. */
static inline size_t batch_row_end(const struct row_batch *b, size_t r) {
    return r + 1 < b->n_rows ? b->rows[r + 1].cell : b->n_cells;
}
static inline struct bytes batch_key(const struct row_batch *b, size_t i) {
    const uint8_t *p = b->bytes.p + batch_cell_begin(b, i);
    return bytes_of(p + 8, be32(p));
}
/* Returns the key of a row. Does not read the cells, which may be in no cache of this processor. */
static inline struct bytes batch_row_key(const struct row_batch *b, size_t r) {
    return bytes_of(b->bytes.p + batch_cell_begin(b, b->rows[r].cell) + 10, b->rows[r].row_n);
}

#endif
