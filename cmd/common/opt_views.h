/* Prints what a command line can ask for instead of a run, made from the tables of options: help, completion of shells, the
 * version. */
#ifndef CMD_COMMON_OPT_VIEWS_H
#define CMD_COMMON_OPT_VIEWS_H

#include "cmd/common/options.h"

/* The option that word names, of the command, or (NULL) of the tool and all of its commands; an unknown one is ERR_USAGE. */
int opt_print_topic(const struct tool_about *about, const struct tool_command *command, const char *word, struct err *err);
/* bash, zsh or fish; another one is ERR_USAGE. */
int opt_print_completion(const struct tool_about *about, const char *shell, struct err *err);
void opt_print_version(const struct tool_about *about);

#endif
