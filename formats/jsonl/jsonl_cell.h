/* The lines of JSON that obkv-export writes, a cell each (docs/formats/jsonl.md). */
#ifndef FORMATS_JSONL_JSONL_CELL_H
#define FORMATS_JSONL_JSONL_CELL_H

#include "engine/format.h"
#include "formats/text/jline_paths.h"
#include "formats/text/jline_scan.h"

/* The paths of such a line. 0, -1. */
int jsonl_cell_paths(struct jline_paths *p, struct err *err);
/* Makes a cell of a line that has been scanned; tags is room for a TTL, hex for its bytes. 1, or 0: *why. Borrowed from the
 * scan. */
int jsonl_cell_take(struct jline_scan *s, uint8_t tags[TTL_TAG_BYTES], uint8_t *hex, struct row_part *part, struct cell *cell,
                    struct reason *why);
/* Returns whether a line that has been scanned is meant to be a cell. */
bool jsonl_cell_is(const struct jline_scan *s);

#endif
