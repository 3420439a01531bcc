/* What must be right before a load begins, looked at in the target: a list of findings for people and pipelines.
 * Changes nothing. */
#ifndef CMD_OCEANBASE_PRECHECK_H
#define CMD_OCEANBASE_PRECHECK_H

#include "base/buf.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/journal.h"

enum finding_state { FINDING_PASS, FINDING_WARN, FINDING_FAIL };

struct finding {
    enum finding_state state;
    const char *name; /* "table", "rows", …; static */
    char text[500];
};

struct precheck {
    struct finding *findings;
    size_t n;
    bool missing_tables, local; /* local: files will be sent by us */
    bool has_rows;              /* at least one table is not empty */
    bool damaged;               /* files of the export are missing or not as they were written */
};

enum load_via { VIA_AUTO, VIA_SERVER, VIA_LOCAL };

struct precheck_opts {
    const struct login *login;
    const struct export_manifest *m;
    const char *dir, *server_dir;
    bool server_dir_given;
    enum load_via via;
    struct load_target target;
    const struct journal *journal; /* NULL: none yet */
    bool create;                   /* missing tables will be made */
};

/* -1 only where nothing can be said: out of memory, the connection broke. */
int precheck_run(struct connection *c, const struct precheck_opts *o, struct precheck *out, struct err *err);
void precheck_free(struct precheck *p);
size_t precheck_count(const struct precheck *p, enum finding_state state);
const char *finding_state_name(enum finding_state s);

/* Whether the target's definition of a family is what the export was made for; findings go to out. ddl: as catalog.h
 * gives it. */
int precheck_definition(struct precheck *out, const struct export_manifest *m, uint32_t family, const char *ddl,
                        bool is_oceanbase, struct err *err);

#endif
