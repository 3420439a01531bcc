/* Cells as text: one cell a line,
 *   row TAB family TAB qualifier TAB timestamp TAB type code TAB sequence id TAB value TAB tags LF
 * numbers in decimal, bytes in hex, "-" for no bytes. Never abbreviated. */
#ifndef FORMATS_CELLS_TEXT_H
#define FORMATS_CELLS_TEXT_H

#include "base/buf.h"
#include "cell/cell.h"

struct reason;

enum { CELLS_TEXT_FIELDS = 8 };

/* Appends a line for each cell of the part. */
int cells_print(struct buf *out, const struct row_part *part, struct err *err);

/* One line without its end into *part and *cell (part->cells = cell; rank is left alone). Bytes are decoded into scratch, which
 * has room for line.n / 2 bytes and must live as long as the cell is used. false: *why says what is wrong. */
bool cells_parse_line(struct bytes line, uint8_t *scratch, struct row_part *part, struct cell *cell, struct reason *why);

#endif
