/* Where a database is and how to log in: --target HOST:PORT/DATABASE, --user, --password-file and --tls. */
#ifndef CMD_OCEANBASE_LOGIN_H
#define CMD_OCEANBASE_LOGIN_H

#include "base/err.h"
#include "cmd/common/options.h"

struct address {
    char host[256];
    unsigned port;
    char database[129]; /* as written: names in databases are at most 64 characters */
};

/* ERR_USAGE says what is missing. */
int address_parse(const char *text, struct address *out, struct err *err);

enum tls_mode {
    TLS_OFF,
    TLS_REQUIRE, /* encrypted; the server is not authenticated */
    TLS_VERIFY   /* encrypted, certificate and host name checked */
};

/* Strings are borrowed; NULL = none. */
struct login {
    struct address address;
    const char *user, *password;
    enum tls_mode tls;
    const char *tls_ca, *tls_cert, *tls_key;
};

struct target_login {
    struct login login;
    char *password;
};

/* ERR_USAGE; ERR_INPUT when the password file cannot be read. */
int target_login_make(const struct options *o, struct target_login *out, struct err *err);
void target_login_free(struct target_login *l);

#endif
