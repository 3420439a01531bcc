/* Text that may come from anywhere, made fit for a terminal, a line of a table or a page: what would act on the reader's screen
 * is shown as bytes. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include "base/buf.h"

enum { PLAIN_BYTES = 16 }; /* the most that one character becomes */

/* Writes what stands for the character at p: the character itself, or \xNN for each byte of a control, of a character that
 * changes the direction of text or shows nothing, and of what is not UTF-8. Returns its length; *used: bytes of p. left > 0. */
size_t plain_char(const uint8_t *p, size_t left, char out[PLAIN_BYTES], size_t *used);
/* The whole text, with a NUL, into room for `room` bytes; what does not fit is cut off after a character. Returns out. */
char *plain_text(struct bytes text, char *out, size_t room);
int plain_put(struct buf *out, struct bytes text, struct err *err);
/* The same of several lines: their ends stay. */
int plain_put_lines(struct buf *out, struct bytes text, struct err *err);

#endif
