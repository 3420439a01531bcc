/* The table that a run writes or reads, and the partitions that its rows go to. */
#ifndef CMD_COMMON_TARGET_H
#define CMD_COMMON_TARGET_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "dataset/manifest.h"
#include "rules/rules.h"
#include "table/partitioner.h"
#include "table/table.h"

struct environment;
struct intake;

struct target {
    struct table table;
    struct placement *placement;
    bool open_families;        /* no DDL: families come from columns and inputs */
    enum compaction_kind kind; /* where version rules are applied */
    enum dataset_kind holds;   /* the whole table, or a delta: see target_kind.c */
};

/* Checks, before partitions are read from --ddl or --partition, whether there is room for them. */
int target_room(const struct environment *env, struct err *err);
/* --ddl or --partition; options for version rules override them. `fallback` (may be NULL) is used if neither is given. */
int target_make(struct environment *env, struct intake *intake, struct target *target, const struct table *fallback,
                struct err *err);
/* As target_make, if the inputs may contain HBase stores. Without --ddl and fallback, families are taken from the stores.
 * Version rules are always taken from them; if the definition of the target has others, a warning says so. */
int target_of_inputs(struct environment *env, struct intake *intake, struct target *target, const struct table *fallback,
                     const struct input_list *in, struct err *err);
/* ERR_USAGE: --snapshot is given, but no input has snapshots. */
int target_refuse_snapshot(const struct environment *env, struct err *err);
/* Surveys the store files among the inputs. If no rejects are allowed, a family that the target lacks would end the run at its
 * first cell; this reports it before anything is read. */
int target_survey(struct environment *env, struct intake *intake, struct target *target, struct input_list *in, struct err *err);
/* Adds the families of another dataset to the table, with their lengths and rules. Options override the rules here too. */
int target_add_families(struct environment *env, struct target *target, const struct table *t, struct err *err);
/* Opens a table for programs that only read: any family, one partition. */
int target_open(struct environment *env, struct target *target, struct err *err);
/* Checks that families and versions are known, as --compact requires. ERR_USAGE asks for --versions if they are not. */
int target_need_rules(struct environment *env, struct target *target, struct err *err);
/* Adds the inputs to `in`. The table is theirs or `fallback` (target_of_inputs); rejects are only counted. */
int target_read_inputs(struct environment *env, struct intake *intake, struct target *target, const struct table *fallback,
                       struct input_list *in, struct err *err);
/* Frees it; metrics bear its name. */
void target_close(struct environment *env, struct target *target);

#endif
