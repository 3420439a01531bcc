/* Split points that OceanBase takes: it refuses bounds that are not valid UTF-8, and its own print of a bound with a NUL is
 * another bound (measured on the server). */
#ifndef PLAN_SEPARATOR_TEXT_H
#define PLAN_SEPARATOR_TEXT_H

#include "base/buf.h"

/* A short bound above `before` and not above `row`, of valid UTF-8 without NUL: 1 found, 0 there is none, -1 out of memory.
 * before < row. */
int separator_text(struct bytes before, struct bytes row, struct buf *out, struct err *err);

#endif
