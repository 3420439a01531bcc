/* The data block index while it is written: entries collect in a leaf; full leaves go out between data blocks; at the
 * end the levels above are built. Policy and formats: HBase's HFileBlockIndex.BlockIndexWriter. */
#ifndef HFILE_INDEX_WRITER_H
#define HFILE_INDEX_WRITER_H

#include "base/buf.h"
#include "hfile/block_writer.h"

/* Entries of one block-to-be. */
struct index_chunk {
    struct buf entries; /* i64 offset | i32 disk bytes | key, one after the other */
    struct buf ends;    /* u32 big-endian: end of each entry inside `entries` */
    struct buf counts;  /* root chunk of leaves only: u64 native, data blocks up to and including that leaf */
    uint32_t n;
    uint64_t root_bytes; /* size in root format */
};

struct index_writer {
    struct index_chunk leaf, root, next; /* next: the level under construction */
    struct buf scratch;
    uint32_t chunk_bytes, min_entries;
    unsigned levels;
    uint64_t entries;     /* data blocks */
    uint64_t plain_bytes; /* payload bytes of all index blocks written: trailer field 3 */
    uint64_t leaf_plain_bytes, leaf_blocks;
};

/* Root format of one entry, also used by the bloom meta blocks. */
int index_put_root_entry(struct buf *b, uint64_t offset, uint32_t disk_bytes, struct bytes key, struct err *err);

/* A data block was written. Writes a leaf when one is due. */
int index_writer_add(struct index_writer *x, struct block_writer *w, const struct block_place *data, struct err *err);
/* After the last data block: the last leaf, if there are leaves at all. */
int index_writer_close_leaf(struct index_writer *x, struct block_writer *w, struct err *err);
/* Intermediate levels and the root block. */
int index_writer_finish(struct index_writer *x, struct block_writer *w, struct block_place *root, struct err *err);
void index_writer_free(struct index_writer *x);

#endif
