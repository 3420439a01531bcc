/* Takes login data from options. */
#ifndef CMD_OCEANBASE_LOGIN_H
#define CMD_OCEANBASE_LOGIN_H

#include "base/err.h"
#include "cmd/common/options.h"
#include "cmd/oceanbase/connection.h"

/* Parses an address. ERR_USAGE says what is missing. */
int address_parse(const char *text, struct address *out, struct err *err);

/* Makes a login from options. ERR_USAGE; ERR_INPUT when the password file cannot be read. */
int target_login_make(const struct options *o, struct target_login *out, struct err *err);
void target_login_free(struct target_login *l);

#endif
