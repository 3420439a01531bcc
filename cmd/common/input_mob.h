/* Mob files that the inputs of a run need. */
#ifndef CMD_COMMON_INPUT_MOB_H
#define CMD_COMMON_INPUT_MOB_H

#include "cmd/common/inputs.h"

/* Returns whether a store among the inputs keeps values in mob files. */
bool input_mob_is_used(const struct input_list *l);
/* Warns, once the stores have been surveyed, of each mob file that is missing, of those that the selection (NULL: all) needs.
 * ERR_INPUT: some are; not if `lost`, when their values may be left out. */
int input_mob_find_missing(const struct input_list *l, const struct job *job, const struct selection *selection, bool lost,
                           struct buf *warnings, struct err *err);

#endif
