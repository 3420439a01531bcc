/* Queries that compute the sums of cmd/oceanbase/cell_sums.h inside the database. */
#ifndef CMD_OCEANBASE_CHECK_SQL_H
#define CMD_OCEANBASE_CHECK_SQL_H

#include "cmd/oceanbase/cell_sums.h"

/* "SELECT … FROM `table` PARTITION (`name`)" without ';' or WHERE; partition NULL: the whole table. parallel 0: no hint. */
int check_sql_put_query(struct buf *out, const char *table, const char *partition, unsigned parallel,
                        const struct cell_sums_opts *o, struct err *err);

/* One partition of a table with what it should hold. */
struct check_want {
    const char *partition; /* NULL: the table is not partitioned */
    struct cell_sums sums;
};
/* A script whose result is the partitions that differ, and a last row that says how many were looked at. */
int check_sql_put_script(struct buf *out, const char *table, const struct check_want *want, size_t n,
                         const struct cell_sums_opts *o, struct err *err);

#endif
