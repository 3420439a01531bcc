/* What a plan takes of --memory, about. */
#ifndef PLAN_PLAN_MEMORY_H
#define PLAN_PLAN_MEMORY_H

#include "cmd/split/plan/plan_opts.h"

/* Its result. */
size_t plan_memory(const struct plan_opts *o);
/* What comes on top while it is made. */
size_t plan_blocks_memory(const struct plan_opts *o);

#endif
