/* What the target's catalogue says of tables. */
#ifndef CMD_OCEANBASE_CATALOG_H
#define CMD_OCEANBASE_CATALOG_H

#include "table/table.h"
#include "cmd/oceanbase/connection.h"

/* What SHOW CREATE TABLE prints; *ddl stays NULL when there is no such table. On OceanBase the bounds of RANGE COLUMNS partitions
 * are replaced by exact ones, as x'…', from b_high_bound_val: print cuts them at a NUL and does not escape quotes. */
int catalog_definition(struct connection *c, const char *database, const char *sql_table, char **ddl, struct err *err);
/* The definitions of all of them, as text for --ddl; the table group first where there is one. ERR_USAGE: there is none. */
int catalog_dump(struct connection *c, const char *database, const char *name, struct buf *out, struct err *err);

#endif
