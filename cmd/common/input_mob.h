/* Mob files that the inputs of a run need. */
#ifndef CMD_COMMON_INPUT_MOB_H
#define CMD_COMMON_INPUT_MOB_H

#include "cmd/common/inputs.h"

/* Once the stores have been surveyed: warns of each mob file that is missing. ERR_INPUT: some are; not if `lost`, when their
 * values may be left out. */
int input_mob_find_missing(const struct input_list *l, const struct job *job, bool lost, struct buf *warnings, struct err *err);

#endif
