/* Reads the definition of a table from the target's catalog. */
#ifndef CMD_OCEANBASE_CATALOG_H
#define CMD_OCEANBASE_CATALOG_H

#include "base/buf.h"
#include "base/err.h"

struct connection;

/* Returns what SHOW CREATE TABLE prints; *ddl stays NULL when there is no such table. On OceanBase the bounds of RANGE COLUMNS
 * partitions are replaced by exact ones, as x'…', from b_high_bound_val: print cuts them at a NUL and does not escape quotes. */
int catalog_definition(struct connection *c, const char *database, const char *sql_table, char **ddl, struct err *err);
/* The definitions of all of them, as text for --ddl; the table group first if there is one. ERR_USAGE: no table. */
int catalog_dump(struct connection *c, const char *database, const char *name, struct buf *out, struct err *err);

#endif
