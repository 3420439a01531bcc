/* Options that are given, on the command line, in a file (--config) or in the environment. */
#ifndef CMD_COMMON_OPT_GIVEN_H
#define CMD_COMMON_OPT_GIVEN_H

#include "base/err.h"
#include "cmd/common/options.h"

/* Returns whether the option of this name was given, with any value. */
bool opt_given(const struct options *o, const char *name);
/* Values of o's own for some of its options, as NAME=VALUE or NAME; only those in `names` (up to NULL) may be among them. option:
 * that carries them, for messages. */
int opt_override(struct options *o, const struct opt_list *given, const char *const *names, const char *option, struct err *err);
/* Calls show for every option that was given elsewhere than on the command line: "--memory 64M", "obkv.conf:3" or a variable. */
void opt_settings(const struct options *o, void (*show)(void *arg, const char *option, const char *from), void *arg);
/* Calls say for every variable OBKV_… that is not read but looks as if it should be: misspelt, or named as another option. meant:
 * "; did you mean 'OBKV_MEMORY'?" */
void opt_unread_variables(const struct options *o, void (*say)(void *arg, const char *variable, const char *meant), void *arg);
/* arg NULL: of a flag. origin: its place; row and value are filled in. */
int opt_set(const struct opt_group *g, const struct opt_row *r, const char *arg, const struct opt_given *origin,
            struct options *o, struct err *err);
/* NAME=VALUE, as a line of a file of options, rather than a file. */
bool opt_is_line(const char *text);
int opt_take_line(const struct tool_about *about, struct options *o, const char *text, struct err *err);
/* The lines of --config (path NULL or empty: none) that are for this program and command; then variables. */
int opt_take_file(const struct tool_about *about, struct options *o, const char *path, struct err *err);
int opt_take_environment(struct options *o, struct err *err);

/* Calls check for every OPT_LATER file that was given, with the option's name. */
int opt_check_later(const struct options *o,
                    int (*check)(const struct options *o, const char *option, const char *path, struct err *err),
                    struct err *err);

#endif
