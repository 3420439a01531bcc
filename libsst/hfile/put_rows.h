/* Puts batches of rows into an HFile that is being written. */
#ifndef HFILE_PUT_ROWS_H
#define HFILE_PUT_ROWS_H

#include "base/err.h"
#include "hfile/cell_put.h"
#include "hfile/hfile_writer_state.h"
#include "hfile/row_batch.h"

/* Puts rows [from, to), whose figures are `sums` with that largest cell. Calls may alternate with hfile_writer_put. The batch's
 * bytes stay as they are until hfile_writer_release_batches. */
int hfile_writer_put_rows(struct hfile_writer *w, const struct row_batch *b, size_t from, size_t to,
                          const struct writer_sums *sums, size_t biggest, struct err *err);
/* The batches that were put may be filled anew. Only after a taskwait, as block_writer_release_pieces. */
void hfile_writer_release_batches(struct hfile_writer *w);

#endif
