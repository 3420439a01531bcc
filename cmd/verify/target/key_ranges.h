/* Cuts a partition into ranges of its primary key, each with the sums of its rows. Their number is bounded: where there are
 * more rows, ranges hold more of them. */
#ifndef CMD_VERIFY_TARGET_KEY_RANGES_H
#define CMD_VERIFY_TARGET_KEY_RANGES_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/oceanbase/cell_sums.h"
#include "cmd/oceanbase/kqvt.h"

enum { KEY_RANGES_MAX = 4096, KEY_RANGE_ROWS = 512 };

struct key_range {
    struct buf key; /* K and Q of its first row */
    size_t k_bytes;
    int64_t t;
    bool row_begins; /* K is another one than that of the row before */
    struct cell_sums sums;
};

struct key_ranges {
    struct key_range *list;
    size_t n;
    uint64_t rows_each; /* of all but the last */
    struct buf last_key;
};

/* Rows come in the order of the key. */
int key_ranges_add(struct key_ranges *r, const struct kqvt_row *row, const struct cell_sums_opts *o, struct err *err);
/* Sums of ranges first … end - 1. */
struct cell_sums key_ranges_sums(const struct key_ranges *r, size_t first, size_t end);
/* The condition for WHERE, with a NUL: the first range begins before all keys, the last ends after all. All of them: "1 = 1". */
int key_ranges_where(const struct key_ranges *r, size_t first, size_t end, struct buf *out, struct err *err);
void key_ranges_free(struct key_ranges *r);

#endif
