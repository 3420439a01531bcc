/* The data block index while it is written: entries collect in a leaf; full leaves go out between data blocks; at the
 * end the levels above are built. Policy and formats: HBase's HFileBlockIndex.BlockIndexWriter. */
#ifndef HFILE_INDEX_WRITER_H
#define HFILE_INDEX_WRITER_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "hfile/block_index.h"
#include "hfile/block_writer.h"

#define INDEX_KEY_UNHELD UINT32_MAX

/* Root format of one entry, also used by the bloom meta blocks. */
int index_put_root_entry(struct buf *b, uint64_t offset, uint32_t disk_bytes, struct bytes key, struct err *err);

/* A data block was written. Writes a leaf when one is due. */
int index_writer_add(struct index_writer *x, struct block_writer *w, const struct block_place *data, struct err *err);
/* Closes, after the last data block, the last leaf, if there are leaves at all. */
int index_writer_close_leaf(struct index_writer *x, struct block_writer *w, struct err *err);
/* Intermediate levels and the root block. All blocks must have been written. */
int index_writer_finish(struct index_writer *x, struct block_writer *w, struct block_place *root, struct err *err);
void index_writer_free(struct index_writer *x);

#endif
