/* The options of all tools: struct options, filled by the table of opt_rows.c. */
#ifndef OPT_H
#define OPT_H

#include "cmd/common/options.h"

enum opt_result { OPT_RUN, OPT_DONE }; /* DONE: help or version was printed */
/* Defaults, then argv. ERR_USAGE on anything unknown, and on options that the command does not have. */
int opt_parse(const struct tool_about *about, int argc, char **argv, struct options *o, enum opt_result *result, struct err *err);
/* Whether the option of this name was given, whatever it said. */
bool opt_given(const struct options *o, const char *name);
/* The options of one side of a diff: those of all inputs, with its own instead where it has them. */
int opt_side(const struct tool_about *about, const struct options *o, unsigned side, struct options *out, struct err *err);

extern const char obkv_version[];

#endif
