/* Sizes as people type them for options. */
#ifndef BASE_SIZE_TEXT_H
#define BASE_SIZE_TEXT_H

#include <stdint.h>

enum { SIZE_TEXT = 24 };
/* Writes the size in the largest unit that it is a whole number of: 64M, 1536K, 1000 (bytes). Returns out. */
const char *size_text(uint64_t bytes, char out[SIZE_TEXT]);
/* Writes the next whole number of megabytes or gigabytes, as the least that an option should be. Returns out. */
const char *size_text_above(uint64_t bytes, char out[SIZE_TEXT]);

#endif
