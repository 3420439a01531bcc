/* The part of a row key that a partitioning reads. */
#ifndef TABLE_KEY_PREFIX_H
#define TABLE_KEY_PREFIX_H

#include "base/bytes.h"
#include "table/partitioning.h"

/* Returns the place after any blanks. */
const char *partitioner_skip_blanks(const char *s);
/* Takes a decimal number at *s, and moves *s after it and any blanks. */
bool partitioner_take_number(const char **s, int64_t *v);

/* key_prefix.c: the bytes of a row that its partition is chosen by; `substring(1,4)` and back. */
struct bytes key_prefix_of(const struct key_prefix *prefix, struct bytes row);
bool key_prefix_take(const char *s, struct key_prefix *out);
const char *key_prefix_text(const struct key_prefix *x, char out[80]);

bool key_prefix_eq(struct key_prefix a, struct key_prefix b);

#endif
