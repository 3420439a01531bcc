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
    bool is_open;
    struct wal_run run;
    struct wal_base base;
    struct input_list after; /* --after */
    char *table, *regions;   /* copies: HBase's spelling; the list with its commas replaced */
    const char **region;     /* into regions */
};

/* Checks the options and applies them to all logs that are read. */
int session_wal_open(const struct environment *env, struct session_wal *w, struct err *err);
/* Finds out, before inputs are read, which edits the store files among them, or those of --after, already hold. These edits are
 * left out. */
int session_wal_base(struct environment *env, struct intake *intake, struct input_list *in, struct err *err);
void session_wal_close(struct session_wal *w);
/* Warns of options for logs where none was read, and where nothing was taken of logs: is_empty. True: it said why. */
bool session_wal_warn(struct environment *env, struct session_wal *w, bool is_empty);
/* Prints the lines of the summary about logs; nothing if no log was read. */
void session_wal_print(const struct session_wal *w);
int session_wal_json(const struct session_wal *w, json_t *into, struct err *err);

#endif
