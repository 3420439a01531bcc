/* --columns and --map: what the columns of text become. */
#ifndef COLUMN_OPTIONS_H
#define COLUMN_OPTIONS_H

#include "cmd/common/inputs.h"
#include "cmd/common/options.h"
#include "formats/mapping/mapping.h"

/* That of o->map, which is given. NULL: error. */
struct mapping *column_options_mapping(const struct options *o, struct err *err);
/* The families they name join a table without definition; *open: some more may come from the data. m: that of --map, or NULL. */
int column_options_families(const struct options *o, const struct mapping *m, struct table *t, bool *open, struct err *err);
/* An option that only text knows and that was given, as it is written; NULL: none. */
const char *column_options_given(const struct options *o);
/* ERR_USAGE: such an option is given, and no input can be text. */
int column_options_wanted(const struct options *o, const struct input_list *in, struct err *err);

#endif
