/* Columns and keys of CREATE TABLE, and what they make of the family. */
#ifndef TABLE_DDL_COLUMNS_H
#define TABLE_DDL_COLUMNS_H

#include "table/ddl_lex.h"
#include "table/ddl_parser.h"

/* ddl_columns.c: "(…)" of CREATE TABLE, then what the columns mean for the family. */
int ddl_columns(struct ddl *d);
int ddl_columns_check(struct ddl *d);
const struct ddl_column *ddl_column_named(const struct ddl_table *t, const struct ddl_token *name);

#endif
