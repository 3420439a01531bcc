/* What hfile_writer.c (cells into blocks) and hfile_finish.c (everything after the blocks) share. */
#ifndef HFILE_HFILE_WRITER_STATE_H
#define HFILE_HFILE_WRITER_STATE_H

#include "base/buf.h"
#include "hfile/bloom_writer.h"
#include "hfile/hfile.h"
#include "hfile/block_index.h"

/* File info's numbers, beyond those in hfile_write_stats. */
struct writer_sums {
    uint64_t key_bytes, value_bytes;
    uint64_t family_deletes;
    uint64_t max_seq;
    uint64_t biggest_bytes;
    uint32_t max_tags;
    int64_t earliest_put_ms;
    bool range_delete; /* a DeleteColumn or DeleteFamily: TIMERANGE includes 0 */
};

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
    size_t prefix_n;
    struct buf family;
    /* The last key: in job->raw at last_at, or, when the job has gone, in last_key. */
    size_t last_at, last_n;
    struct buf last_key;
    struct buf first_row, last_row, biggest_key;

    struct hfile_write_stats stats;
    struct writer_sums sums;
    uint64_t first_data_offset, last_data_offset;
    uint64_t plain_bytes; /* trailer field 4, but for leaf index blocks */
};

/* The data block being filled joins the queue. Bloom chunks that are ready follow it unless it is the last. */
int hfile_writer_end_block(struct hfile_writer *w, bool last, struct err *err);

#endif
