/* --help. */
#ifndef OPT_HELP_H
#define OPT_HELP_H

#include "cmd/common/options.h"

/* To stdout: of a command, or (NULL) of the tool. */
void opt_help(const struct tool_about *about, const struct tool_command *command);

#endif
