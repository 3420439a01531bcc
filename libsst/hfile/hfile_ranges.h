/* Cuts a file into ranges of whole blocks, by walking block headers or by the index, and walks all blocks. */
#ifndef HFILE_HFILE_RANGES_H
#define HFILE_HFILE_RANGES_H

#include "base/bytes.h"
#include "base/err.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_reader.h"

struct hfile;
struct hfile_cutter;

/* hfile_range_next that visits the blocks of the range. visit returns 1 to end the range after that block, -1 on error. */
int hfile_range_visit(const struct hfile *h, uint64_t *cursor, size_t want_bytes, struct hfile_range *out, hfile_block_fn *visit,
                      void *arg, struct err *err);

/* Visits all blocks up to the trailer. Reads only headers, except for encoded data blocks, which are verified and decompressed.
 * visit returns 0 to continue; any other value ends the walk, which returns it. */
int hfile_blocks_walk(const struct hfile *h, hfile_block_fn *visit, void *arg, struct err *err);

/* Cuts the scanned section into ranges of about want_bytes (unpacked), walking block headers only. Start with *cursor = 0.
 * 1 = *out filled, 0 = no more, -1 = error. */
int hfile_range_next(const struct hfile *h, uint64_t *cursor, size_t want_bytes, struct hfile_range *out, struct err *err);
/* The blocks that can hold rows from start_row (inclusive) to stop_row (exclusive), by the index; p == NULL: open. */
int hfile_row_range(const struct hfile *h, struct bytes start_row, struct bytes stop_row, struct hfile_range *out,
                    struct err *err);
struct hfile_cutter *hfile_cutter_open(const struct hfile *h, const struct hfile_range *span, struct err *err);
int hfile_cutter_next(struct hfile_cutter *c, size_t want_bytes, struct hfile_range *out, struct err *err);
void hfile_cutter_close(struct hfile_cutter *c); /* NULL is fine */

#endif
