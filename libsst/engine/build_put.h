/* Cells that a caller puts into a run one after the other, where imports read inputs. */
#ifndef ENGINE_BUILD_PUT_H
#define ENGINE_BUILD_PUT_H

#include "base/err.h"
#include "engine/build.h"

struct build;
struct build_put;

/* One thread's way into the run; o is what it was opened with, without rejects: what does not fit the table is ERR_INPUT. */
struct build_put *build_put_open(struct build *b, const struct build_opts *o, struct err *err);
/* Checks, counts, places and gathers a part; what the memory does not hold is spilled. After a failure the run is over. */
int build_put(struct build_put *p, const struct row_part *part, struct err *err);
/* The ledger of all that was put goes to the run: before build_finish. */
void build_put_end(struct build_put *p);
void build_put_close(struct build_put *p); /* NULL is fine */

#endif
