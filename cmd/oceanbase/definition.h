/* Definitions of tables: read from the catalogue of a database, with exact bounds, and written as CREATE TABLE. */
#ifndef CMD_OCEANBASE_DEFINITION_H
#define CMD_OCEANBASE_DEFINITION_H

#include "base/buf.h"
#include "cmd/oceanbase/connection.h"
#include "table/table.h"

/* ---- catalog.c: what the target has ---- */

/* What SHOW CREATE TABLE prints; *ddl stays NULL when there is no such table. On OceanBase the bounds of RANGE COLUMNS partitions
 * are replaced by exact ones, as x'…', from b_high_bound_val: print cuts them at a NUL and does not escape quotes. */
int catalog_definition(struct connection *c, const char *database, const char *sql_table, char **ddl, struct err *err);
/* The definitions of all of them, as text for --ddl; the table group first if there is one. ERR_USAGE: no table. */
int catalog_dump(struct connection *c, const char *database, const char *name, struct buf *out, struct err *err);

/* ---- exact_bounds.c ---- */

/* Whether a definition has bounds that may not be what is printed: RANGE COLUMNS, subpartitions by a template at most. */
bool exact_bounds_needed(const char *ddl);
/* Appends ddl with all binary bounds as x'…'. dump: rows "name TAB b_high_bound_val LF" in the order of the partitions.
 * ERR_UNSUPPORTED: the text is not as it is known to be printed. */
int exact_bounds_put(struct buf *out, const char *ddl, struct bytes dump, struct err *err);

/* ---- create_sql.c: what it is to have ---- */

/* Statements with ';' and LF, table groups first, IF NOT EXISTS for them only. ERR_USAGE where OceanBase would refuse the table:
 * bounds that are not valid UTF-8 (1366), no table name. */
int create_sql_put(struct buf *out, const struct table *t, struct err *err);
/* Gives the tables of a handmade definition their names: of `name`, or the one it has, or htable1. */
int create_sql_name(struct table *t, const char *name, struct err *err);
/* For people to copy, ends with NUL: the statements, with htable1 for a missing name. 1: `out` says why OceanBase would refuse
 * the table; 0, -1. */
int create_sql_show(struct buf *out, const struct table *t, struct err *err);
/* Why OceanBase refuses to create the table; 0, or -1 with ERR_USAGE. */
int create_sql_check(const struct table *t, struct err *err);

/* Its parts that say how the table is divided: nothing, or lines that end in a comma. */
int create_partitions_put_columns(struct buf *out, const struct partitioning *p, uint32_t k_max, struct err *err);
/* Nothing, or a line end and the clause. */
int create_partitions_put(struct buf *out, const struct partitioning *p, struct err *err);

#endif
