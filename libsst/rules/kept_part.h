/* What a filter hands out of a part when it keeps only some of its cells. */
#ifndef RULES_KEPT_PART_H
#define RULES_KEPT_PART_H

#include "cell/cell.h"

/* kept[n]: cells of `in`, in their order, borrowed. false: none is left. *row_started, the filter's own: a cell of this row
 * has been handed out. */
bool kept_part(const struct row_part *in, const struct cell *kept, uint32_t n, bool *row_started, struct row_part *out);

#endif
