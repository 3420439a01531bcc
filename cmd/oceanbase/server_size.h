/* How large a server is, by its own view. */
#ifndef CMD_OCEANBASE_SERVER_SIZE_H
#define CMD_OCEANBASE_SERVER_SIZE_H

#include "base/err.h"

struct connection;

enum { SERVER_PARALLEL_MOST = 64 };

/* How many threads a statement should have: the CPUs of the tenant on all of its nodes, not less than `least` and at most
 * SERVER_PARALLEL_MOST. least: the user may not see them, or the server has no such view. -1: the connection broke. */
int server_parallel(struct connection *c, unsigned least, unsigned *out, struct err *err);
/* "10.0.0.7:2882", the node that this session is on, which reads the files of LOAD DATA; "" = it does not say. */
int server_node(struct connection *c, char node[80], struct err *err);

#endif
