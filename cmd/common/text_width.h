/* Counts the columns that text takes, as terminals draw it. */
#ifndef CMD_COMMON_TEXT_WIDTH_H
#define CMD_COMMON_TEXT_WIDTH_H

#include <stddef.h>

/* Columns that n bytes of UTF-8 take on a terminal: two for wide characters, none for marks that combine. A byte that is no text
 * takes one. */
size_t text_width(const char *text, size_t n);
/* Bytes of the longest beginning that takes at most so many columns. */
size_t text_fit(const char *text, size_t n, size_t columns);

#endif
