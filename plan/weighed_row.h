/* A row of the inputs with what it weighs; and how that travels through the sorter: as one cell of the row, so that rows of any
 * number come back in order within the memory limit. */
#ifndef PLAN_WEIGHED_ROW_H
#define PLAN_WEIGHED_ROW_H

#include "base/buf.h"
#include "cell/source.h"

struct weighed_row {
    struct bytes row;
    uint64_t cells, bytes; /* bytes: of KeyValues, as they stand in a block without encoding */
    int64_t newest_ms;     /* the newest timestamp */
    uint64_t rank;         /* where it stands first in the inputs */
};

enum { WEIGHED_VALUE_BYTES = 16 };

/* What `part` weighs, as a part of the row `key`: `cell` and `value` are the caller's and hold it. */
void weighed_row_pack(const struct row_part *part, struct bytes key, struct cell *cell, uint8_t value[WEIGHED_VALUE_BYTES],
                      struct row_part *out);
uint64_t weighed_bytes(const struct row_part *packed);

/* Adds up what the sorter gives back. */
struct weighed_rows {
    struct source *src; /* borrowed */
    struct row_part ahead;
    bool has_ahead;
    struct buf row;
};
/* 1 = *out is the next row, each once, ascending; valid until the next call. 0 end, -1 error. */
int weighed_rows_next(struct weighed_rows *w, struct weighed_row *out, struct err *err);
void weighed_rows_free(struct weighed_rows *w);

#endif
