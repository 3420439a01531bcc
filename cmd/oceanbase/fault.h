/* What an error number of the server or of the client library means for a load: try again, find out what happened, or stop,
 * and what to do then. Numbers: MySQL's and MariaDB's (below 4000 and client 2000), OceanBase's own (4000 and above). */
#ifndef CMD_OCEANBASE_FAULT_H
#define CMD_OCEANBASE_FAULT_H

#include "base/err.h"

enum fault_action {
    FAULT_STOP,    /* trying again would not help */
    FAULT_RETRY,   /* the statement did nothing and may do better later */
    FAULT_UNKNOWN, /* the connection or the server went away: the statement may have worked or not */
    FAULT_KILLED   /* somebody (perhaps we) ended the statement */
};

struct fault {
    enum fault_action action;
    enum err_code code; /* for the exit code, when it stays */
    const char *advice; /* what to do; NULL = the server's text says it all */
};

struct fault fault_of(unsigned number);

#endif
