/* Finds the data blocks of a file that no row of other files touches. */
#ifndef HFILE_UNTOUCHED_BLOCKS_H
#define HFILE_UNTOUCHED_BLOCKS_H

#include "base/err.h"
#include "cell/cell.h"
#include "hfile/block_span.h"
#include "hfile/hfile_state.h"

void block_spans_free(struct block_spans *s);

struct block_marks {
    const struct hfile *h;
    uint8_t *touched; /* by data block, in order */
    uint64_t n;
    uint64_t new_bytes; /* KeyValue bytes of the rows that were marked */
};
/* h must have an index that can be read. */
int block_marks_init(struct block_marks *m, const struct hfile *h, struct err *err);
/* Marks the blocks that have, or by the index may have, one of these rows, or lie on both sides of it. rows ascend. */
int block_marks_rows(struct block_marks *m, struct source *rows, struct err *err);
/* Spans of blocks that are not marked, of at least so many bytes. */
int block_marks_spans(const struct block_marks *m, uint64_t least_bytes, struct block_spans *out, struct err *err);
void block_marks_free(struct block_marks *m);

#endif
