/* CREATE TABLEGROUP and CREATE TABLE for a table: the user's own DDL where there is one, so that indexes, comments and options
 * come along; else made from the definition. */
#ifndef CMD_OCEANBASE_CREATE_SQL_H
#define CMD_OCEANBASE_CREATE_SQL_H

#include "table/table.h"

/* Statements with ';' and LF, table groups first, IF NOT EXISTS for them only. ERR_USAGE where OceanBase would refuse the table:
 * bounds that are not valid UTF-8 (1366), no table name. */
int create_sql_put(struct buf *out, const struct table *t, struct err *err);
/* Why OceanBase refuses to create the table; 0, or -1 with ERR_USAGE. */
int create_sql_check(const struct table *t, struct err *err);

#endif
