/* Bytes as people write them. */
#ifndef FORMATS_TEXT_DIALECT_BYTES_H
#define FORMATS_TEXT_DIALECT_BYTES_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

/* A text such as ; or @@@ or \t|\t or \001 or 0xe282ac or tab, into at most `most` bytes; their number, 0: it is none. */
size_t dialect_bytes(struct bytes text, uint8_t *out, size_t most);
/* "TAB", "';'", "0x01": for messages and for --dialect. */
int dialect_put_bytes(struct buf *out, struct bytes b, struct err *err);

#endif
