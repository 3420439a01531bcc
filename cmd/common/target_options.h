/* --target, --user, --password-file and --tls: how to reach a database. */
#ifndef TARGET_OPTIONS_H
#define TARGET_OPTIONS_H

#include "cmd/common/options.h"
#include "cmd/oceanbase/connection.h"

struct target_login {
    struct login login;
    char *password;
};

/* ERR_USAGE; ERR_INPUT when the password file cannot be read. */
int target_options_make(const struct options *o, struct target_login *out, struct err *err);
void target_options_free(struct target_login *l);

#endif
