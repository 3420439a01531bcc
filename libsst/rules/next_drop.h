/* The earliest moment at which time alone would drop a cell that version rules have kept: OBKV.NEXT_DROP_MS. */
#ifndef RULES_NEXT_DROP_H
#define RULES_NEXT_DROP_H

#include "cell/cell.h"
#include "table/table.h"

/* Lowers *at to that moment: family TTL, the cell's own TTL, or the purge delay of a marker. Moments up to now_ms have passed
 * without dropping the cell (MIN_VERSIONS) and are left out. */
void next_drop_note(const struct family_rules *family, int64_t now_ms, const struct cell *c, int64_t *at);

/* A source that does so for all it hands out, of cells that went through `family` before. Takes over inner (also when it
 * fails). */
struct source *next_drop_open(struct source *inner, const struct family_rules *family, int64_t now_ms, int64_t *at,
                              struct err *err);

#endif
