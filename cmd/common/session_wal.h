/* Write-ahead logs of a run: which edits are read, from options and from store files that already hold them. */
#ifndef CMD_COMMON_SESSION_WAL_H
#define CMD_COMMON_SESSION_WAL_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "formats/wal/wal_run.h"

#include <jansson.h>

struct environment;
struct intake;
struct session;

struct session_wal {
    struct wal_run run;
    struct wal_base base;
    struct input_list after; /* --after */
    char *table, *regions;   /* copies: HBase's spelling; the list with its commas replaced */
    const char **region;     /* into regions */
};

/* Checks the options and applies them to all logs that s reads; settings and summary name them. */
int session_wal_open(struct environment *env, struct intake *intake, struct session_wal *w, struct err *err);
/* program_write.prepare, with a struct session_wal: finds out which edits the store files among the inputs, or those of --after,
 * already hold. These edits are left out. */
int session_wal_base(struct session *s, struct input_list *in, void *wal, struct err *err);
void session_wal_close(struct session_wal *w);
/* Warns of options for logs where none was read, and where nothing was taken of logs: is_empty. True: it said why. */
bool session_wal_warn(struct environment *env, struct intake *intake, bool is_empty);
/* For the summary (summary_more): prints nothing if no log was read. arg: struct session_wal. */
int session_wal_print(struct session *s, const void *arg, struct err *err);
int session_wal_json(struct session *s, const void *arg, json_t *into, struct err *err);

#endif
