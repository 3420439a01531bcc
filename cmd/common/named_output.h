/* Standard output of a run whose inputs are on servers. */
#ifndef CMD_COMMON_NAMED_OUTPUT_H
#define CMD_COMMON_NAMED_OUTPUT_H

#include "base/err.h"

struct named_output;
struct path_names;

/* Standard output has URLs for the paths of names from now on, until the end (NULL: nothing to end). */
struct named_output *named_output_begin(const struct path_names *names, struct err *err);
void named_output_end(struct named_output *o);

#endif
