/* Makes create.sql, the definition that a table is to have. */
#ifndef CMD_OCEANBASE_CREATE_SQL_H
#define CMD_OCEANBASE_CREATE_SQL_H

#include "base/buf.h"
#include "base/err.h"
#include "table/table.h"

#include <jansson.h>

/* The statements that make a table: table groups first, with IF NOT EXISTS, then the table of each family. */
struct create_sql {
    struct buf text; /* of all, each with ';' and a line end */
    struct create_statement {
        size_t end;  /* in text; it begins where the one before ends */
        char *table; /* that it makes; NULL: a table group */
    } * list;
    size_t n;
};

/* Fills *out, which must be freed in any case. ERR_USAGE where OceanBase would refuse the table: bounds that are not valid UTF-8
 * (1366), no table name. */
int create_sql_make(struct create_sql *out, const struct table *t, struct err *err);
void create_sql_free(struct create_sql *c);
/* Returns the text of a statement, without ';'; borrowed. */
struct bytes create_sql_statement(const struct create_sql *c, size_t i);
/* Appends the text of all, as create_sql_make makes them. */
int create_sql_put(struct buf *out, const struct table *t, struct err *err);
/* Gives the tables of a handmade definition their names: of `name`, or the one it has, or htable1. */
int create_sql_name(struct table *t, const char *name, struct err *err);
/* Makes what to do next (next_steps.h), beginning with these statements, or with why OceanBase would refuse the table: htable1
 * stands for a missing name. fits: columns are as long as the data needs; else usual ones are taken, unless a DDL has them. lead
 * introduces the statements. NULL: err has why. */
json_t *create_sql_next(const struct table *t, bool fits, const char *lead, struct err *err);
/* Checks that OceanBase would create the table: 0, or -1 with ERR_USAGE, which says why not. */
int create_sql_check(const struct table *t, struct err *err);

#endif
