/* A tenant of a cluster has units on several nodes, each with CPUs of its own, and a statement can have threads on all of them.
 * GV$OB_UNITS of 4.x shows a tenant its own units; by the documentation, threads should be as many as these CPUs. Measured on one
 * node only (4.3.5.3, which shows one CPU). */
#include "cmd/oceanbase/server_size.h"
#include "cmd/oceanbase/connection.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

/* *text stays NULL where the server refuses to answer. */
static int ask(struct connection *c, const char *sql, char **text, struct err *err) {
    struct err own = {0};
    *text = NULL;
    if (!connection_one(c, sql, text, &own)) return 0;
    if (connection_refused(c)) return 0;
    err_keep(err, &own);
    return -1;
}

int server_parallel(struct connection *c, unsigned least, unsigned *out, struct err *err) {
    char *text;
    *out = least;
    if (!connection_server(c)->is_oceanbase) return 0;
    if (ask(c, "SELECT CAST(FLOOR(SUM(MAX_CPU)) AS SIGNED) FROM oceanbase.GV$OB_UNITS", &text, err)) return -1;
    u128 cpus = 0;
    if (text && decimal_parse_u128(bytes_str(text), &cpus) && cpus > least)
        *out = cpus < SERVER_PARALLEL_MOST ? (unsigned)cpus : SERVER_PARALLEL_MOST;
    free(text);
    return 0;
}

int server_node(struct connection *c, char node[80], struct err *err) {
    char *text;
    *node = 0;
    if (!connection_server(c)->is_oceanbase) return 0;
    if (ask(c, "SELECT CONCAT(HOST_IP(), ':', RPC_PORT())", &text, err)) return -1;
    if (text) snprintf(node, 80, "%.79s", text);
    free(text);
    return 0;
}
