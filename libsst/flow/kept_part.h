/* What a filter hands out of a part when it keeps only some of its cells. */
#ifndef FLOW_KEPT_PART_H
#define FLOW_KEPT_PART_H

#include "cell/cell.h"

/* kept[n]: cells of `in`, in their order. false: none is left. *row_started, the filter's own, says whether a cell of this row has
 * been handed out. kept is borrowed. */
bool kept_part(const struct row_part *in, struct cell *kept, uint32_t n, bool *row_started, struct row_part *out);

#endif
