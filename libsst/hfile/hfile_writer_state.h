/* Shared by hfile_writer.c (cells into blocks) and hfile_finish.c (everything after the blocks). */
#ifndef HFILE_HFILE_WRITER_STATE_H
#define HFILE_HFILE_WRITER_STATE_H

#include "base/buf.h"
#include "hfile/block_index.h"
#include "hfile/bloom_writer.h"
#include "hfile/cell_put.h"
#include "hfile/hfile.h"

struct hfile_writer {
    struct hfile_write_opts o;
    struct outfile *out;
    struct block_writer *blocks;
    struct index_writer index;
    struct bloom_set blooms;

    uint32_t row_bytes;     /* of struct encoding */
    struct block_job *job;  /* the data block being filled; NULL: the next cell starts one */
    uint64_t block_rows;    /* in it */
    bool new_row;           /* the next cell begins a row */
    size_t long_block_most; /* payload that o.long_block_bytes suffice for */
    uint64_t surplus_bytes; /* of cells that it has no room for: counted only */
    struct buf prefix;      /* of every key of the current row: i16 rowLen, row, i8 familyLen, family; padded */
    size_t prefix_n;        /* 0: there is no cell yet */
    struct buf family;
    /* The last key: in job->raw at last_at, or, when the job has gone, in last_key. */
    size_t last_at, last_n;
    struct buf last_key;
    struct buf first_row, last_row, biggest_key;

    struct writer_sums sums;
    struct late_cell late; /* in job->raw */
    uint64_t data_blocks;
    uint64_t first_data_offset, last_data_offset;
    uint64_t plain_bytes; /* trailer field 4, but for leaf index blocks */
};

/* Serialised key of the last cell; n == 0: no cell yet. */
static inline struct bytes hfile_writer_last_key(const struct hfile_writer *w) {
    return w->job ? bytes_of(w->job->raw.p + w->last_at, w->last_n) : buf_bytes(&w->last_key);
}

/* Returns whether the block is full with so many bytes more. HBase also ends a block when its encoded size reaches BLOCKSIZE, but
 * no encoding makes cells larger (only tags of more than 127 bytes grow, by a byte each, when they enter a dictionary). */
static inline bool hfile_writer_block_full(const struct hfile_writer *w, size_t more) {
    return w->job && w->job->raw.n + more + w->block_rows * w->row_bytes >= w->o.block_bytes + (size_t)BLOCK_HEADER_BYTES;
}

/* A cell of n bytes with the last one's key, after `more` bytes that are not in the block yet: true if there is no memory for it.
 * Such cells are counted only, so that the error can say how much is needed. */
static inline bool hfile_writer_surplus(struct hfile_writer *w, size_t more, size_t n) {
    if (!w->o.long_block_bytes || (!w->surplus_bytes && w->job->raw.n + more + n <= w->long_block_most)) return false;
    w->surplus_bytes += n;
    return true;
}

#endif
