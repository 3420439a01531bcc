/* Collects what one chunk of an input could not take. */
#ifndef ENGINE_REJECT_BATCH_H
#define ENGINE_REJECT_BATCH_H

#include "base/bytes.h"
#include "base/err.h"
#include "engine/format.h"
#include "engine/rejects.h"

/* Names the source of the records, and what must precede them when they are read again: they are then written into a file for
 * that source, too. Does nothing once there is a record. */
int reject_batch_source(struct reject_batch *b, const char *path, struct bytes header, struct err *err);
int reject_batch_add(struct reject_batch *b, const char *path, struct bytes raw, uint64_t line, uint64_t offset, uint32_t column,
                     const char *why, struct err *err);
int reject_batch_add_lost(struct reject_batch *b, const char *path, const struct lost *lost, struct err *err);
/* Returns whether the batch holds so much that it must not grow further: wait for the chunk's turn, then flush. */
bool reject_batch_is_large(const struct reject_batch *b);
void reject_batch_clear(struct reject_batch *b);
void reject_batch_free(struct reject_batch *b);

#endif
