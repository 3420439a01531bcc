/* A source without delete markers and without the Puts they mask; nothing else goes: neither versions nor duplicates. The inner
 * source must hold whole rows of one family in cell order, duplicates newest first. */
#ifndef DIFF_MASK_H
#define DIFF_MASK_H

#include "cell/cell.h"
#include "table/table.h"

/* Takes over inner (also when it fails). Of the family's rules only NEW_VERSION_BEHAVIOR matters. */
struct source *mask_open(struct source *inner, const struct family_rules *family, size_t row_bytes, struct err *err);

#endif
