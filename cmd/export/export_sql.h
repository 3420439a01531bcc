/* Writes load.sql and check.sql. */
#ifndef CMD_EXPORT_EXPORT_SQL_H
#define CMD_EXPORT_EXPORT_SQL_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/oceanbase/export_manifest.h"

/* export_sql.c: a script's text. load.sql is export_sql_load, statements that delete, export_sql_load_files. */
int export_sql_load_files(const struct export_manifest *m, struct buf *out, struct err *err);
int export_sql_load(const struct export_manifest *m, struct buf *out, struct err *err);
int export_sql_check(const struct export_manifest *m, struct buf *out, struct err *err);

#endif
