/* Cells gathered in columns, which become one batch of Arrow: grown like buffers, then handed over without a copy.
 * Exports: arrow */
#ifndef API_API_ARROW_BATCH_H
#define API_API_ARROW_BATCH_H

#include "base/buf.h"
#include "cell/cell.h"
#include "sst/arrow.h"

enum { ARROW_COLUMNS = 8 }; /* those of enum sst_arrow_column */

struct arrow_column {
    struct buf data;  /* numbers, or the bytes of all cells, without gaps */
    struct buf ends;  /* of bytes: int32, a zero first */
    size_t last_data; /* bytes of the batch before, as which this one begins */
};

/* Zero-initialise but for wanted; arrow_batch_free when done. */
struct arrow_batch {
    uint32_t wanted; /* a sum of enum sst_arrow_column */
    size_t n;        /* cells */
    size_t last_n;   /* of the batch before */
    struct arrow_column columns[ARROW_COLUMNS];
};

/* Adds the cells of a part. 0, or -1 with ERR_LIMIT. */
int arrow_batch_add(struct arrow_batch *b, const struct row_part *part, struct err *err);
/* Returns the bytes of all columns so far. */
size_t arrow_batch_bytes(const struct arrow_batch *b);
/* Hands the columns over to *out and begins an empty batch. 0, or -1 with ERR_LIMIT: nothing has changed. */
int arrow_batch_take(struct arrow_batch *b, struct ArrowArray *out, struct err *err);
void arrow_batch_free(struct arrow_batch *b);

/* The schema of such batches. 0, or -1 with ERR_LIMIT. */
int arrow_batch_schema(uint32_t wanted, struct ArrowSchema *out, struct err *err);

#endif
