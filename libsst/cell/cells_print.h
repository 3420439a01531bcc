/* Cells as text: one cell a line,
 *   row TAB family TAB qualifier TAB timestamp TAB type code TAB sequence id TAB value TAB tags LF
 * numbers in decimal, bytes in hex, "-" for no bytes. Never abbreviated. formats/cells/ reads them back. */
#ifndef CELL_CELLS_PRINT_H
#define CELL_CELLS_PRINT_H

#include "base/buf.h"
#include "cell/cell.h"

/* Appends a line for each cell of the part. */
int cells_print(struct buf *out, const struct row_part *part, struct err *err);

#endif
