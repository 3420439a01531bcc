/* Row parts that readers push: families, lengths, timestamps and placement are checked, good ones go to the consumer. */
#ifndef ENGINE_EMIT_PARTS_H
#define ENGINE_EMIT_PARTS_H

#include "engine/format.h"

/* Of emit_ops, for an emitter. */
int emit_record(struct emit *base, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err);
int emit_cells(struct emit *base, const struct row_part *part, const struct tally *tally, struct err *err);

#endif
