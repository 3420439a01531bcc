/* The parts of obkv-export. */
#ifndef CMD_EXPORT_EXPORT_TOOL_H
#define CMD_EXPORT_EXPORT_TOOL_H

#include "cmd/common/session.h"
#include "cmd/export/export.h"

/* The options of an export. */
struct export_options {
    const char *format, *table_name, *compress, *on_duplicate, *target_version, *server_dir;
    bool create, strong, hex;
};
#define EXPORT_DEFAULTS \
    { .compress = "none", .on_duplicate = "error", .target_version = "4.3.5.3" }
static inline const struct export_options *export_options(const struct options *o) {
    return o->own;
}

/* One run. */
struct export_tool {
    struct session *s;
    const struct export_options *asked;
    const char *dataset; /* its folder, and what is in it */
    struct manifest m;
    struct export_opts o;
    struct export_manifest made; /* owns the target's table */
    struct export_result result;
};

/* export_target.c: what the dataset is exported for: --ddl, the dataset's own table or --table, and whether it can be loaded. */
int export_target(struct export_tool *e, struct err *err);
/* export_out.c: the output folder: *done when this very export is there; else it is opened and locked. */
int export_open(struct export_tool *e, bool *done, int *code, struct err *err);
/* Statements, manifest, publication. */
int export_publish(struct export_tool *e, struct err *err);
/* export_sql.c: a script's text. */
int export_sql_load(const struct export_manifest *m, struct buf *out, struct err *err);
int export_sql_check(const struct export_manifest *m, struct buf *out, struct err *err);
/* The two cells that load.sql tries first. */
int export_sql_probe(struct buf *out, struct cell_sums *sums, struct err *err);
/* export_summary.c */
int export_summary(const struct export_tool *e, struct err *err);
int export_dry_run(const struct export_tool *e, struct err *err);

#endif
