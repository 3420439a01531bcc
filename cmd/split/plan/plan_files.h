/* Writes what `obkv-split plan -o DIR` leaves. */
#ifndef CMD_SPLIT_PLAN_PLAN_FILES_H
#define CMD_SPLIT_PLAN_PLAN_FILES_H

#include "base/err.h"
#include "cmd/split/plan/choice.h"
#include "cmd/split/plan/plan_view.h"
#include "table/table.h"

/* The table with this choice as its partitioning. */
int plan_table_partition(struct table *t, const struct plan_choice *c, struct err *err);
/* table.sql, bounds.txt, splits.txt, create.hbase, plan.json: each complete under its name or not there. t has the choice's
 * partitioning. */
int plan_files_write(const struct plan_view *v, const struct plan_choice *c, struct table *t, const char *dir, struct err *err);

#endif
