/* Whether a server can take load files, asked of the server itself: it takes the two cells of probe.kqvt and skips all lines, so
 * that no row comes of it. */
#ifndef CMD_OCEANBASE_ACCESS_PROBE_H
#define CMD_OCEANBASE_ACCESS_PROBE_H

#include "cmd/oceanbase/connection.h"

struct access_probe {
    const char *dir;   /* of the export, as who reads it sees it */
    const char *table; /* there, and as it should be */
    bool local;        /* we send it; else the server reads it */
};

/* *number 0: it can; else of the server's error, see connection_why. -1: nothing can be said, the connection broke. */
int access_probe_run(struct connection *c, const struct access_probe *p, unsigned *number, struct err *err);

#endif
