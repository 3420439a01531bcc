/* --help, printed from the tables of options and as wide as the terminal. */
#ifndef CMD_COMMON_OPT_HELP_H
#define CMD_COMMON_OPT_HELP_H

#include "cmd/common/options.h"

/* Prints the help of a command, or (NULL) of the tool; all: every option instead of those that most runs need. */
void opt_print_help(const struct tool_about *about, const struct tool_command *command, bool all);
/* An option under the title of its group. */
void opt_print_row(const struct opt_group *const *groups, const struct opt_found *f);

#endif
