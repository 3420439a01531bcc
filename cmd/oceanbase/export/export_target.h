/* What a dataset is exported for: --ddl, the dataset's own table or --table, and whether it can be loaded. */
#ifndef CMD_OCEANBASE_EXPORT_EXPORT_TARGET_H
#define CMD_OCEANBASE_EXPORT_EXPORT_TARGET_H

#include "cmd/oceanbase/export/export.h"
#include "cmd/common/session.h"
#include "cmd/oceanbase/export_manifest.h"

/* The options of an export. */
struct export_options {
    const char *format, *table_name, *compress, *on_duplicate, *target_version, *server_dir;
    struct opt_list partitions;
    bool create, strong, hex, delta;
};
#define EXPORT_DEFAULTS \
    { .compress = "none", .target_version = "4.3.5.3" }
static inline const struct export_options *export_options(const struct options *o) {
    return o->own;
}

/* One export. */
struct export_task {
    struct session *s;
    const struct export_options *asked;
    const char *dataset; /* its directory, and what is in it */
    struct manifest m;
    struct export_opts o;
    struct export_manifest made; /* owns the target's table */
    struct export_result result;
};

/* Fills o.form, o.compression and the table and target of made from the options. */
int export_target(struct export_task *e, struct err *err);

#endif
