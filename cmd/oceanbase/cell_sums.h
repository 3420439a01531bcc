/* What a partition holds, as the database itself can compute it: rows, bytes and sums that do not depend on the order.
 *
 *   x = LENGTH(K) "," LENGTH(Q) "," T "," CRC32(V) "," K Q          (with a TTL column: T "," TTL-or-N ",")
 *   fast:   SUM(CRC32(x)), BIT_XOR(CRC32(x))
 *   strong: the same x with MD5(V) in place of CRC32(V): the sum of the first 15 hex digits of MD5(x), the xor of the last 16
 * CRC-32 is zlib's; sums add up over files and partitions. The SQL side is cmd/oceanbase/check_sql.c.
 * For accidents, not against attackers (the strong form: not against those who can choose many values). */
#ifndef CMD_OCEANBASE_CELL_SUMS_H
#define CMD_OCEANBASE_CELL_SUMS_H

#include "base/text.h"
#include "cmd/oceanbase/kqvt.h"

struct cell_sums {
    uint64_t rows, bytes; /* bytes: of K, Q and V */
    u128 crc_sum;
    uint32_t crc_xor;
    u128 md5_sum; /* both 0 where the strong form was not asked for */
    uint64_t md5_xor;
};

struct cell_sums_opts {
    bool strong, ttl_column;
};

enum { CELL_SUMS_TEXT_BYTES = 512 };

/* x of the last row, whose CRC-32 is taken when the next row comes: the processor then does both at a time, and need not wait for
 * bytes it has just written. Zero-initialise. */
struct cell_sums_ahead {
    size_t n; /* 0: none */
    unsigned at;
    uint8_t text[2][CELL_SUMS_TEXT_BYTES];
};

void cell_sums_row(struct cell_sums *s, const struct kqvt_row *row, const struct cell_sums_opts *o);
/* The same for many rows; s is complete after cell_sums_end. */
void cell_sums_put(struct cell_sums *s, struct cell_sums_ahead *a, const struct kqvt_row *row, const struct cell_sums_opts *o);
void cell_sums_end(struct cell_sums *s, struct cell_sums_ahead *a);
void cell_sums_add(struct cell_sums *a, const struct cell_sums *b);
bool cell_sums_eq(const struct cell_sums *a, const struct cell_sums *b);

/* ---- check_sql.c: queries that compute these sums inside the database ---- */

/* "SELECT … FROM `table` PARTITION (`name`)" without ';' or WHERE; partition NULL: the whole table. parallel 0: no hint. */
int check_sql_put_query(struct buf *out, const char *table, const char *partition, unsigned parallel,
                        const struct cell_sums_opts *o, struct err *err);

/* One partition of a table with what it should hold. */
struct check_want {
    const char *partition; /* NULL: the table is not partitioned */
    struct cell_sums sums;
};
/* A script whose result is the partitions that differ, and a last row with the number compared. */
int check_sql_put_script(struct buf *out, const char *table, const struct check_want *want, size_t n,
                         const struct cell_sums_opts *o, struct err *err);

#endif
