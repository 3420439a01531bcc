/* The parts of obkv-export. */
#ifndef CMD_EXPORT_EXPORT_TOOL_H
#define CMD_EXPORT_EXPORT_TOOL_H

#include "cmd/oceanbase/export/export_target.h"

/* What was asked of obkv-export. `obkv-verify target` makes its own. */
static inline const struct export_options *export_options(const struct options *o) {
    return o->own;
}

/* export_choice.c: files of which the options take nothing leave e->m, and are counted in e->o.passed. */
int export_choose(struct export_task *e, struct err *err);
json_t *export_partitions_json(const struct export_options *o);
/* export_out.c: the output directory: *done if it already holds this very export; otherwise it is opened and locked. */
int export_open(struct export_task *e, bool *done, int *code, struct err *err);
/* Statements, manifest, publication. */
int export_publish(struct export_task *e, struct err *err);
/* export_sql.c: a script's text. load.sql is export_sql_load, statements that delete, export_sql_load_files. */
int export_sql_load_files(const struct export_manifest *m, struct buf *out, struct err *err);
int export_sql_load(const struct export_manifest *m, struct buf *out, struct err *err);
int export_sql_check(const struct export_manifest *m, struct buf *out, struct err *err);
/* The two cells that load.sql tries first. */
int export_sql_probe(struct buf *out, struct cell_sums *sums, struct err *err);
/* export_summary.c: what must be said before the export is published */
void export_warn(const struct export_task *e);
int export_summary(const struct export_task *e, struct err *err);
int export_dry_run(const struct export_task *e, struct err *err);

#endif
