/* Reads a table back from a database: --from and --table. */
#ifndef CMD_IMPORT_IMPORT_DATABASE_H
#define CMD_IMPORT_IMPORT_DATABASE_H

#include "cmd/common/environment.h"
#include "cmd/common/input_list.h"
#include "cmd/common/intake.h"
#include "table/table.h"

struct import_database;
/* ERR_USAGE: an option that has no meaning with --from, or none of those that it needs. */
int import_database_check(const struct environment *env, struct err *err);
/* Puts the table into the list as its only input, and lets the intake read it. */
int import_database_open(struct environment *env, struct intake *intake, struct input_list *in, struct import_database **out,
                         struct err *err);
/* Returns the definition of the table, for a run without --ddl. */
const struct table *import_database_table(const struct import_database *d);
/* NULL is fine. */
void import_database_close(struct import_database *d, struct intake *intake);

#endif
