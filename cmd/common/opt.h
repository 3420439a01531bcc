/* Reads the command line by the groups of options that a program or its command lists. */
#ifndef CMD_COMMON_OPT_H
#define CMD_COMMON_OPT_H

#include "base/err.h"
#include "cmd/common/options.h"

/* Defaults, then argv. ERR_USAGE on anything unknown, and on options that the command does not have. *o must be freed. */
int opt_parse(const struct tool_about *about, int argc, char **argv, struct options *o, enum opt_result *result, struct err *err);
void opt_free(struct options *o);

#endif
