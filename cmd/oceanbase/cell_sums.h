/* The sums of what a partition holds, as the database itself can compute them: rows, bytes, and sums of cells that do not
 * depend on their order, fast (CRC-32) or strong (MD5 of values). cmd/oceanbase/check_sql.c has the SQL side. */
#ifndef CMD_OCEANBASE_CELL_SUMS_H
#define CMD_OCEANBASE_CELL_SUMS_H

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/oceanbase/kqvt.h"

struct cell_sums {
    uint64_t rows, bytes; /* bytes: of K, Q and V */
    u128 crc_sum;
    uint32_t crc_xor;
    u128 md5_sum; /* both 0 where the strong form was not asked for */
    uint64_t md5_xor;
    u128 key_sum; /* not compared by cell_sums_eq */
};

struct cell_sums_opts {
    bool strong, ttl_column;
    bool keys; /* in the database: rows and key_sum only */
};

enum { CELL_SUMS_TEXT_BYTES = 512 };

/* x of the last row, whose CRC-32 is taken when the next row comes: the processor then does both at a time, and need not wait for
 * bytes it has just written. Zero-initialise. */
struct cell_sums_ahead {
    size_t n; /* 0: none */
    unsigned at;
    struct bytes t, key; /* in text: digits of T; K and Q */
    uint8_t text[2][CELL_SUMS_TEXT_BYTES];
};

void cell_sums_row(struct cell_sums *s, const struct kqvt_row *row, const struct cell_sums_opts *o);
/* As cell_sums_row, for many rows; s is complete after cell_sums_end. */
void cell_sums_put(struct cell_sums *s, struct cell_sums_ahead *a, const struct kqvt_row *row, const struct cell_sums_opts *o);
void cell_sums_end(struct cell_sums *s, struct cell_sums_ahead *a);
void cell_sums_add(struct cell_sums *a, const struct cell_sums *b);
bool cell_sums_eq(const struct cell_sums *a, const struct cell_sums *b);

#endif
