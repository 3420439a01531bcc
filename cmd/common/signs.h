/* Warns of everyday mistakes that look like success. */
#ifndef CMD_COMMON_SIGNS_H
#define CMD_COMMON_SIGNS_H

#include "cmd/common/inputs.h"
#include "dataset/manifest.h"

struct environment;
struct intake;
struct target;

/* Warns if clock or TTL seem to be in the wrong unit. */
void signs_warn_options(struct environment *env);
/* Warns if `now` was given and is before the cells that were written, and cells may expire. */
void signs_warn_clock(struct environment *env, const struct target *target, bool given, int64_t now,
                      const struct file_counts *written);
/* Warns of what the cells of the inputs have shown. */
void signs_warn(struct environment *env, struct intake *intake, const struct input_list *in);

#endif
