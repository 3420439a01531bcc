/* Load files: one cell a line, fields separated by TAB, in the order K, Q, V, T, or K, Q, V, TTL, T where the table has a TTL
 * column. Backslash, TAB and LF are escaped (\\ \t \n), every other byte is unchanged, \N is NULL (TTL only). T is never
 * empty and comes last: the server takes a line that ends in an empty field for too short.
 *
 * LOAD DATA reads it exactly with FIELDS TERMINATED BY '\t' ESCAPED BY '\\' LINES TERMINATED BY '\n', CHARACTER SET utf8mb4 and
 * no ENCLOSED BY: measured with all byte values on OceanBase 4.3.5.3 and MariaDB 10.11. */
#ifndef CMD_OCEANBASE_KQVT_H
#define CMD_OCEANBASE_KQVT_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/text.h"

/* One row of a table `htable$family`. */
struct kqvt_row {
    struct bytes k, q, v;
    int64_t t; /* as stored: minus the timestamp */
    bool has_ttl;
    int64_t ttl_ms;
    /* Digits of t, where neighbours share them: p has DECIMAL_I64_BYTES bytes. NULL: they are made where they are needed. */
    struct bytes t_text;
};

enum {
    KQVT_MAX_LINE_BYTES = 2079728 /* with its end: longer lines are refused by direct load (error 1235) */
};

/* Writes the escaped form and returns its end; out has room for 2 * in.n + COPY16_SPARE. */
uint8_t *kqvt_escape(uint8_t *out, struct bytes in);
/* Writes the digits of t and returns their end; out has DECIMAL_I64_BYTES bytes. */
uint8_t *kqvt_put_t(uint8_t *out, const struct kqvt_row *row);
/* Appends a line. key: row->k escaped already, since neighbours share it. */
int kqvt_put(struct buf *out, struct bytes key, const struct kqvt_row *row, bool ttl_column, struct err *err);

/* One line without its end; bytes are decoded into scratch, which has room for line.n bytes and lives as long as the row is
 * used. Understands what the server understands: an escaped byte other than t n r 0 b Z N stands for itself.
 * NULL: parsed. Else what is wrong with it. */
const char *kqvt_parse(struct bytes line, bool ttl_column, uint8_t *scratch, struct kqvt_row *row);

/* What a partition holds, as the database itself can compute it: rows, bytes and sums that do not depend on the order.
 *
 *   x = LENGTH(K) "," LENGTH(Q) "," T "," CRC32(V) "," K Q          (with a TTL column: T "," TTL-or-N ",")
 *   fast:   SUM(CRC32(x)), BIT_XOR(CRC32(x))
 *   strong: the same x with MD5(V) in place of CRC32(V): the sum of the first 15 hex digits of MD5(x), the xor of the last 16
 *   keys:   SUM(CRC32(K Q T)): which rows, at a quarter of the server's work
 * CRC-32 is zlib's; sums add up over files and partitions. The SQL side is cmd/oceanbase/check_sql.c.
 * For accidents, not against attackers (the strong form: not against those who can choose many values). */

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
/* The same for many rows; s is complete after cell_sums_end. */
void cell_sums_put(struct cell_sums *s, struct cell_sums_ahead *a, const struct kqvt_row *row, const struct cell_sums_opts *o);
void cell_sums_end(struct cell_sums *s, struct cell_sums_ahead *a);
void cell_sums_add(struct cell_sums *a, const struct cell_sums *b);
bool cell_sums_eq(const struct cell_sums *a, const struct cell_sums *b);

/* ---- check_sql.c: queries that compute these sums inside the database ---- */

/* "SELECT … FROM `table` PARTITION (`name`)" without ';' or WHERE; partition NULL: the whole table. first: hints and columns
 * before the sums, or "". */
int check_sql_put_query(struct buf *out, const char *first, const char *table, const char *partition,
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
