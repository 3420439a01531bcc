/* Parts of the summary of a run that writes a dataset, for --json and for pages. */
#ifndef CMD_COMMON_SUMMARY_PARTS_H
#define CMD_COMMON_SUMMARY_PARTS_H

#include "cmd/common/options.h"
#include "cmd/common/target.h"
#include "engine/build.h"

/* Adds where the cells came from, the settings that decided the dataset (NULL: not known), and what each partition of each family
 * holds. */
int summary_parts_add(const struct options *o, const struct target *target, const json_t *settings, const struct build_result *r,
                      json_t *to, struct err *err);

#endif
