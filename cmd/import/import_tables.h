/* Imports many tables of a root: obkv-import --table. */
#ifndef CMD_IMPORT_IMPORT_TABLES_H
#define CMD_IMPORT_IMPORT_TABLES_H

#include "base/err.h"
#include "cmd/import/import.h"
#include "formats/hbase/store_files.h"

/* --table: every table of the roots that fits, each into its own directory below OUT; one after the other. The code is
 * the highest of all; an error ends the whole. */
int import_tables(struct environment *env, struct intake *intake, import_one_fn *import_one, int *code, struct err *err);
/* Is e a table (not a snapshot) whose name fits? also false when memory is short: see err. */
bool import_table_fits(const char *pattern, const struct tree_catalog_entry *e, struct err *err);

/* *is: --table is a pattern, or names a table of the only input, which is a root directory. */
int import_tables_named(const struct options *o, bool *is, struct err *err);

#endif
