/* Checks what must hold before a load begins: a list of findings for people and pipelines. Nothing is changed in the target. */
#ifndef CMD_OCEANBASE_PREFLIGHT_H
#define CMD_OCEANBASE_PREFLIGHT_H

#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/export_manifest.h"

struct connection;
struct load_journal;

enum finding_state { FINDING_PASS, FINDING_WARN, FINDING_FAIL };

struct finding {
    enum finding_state state;
    const char *name; /* "table", "rows", …; static */
    bool shown;       /* printed already */
    char text[500];
};

struct preflight {
    struct finding *findings;
    size_t n;
    bool missing_tables, local; /* local: files will be sent by us */
    bool makes_tables;          /* by grants, the user may create and drop tables */
    bool has_rows;              /* at least one table is not empty */
    bool damaged;               /* files of the export are missing or not as they were written */
};

enum load_via { VIA_AUTO, VIA_SERVER, VIA_LOCAL };

/* Load files that are made while others are loaded: m lists a file for each partition, which is not there yet. */
struct preflight_made {
    size_t batches;
    uint64_t need, room; /* bytes for two of them; free in dir and by --disk-limit */
    /* Counts the rows of a family that are loaded by the journal, and live at now_ms. */
    int (*count_live)(void *arg, const struct load_journal *j, uint32_t family, uint64_t now_ms, uint64_t *live, struct err *err);
    void *arg;
};

struct preflight_opts {
    const struct login *login;
    const struct export_manifest *m;
    const char *dir, *server_dir;
    bool server_dir_given;
    enum load_via via;
    struct load_target target;
    const struct load_journal *journal; /* NULL: none yet */
    const struct stop *stop;
    const struct preflight_made *made; /* NULL: the files of an export */
    bool create;                       /* missing tables will be made */
};

/* -1 only where nothing can be said: out of memory, the connection broke. */
int preflight_run(struct connection *c, const struct preflight_opts *o, struct preflight *out, struct err *err);

/* ---- preflight_access.c ---- */

struct access_probe {
    const char *dir;   /* of the export, as who reads it sees it */
    const char *table; /* there, and as it should be */
    bool local;        /* we send it; else the server reads it */
};

/* *number 0: it can; else of the server's error, see connection_why. -1: nothing can be said, the connection broke. */
int preflight_try_access(struct connection *c, const struct access_probe *p, unsigned *number, struct err *err);

#endif
