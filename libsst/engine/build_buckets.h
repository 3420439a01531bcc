/* Sorted buckets on their way into files. */
#ifndef ENGINE_BUILD_BUCKETS_H
#define ENGINE_BUILD_BUCKETS_H

#include "base/bytes.h"
#include "base/err.h"
#include "cell/cell.h"
#include "engine/build_state.h"
#include "engine/sorter.h"

/* Returns where sorted buckets go, as a whole or in slices, all of them or, in_window, what a window has of them. */
struct sorter_sink build_sink(struct build *b);
/* Finishes the writers that are open. */
int build_finish_open(struct build *b, struct err *err);
void build_close_open(struct build *b);

#endif
