/* Command lines as one would type them into a shell. */
#ifndef CMD_COMMON_COMMAND_LINE_H
#define CMD_COMMON_COMMAND_LINE_H

#include "base/buf.h"

/* Adds that of this process, NUL-terminated; "" where the system does not give it. */
int command_line_read(struct buf *out, struct err *err);
/* Adds one word of it, in quotes where a shell needs them. */
int command_line_word(struct buf *out, const char *word, struct err *err);
/* Adds words that end with NULL, each after a blank unless it is the first of all. */
int command_line_words(struct buf *out, const char *const *words, struct err *err);

#endif
