/* Gives the cells of a data block without its encoding. */
#ifndef HFILE_DATA_BLOCK_H
#define HFILE_DATA_BLOCK_H

#include "base/buf.h"
#include "base/err.h"
#include "hfile/block.h"
#include "hfile/hfile_state.h"

/* Takes the encoding off the payload of a data block, which then borrows from `decoded`, and refuses a block without cells. */
int data_block_open(const struct hfile *h, struct block *b, struct buf *decoded, struct err *err);
/* Copies the serialised key of the first cell in the data block at offset into key. */
int data_block_first_key(const struct hfile *h, uint64_t offset, struct buf *key, struct err *err);
/* Copies the serialised key of the last cell in the data block at offset into key. */
int data_block_last_key(const struct hfile *h, uint64_t offset, struct buf *key, struct err *err);

#endif
