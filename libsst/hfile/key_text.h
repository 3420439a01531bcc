/* Keys in error messages. */
#ifndef HFILE_KEY_TEXT_H
#define HFILE_KEY_TEXT_H

#include "base/bytes.h"

enum { KEY_TEXT_SHOWN = 64, KEY_TEXT_BYTES = 2 * KEY_TEXT_SHOWN + 4 };

/* The first KEY_TEXT_SHOWN bytes in hex, "..." when there are more. Returns out. */
const char *key_text_hex(struct bytes b, char out[KEY_TEXT_BYTES]);

#endif
