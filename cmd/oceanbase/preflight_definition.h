/* Judges the definition of a table before a load, and collects findings. */
#ifndef CMD_OCEANBASE_PREFLIGHT_DEFINITION_H
#define CMD_OCEANBASE_PREFLIGHT_DEFINITION_H

#include "base/err.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/preflight.h"
#include "table/table.h"

struct connection;

void preflight_free(struct preflight *p);
size_t preflight_count(const struct preflight *p, enum finding_state state);
const char *finding_state_name(enum finding_state s);

/* Adds a finding of the checks. */
int preflight_add(struct preflight *p, struct err *err, enum finding_state state, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Checks that the target's definition of a family is what the export was made for; findings go to out. ddl: as catalog.c gives
 * it. */
int preflight_definition(struct preflight *out, const struct export_manifest *m, uint32_t family, const char *ddl,
                         bool is_oceanbase, struct err *err);

/* Checks that clients find the table of a namespace in this database. */
int preflight_namespace(struct preflight *out, const struct table *t, const char *database, struct err *err);

/* Checks that a table that is missing can be created: on OceanBase, beside those of the other families. */
int preflight_beside(struct preflight *out, struct connection *c, const char *database, const struct export_manifest *m,
                     uint32_t family, struct err *err);

#endif
