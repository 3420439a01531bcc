/* Write-ahead logs of a run: which edits are read, from options and from store files that already hold them. */
#ifndef CMD_COMMON_WAL_INTAKE_H
#define CMD_COMMON_WAL_INTAKE_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "formats/wal/wal_run.h"

#include <jansson.h>

struct environment;
struct intake;

struct wal_intake {
    bool is_open;
    struct wal_run run;
    struct wal_base base;
    struct input_list after; /* --after */
    char *table, *regions;   /* copies: HBase's spelling; the list with its commas replaced */
    const char **region;     /* into regions */
};

/* Checks the options and applies them to all logs that are read. */
int wal_intake_open(const struct environment *env, struct wal_intake *w, struct err *err);
/* Finds out, before inputs are read, which edits the store files among them, or those of --after, already hold. These edits are
 * left out. */
int wal_intake_base(struct environment *env, struct intake *intake, struct input_list *in, struct err *err);
void wal_intake_close(struct wal_intake *w);
/* Warns of options for logs where none was read, and where nothing was taken of logs: is_empty. True: it said why. */
bool wal_intake_warn(struct environment *env, struct wal_intake *w, bool is_empty);
/* Prints the lines of the summary about logs; nothing if no log was read. */
void wal_intake_print(const struct wal_intake *w);
int wal_intake_json(const struct wal_intake *w, json_t *into, struct err *err);

#endif
