/* Makes the settings of a manifest: everything that decides the bytes of an output. */
#ifndef CMD_COMMON_OUTPUT_SETTINGS_H
#define CMD_COMMON_OUTPUT_SETTINGS_H

#include <jansson.h>

struct environment;
struct intake;
struct output;
struct target;

/* NULL: no memory, or text that JSON cannot hold. */
json_t *output_settings(const struct environment *env, const struct intake *intake, const struct target *target,
                        const struct output *output, const char *command);

#endif
