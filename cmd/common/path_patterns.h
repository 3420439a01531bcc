/* Inputs that are patterns, such as 'in/day*.hfile'. */
#ifndef CMD_COMMON_PATH_PATTERNS_H
#define CMD_COMMON_PATH_PATTERNS_H

#include "base/err.h"
#include "cmd/common/inputs.h"

/* Replaces patterns by the paths that match. ERR_INPUT: nothing does. p must be freed in any case. */
int path_patterns_expand(struct path_patterns *p, char **paths, int n, struct err *err);
void path_patterns_free(struct path_patterns *p);

#endif
