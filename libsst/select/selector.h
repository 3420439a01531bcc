/* A selection at work in one thread: row parts go in, and what is taken of them comes out, renamed and masked. selector_new,
 * then for each record selector_begin and selector_take for each of its parts, then selector_free. */
#ifndef SELECT_SELECTOR_H
#define SELECT_SELECTOR_H

#include "base/err.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "select/selection.h"

struct selection;

/* Would a selector take this cell, whatever a mask makes of it? "Latest" (INT64_MAX) may become any time. */
bool selection_takes(const struct selection *s, const struct row_part *part, const struct cell *c);

struct selector;
/* latest_ms: the timestamp of cells that say "latest". */
struct selector *selector_new(const struct selection *s, int64_t latest_ms, struct err *err);
void selector_free(struct selector *s); /* NULL is fine */

/* A record of so many cells: what was taken of the one before is no longer valid. */
int selector_begin(struct selector *s, size_t cells, struct err *err);
/* 1: *out is what is taken of part: part itself where nothing was left out or masked, apart from the family; 0: nothing of it;
 * SELECTOR_REFUSES: a value does not fit its mask (*why); -1. What is not taken is added to *left, as it was. */
enum { SELECTOR_REFUSES = 2 };
int selector_take(struct selector *s, const struct row_part *part, struct row_part *out, struct tally *left,
                  struct selection_fault *why, struct err *err);

#endif
