/* Takes records and cells into the engine where a run has a selection of its inputs. */
#ifndef ENGINE_EMIT_SELECTED_H
#define ENGINE_EMIT_SELECTED_H

#include "base/err.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "engine/format.h"

/* As emit_lost_cells, where there is a selection (emit_selected.c). */
int emit_selected_record(struct emit *base, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err);
int emit_selected_cells(struct emit *base, const struct row_part *part, const struct tally *tally, struct err *err);

#endif
