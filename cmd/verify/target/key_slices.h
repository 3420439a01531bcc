/* Cuts a partition of a target into slices of its keys, so that progress shows before all of it is read. */
#ifndef CMD_VERIFY_TARGET_KEY_SLICES_H
#define CMD_VERIFY_TARGET_KEY_SLICES_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

/* First and last key and the number of rows of a partition in an export. */
struct key_span {
    struct bytes first, last; /* K; empty: not known */
    uint64_t rows;
};
/* Returns in how many slices the partition is read; 1: all at once. */
unsigned key_slice_count(const struct key_span *span);
/* The condition for slice i of n, with a NUL: the first begins before all keys, the last ends after all. */
int key_slice_where(const struct key_span *span, unsigned i, unsigned n, struct buf *out, struct err *err);

#endif
