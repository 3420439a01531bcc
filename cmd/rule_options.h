/* --versions, --ttl and the other version-rule options, on top of what a table says. */
#ifndef CMD_RULE_OPTIONS_H
#define CMD_RULE_OPTIONS_H

#include "cmd/opt.h"
#include "table/table.h"

/* Options that were given replace those of r. ERR_USAGE names a malformed one. */
int rule_options_apply(const struct options *o, struct family_rules *r, struct err *err);

#endif
