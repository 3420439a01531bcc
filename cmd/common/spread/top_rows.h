/* The heaviest rows, exactly: each row is told once, with all that it weighs. Bounded, and independent of the order. */
#ifndef SPREAD_TOP_ROWS_H
#define SPREAD_TOP_ROWS_H

#include "base/bytes.h"
#include "base/err.h"

enum { TOP_ROW_BYTES = 1024, TOP_ROWS_MAX = 1000 };

struct top_row {
    uint64_t bytes, cells;
    uint32_t family, partition;
    uint32_t row_bytes;         /* length of the key */
    uint8_t row[TOP_ROW_BYTES]; /* its leading bytes */
};

struct top_rows {         /* zero-initialise but for most */
    struct top_row *rows; /* heaviest first; of equal ones the lower key, then family */
    uint32_t n, most;
};

/* row->row and row_bytes are filled from key. */
int top_rows_add(struct top_rows *t, const struct top_row *row, struct bytes key, struct err *err);
int top_rows_merge(struct top_rows *to, const struct top_rows *from, struct err *err);
void top_rows_free(struct top_rows *t);
static inline struct bytes top_row_key(const struct top_row *r) {
    return (struct bytes){r->row, r->row_bytes < TOP_ROW_BYTES ? r->row_bytes : TOP_ROW_BYTES};
}

#endif
