/* Queries that compute the sums of cells inside the database. */
#ifndef CMD_OCEANBASE_CHECK_SQL_H
#define CMD_OCEANBASE_CHECK_SQL_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/oceanbase/cell_sums.h"

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
