/* Copies ranges of blocks from one HFile to another without decoding them. */
#ifndef HFILE_BLOCK_COPY_H
#define HFILE_BLOCK_COPY_H

#include "base/err.h"
#include "hfile/block_span.h"
#include "hfile/hfile.h"
#include "hfile/hfile_state.h"

struct hfile_writer;
/* Could a writer with these options have made the blocks of h? */
bool block_copy_fits(const struct hfile_write_opts *o, const struct hfile *h);
/* The cells come after all that were put, and those put next after them. Checksums are verified, payloads are not unpacked. The
 * chunks of h's bloom filter over these rows are copied, too. What the file info says of the cells is only added by
 * copied_cells_count. */
int hfile_writer_copy(struct hfile_writer *w, const struct hfile *h, const struct block_span *span, struct err *err);

#endif
