/* Leaf and intermediate blocks of the data index: i32 n | n + 1 offsets | entries (i64 offset | i32 size on disk | key). */
#ifndef HFILE_INDEX_BLOCK_H
#define HFILE_INDEX_BLOCK_H

#include "hfile/hfile_state.h"

struct index_block { /* borrows a payload */
    const uint8_t *offsets, *entries;
    uint32_t n; /* at least 1 */
    size_t bytes;
};

bool index_block_parse(struct bytes payload, struct index_block *x);
struct hfile_index_entry index_block_at(const struct index_block *x, uint32_t i);
/* Reads the block an entry points to, which borrows r's buffers; level counts from 1 = leaf. */
int index_block_read(const struct hfile *h, struct block_reader *r, const struct hfile_index_entry *e, unsigned level,
                     struct index_block *x, struct err *err);
/* Entry i of the root index cannot be parsed. */
int index_root_fault(const struct hfile *h, uint32_t i, struct err *err);

#endif
