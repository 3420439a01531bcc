/* Finds the table that a run is about, from options, stores and datasets. */
#ifndef CMD_COMMON_SESSION_TABLE_H
#define CMD_COMMON_SESSION_TABLE_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "table/table.h"

struct environment;
struct target;
struct session;

/* --ddl or --partition; options for version rules override them. `fallback` (may be NULL) is used if neither is given. */
int session_table(struct session *s, const struct table *fallback, struct err *err);
/* As session_table, if the inputs may contain HBase stores. Without --ddl and fallback, families are taken from the stores.
 * Version rules are always taken from them; if the definition of the target has others, a warning says so. */
int session_table_of(struct session *s, const struct table *fallback, const struct input_list *in, struct err *err);
/* ERR_USAGE: --snapshot is given, but no input has snapshots. */
int session_refuse_snapshot(const struct environment *env, struct err *err);
/* Surveys the store files among the inputs. If no rejects are allowed, a family that the target lacks would end the run at its
 * first cell; this reports it before anything is read. */
int session_survey(struct session *s, struct input_list *in, struct err *err);
/* Adds the families of another dataset to the table, with their lengths and rules. Options override the rules here too. */
int session_add_families(struct environment *env, struct target *target, const struct table *t, struct err *err);
/* Opens a table for programs that only read: any family, one partition. */
int session_open_table(struct environment *env, struct target *target, struct err *err);
/* Checks that families and versions are known, as --compact requires. ERR_USAGE asks for --versions if they are not. */
int session_need_rules(struct environment *env, struct target *target, struct err *err);
/* Chooses where programs that only read spill without --temp-dir. */
void session_temp_elsewhere(struct environment *env);
/* Adds the inputs to `in`. The table is theirs or `fallback` (session_table_of); rejects are only counted. */
int session_read_inputs(struct session *s, const struct table *fallback, struct input_list *in, struct err *err);

#endif
