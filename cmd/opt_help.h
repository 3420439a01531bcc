/* --help. */
#ifndef CMD_OPT_HELP_H
#define CMD_OPT_HELP_H

#include "cmd/options.h"

/* To stdout: of a command, or (NULL) of the tool. */
void opt_help(const struct tool_about *about, const struct tool_command *command);

#endif
