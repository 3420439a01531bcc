/* Cells as text, as cell/cell.h writes them. */
#ifndef CELLS_CELLS_PARSE_H
#define CELLS_CELLS_PARSE_H

#include "engine/format.h"

enum { CELLS_TEXT_FIELDS = 8 };

/* One line without its end into *part and *cell (part->cells = cell; rank is left alone). Bytes are decoded into scratch, which
 * has room for line.n / 2 bytes and must live as long as the cell is used. false: *why says what is wrong. */
bool cells_parse_line(struct bytes line, uint8_t *scratch, struct row_part *part, struct cell *cell, struct reason *why);

#endif
