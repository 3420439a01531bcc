/* --columns and --map: what the columns of text become. */
#ifndef CMD_COLUMN_OPTIONS_H
#define CMD_COLUMN_OPTIONS_H

#include "cmd/session.h"

/* That of o->map, which is given. */
struct mapping *column_options_mapping(const struct options *o, struct err *err);
/* Loads the mapping of --map, where it is given. */
int column_options_load(struct session *s, struct err *err);
/* The families they name join a table without definition; they are all there are, unless some come from the data. */
int column_options_families(struct session *s, struct err *err);
/* An option that only text knows and that was given, as it is written; NULL: none. */
const char *column_options_given(const struct options *o);
/* ERR_USAGE: such an option is given, and no input can be text. */
int column_options_wanted(const struct options *o, const struct input_list *in, struct err *err);

#endif
