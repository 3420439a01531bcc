/* Makes RANGE bounds in a printed definition of a table exact. */
#ifndef CMD_OCEANBASE_EXACT_BOUNDS_H
#define CMD_OCEANBASE_EXACT_BOUNDS_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

/* Returns whether a definition has bounds that may not be what is printed: RANGE COLUMNS, subpartitions by a template at most. */
bool exact_bounds_needed(const char *ddl);
/* Appends ddl with all binary bounds as x'…'. dump: rows "name TAB b_high_bound_val LF" in the order of the partitions.
 * ERR_UNSUPPORTED: the text is not as it is known to be printed. */
int exact_bounds_put(struct buf *out, const char *ddl, struct bytes dump, struct err *err);

#endif
