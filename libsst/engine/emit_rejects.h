/* What cannot be taken: bad records, records passed over, damage. Counted in the emitter's ledger, told to the log of rejects. */
#ifndef ENGINE_EMIT_REJECTS_H
#define ENGINE_EMIT_REJECTS_H

#include "engine/emitter.h"

/* Of emit_ops, for an emitter. */
int emit_reject(struct emit *base, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why, struct err *err);
void emit_skip(struct emit *base, uint64_t records);
int emit_lost(struct emit *base, const struct lost *lost, struct err *err);
void emit_lost_cells(struct emit *base, uint64_t cells);

/* A file of an input that is left out as a whole. Under the lock. */
int emit_lost_file(struct emitter *e, const char *path, const struct lost *lost, struct err *err);

#endif
