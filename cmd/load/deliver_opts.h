/* What is delivered and how, what is told meanwhile, and what it came to. */
#ifndef CMD_LOAD_DELIVER_OPTS_H
#define CMD_LOAD_DELIVER_OPTS_H

#include "base/stop.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/journal.h"

enum deliver_step {
    DELIVER_BEGINS,
    DELIVER_DONE, /* this file is in */
    DELIVER_WAS_THERE /* a statement whose end nobody saw had worked */,
    DELIVER_RETRIES /* text says why */
};

/* Called by any thread, one at a time. */
struct deliver_event {
    enum deliver_step step;
    const struct export_file *file;
    double seconds; /* DONE: of the statement */
    const char *text;
};

struct deliver_opts {
    const struct login *login;
    const struct export_manifest *m;
    const char *dir, *server_dir; /* of the export, as we and as the server see it */
    bool local;                   /* we send the files */
    struct load_target target;
    bool is_oceanbase; /* rows lie in the partition we say; else sums of single partitions mean nothing */
    unsigned jobs, retries;
    struct journal *journal;
    const struct stop *stop;
    void (*event)(void *arg, const struct deliver_event *e);
    /* Called about twice a second while files are loaded; sent: bytes that went through LOCAL. */
    void (*tick)(void *arg, uint64_t sent);
    void *arg;
};

struct deliver_result {
    size_t files, files_before, files_found; /* loaded now; in by the journal; found to be in */
    uint64_t rows, bytes, retries;           /* of the files loaded now or found */
};

#endif
