/* The options that decide bytes, as the settings of a manifest. */
#ifndef CMD_COMMON_OPT_BYTES_H
#define CMD_COMMON_OPT_BYTES_H

#include "cmd/common/options.h"

#include <jansson.h>

/* Puts the settings of these groups (up to NULL) into an object. Those that other things stand for (OPT_SETTING_THROUGH) are
 * left to the caller. */
void opt_bytes_put(json_t *into, const struct options *o, const struct opt_group *const *groups);
/* Reads settings of a group back into its struct, which is one of struct options. What they do not say is null, false or 0. */
void opt_bytes_take(const json_t *settings, const struct opt_group *g, struct options *o);

#endif
