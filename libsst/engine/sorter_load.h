/* All of the inputs into a sorter, spilling whenever it is full. */
#ifndef ENGINE_SORTER_LOAD_H
#define ENGINE_SORTER_LOAD_H

#include "engine/load.h"
#include "engine/sorter.h"

/* What readers may hold, out of the plan that the sorter was made with. */
void sorter_load_limits(const struct memory_plan *plan, struct read_opts *read);
/* l's consumer puts into s. 0, or -1. */
int sorter_load(struct sorter *s, struct loader *l, struct err *err);

#endif
