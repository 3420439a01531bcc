#include "cmd/oceanbase/address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const char *text, const char *why, struct err *err) {
    return err_set(err, ERR_USAGE, "--target '%s': %s; HOST:PORT/DATABASE is expected, e.g. 127.0.0.1:2881/test", text, why);
}

int address_parse(const char *text, struct address *out, struct err *err) {
    *out = (struct address){0};
    const char *whole = text, *host = text, *host_end;
    if (*text == '[') {
        host = text + 1;
        host_end = strchr(host, ']');
        if (!host_end || host_end[1] != ':') return refuse(whole, "no \"]:PORT\" behind the IPv6 address", err);
        text = host_end + 1;
    } else {
        host_end = text = strchr(text, ':');
        if (!host_end) return refuse(whole, "no port", err);
    }
    size_t n = (size_t)(host_end - host);
    if (!n || n >= sizeof out->host) return refuse(whole, "no host name", err);
    memcpy(out->host, host, n);
    char *end;
    errno = 0;
    unsigned long port = text[1] >= '0' && text[1] <= '9' ? strtoul(text + 1, &end, 10) : (end = (char *)text + 1, 0);
    if (!port || port > 65535 || errno) return refuse(whole, "the port is no number from 1 to 65535", err);
    if (*end != '/' || !end[1]) return refuse(whole, "no database", err);
    if (strlen(end + 1) >= sizeof out->database) return refuse(whole, "the database's name is too long", err);
    out->port = (unsigned)port;
    memcpy(out->database, end + 1, strlen(end + 1) + 1);
    return 0;
}
