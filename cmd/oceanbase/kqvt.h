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

#endif
