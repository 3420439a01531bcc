/* HOST:PORT/DATABASE: where a target is. HOST may be [an IPv6 address]. */
#ifndef CMD_OCEANBASE_ADDRESS_H
#define CMD_OCEANBASE_ADDRESS_H

#include "base/err.h"

struct address {
    char host[256];
    unsigned port;
    char database[129]; /* as written: names in databases are at most 64 characters */
};

/* ERR_USAGE says what is missing. */
int address_parse(const char *text, struct address *out, struct err *err);

#endif
