/* OceanBase DDL to a struct table. */
#ifndef TABLE_DDL_H
#define TABLE_DDL_H

#include "base/err.h"
#include "table/table.h"

/* OceanBase DDL: one CREATE TABLE per family, comments and other statements between them skipped (CREATE TABLEGROUP …).
 * Reads hand-written text and what SHOW CREATE TABLE prints. Refusals are ERR_USAGE with line and what to do. */
int ddl_parse(const char *name_of_input, const char *text, size_t n, struct table *out, struct err *err);
/* Parses DDL of a table whose name was not given: messages do not say it. */
int ddl_parse_unnamed(const char *name_of_input, const char *text, size_t n, struct table *out, struct err *err);
int ddl_parse_file(const char *path, struct table *out, struct err *err);

#endif
