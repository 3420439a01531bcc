/* Makes create.sql, the definition that a table is to have. */
#ifndef CMD_OCEANBASE_CREATE_SQL_H
#define CMD_OCEANBASE_CREATE_SQL_H

#include "base/buf.h"
#include "base/err.h"
#include "table/partitioning.h"
#include "table/table.h"

/* Statements with ';' and LF, table groups first, IF NOT EXISTS for them only. ERR_USAGE where OceanBase would refuse the table:
 * bounds that are not valid UTF-8 (1366), no table name. */
int create_sql_put(struct buf *out, const struct table *t, struct err *err);
/* Gives the tables of a handmade definition their names: of `name`, or the one it has, or htable1. */
int create_sql_name(struct table *t, const char *name, struct err *err);
/* Writes the statements for people to copy, with htable1 for a missing name; ends with NUL. 1: `out` says why OceanBase would
 * refuse the table; 0, -1. */
int create_sql_show(struct buf *out, const struct table *t, struct err *err);
/* Checks that OceanBase would create the table: 0, or -1 with ERR_USAGE, which says why not. */
int create_sql_check(const struct table *t, struct err *err);

/* Adds the columns of the table that divide it: nothing, or lines that end in a comma. */
int create_partitions_put_columns(struct buf *out, const struct partitioning *p, uint32_t k_max, struct err *err);
/* Adds the clause that divides the table, after a line end, or nothing. */
int create_partitions_put(struct buf *out, const struct partitioning *p, struct err *err);

#endif
