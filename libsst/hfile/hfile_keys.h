/* Serialised keys: how messages show them, and the shortest key between two, which serves an index as well.
 * Exports: separator */
#ifndef HFILE_HFILE_KEYS_H
#define HFILE_HFILE_KEYS_H

#include "base/buf.h"
#include "base/bytes.h"

enum { KEY_TEXT_SHOWN = 64, KEY_TEXT_BYTES = 2 * KEY_TEXT_SHOWN + 4 };

/* The first KEY_TEXT_SHOWN bytes in hex, "..." when there are more. Returns out. */
const char *key_text_hex(struct bytes b, char out[KEY_TEXT_BYTES]);

/* last, first: serialised keys, last < first. last.n == 0: there is no block before, K = first. Replaces out's content. */
int separator_put(struct buf *out, struct bytes last, struct bytes first, struct err *err);

#endif
