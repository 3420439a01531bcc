/* A source around another that looks for stop requests now and then, so that a task over a huge partition ends soon. */
#ifndef ENGINE_GUARD_H
#define ENGINE_GUARD_H

#include "base/stop.h"
#include "cell/cell.h"

/* Takes over inner (also when it fails) and `owned`, memory the inner source lives in: freed after closing; may be NULL. */
struct source *guard_open(struct source *inner, void *owned, const struct stop *stop, struct err *err);

#endif
