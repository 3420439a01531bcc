/* Shows for --preview and --dry-run how text inputs are read, and what speaks for and against it. */
#ifndef CMD_COMMON_TEXT_DIALECTS_H
#define CMD_COMMON_TEXT_DIALECTS_H

#include "base/bytes.h"

#include <jansson.h>

/* Prints how text inputs are read: what readers wrote to text_read_opts.dialects, for people and as JSON (text_dialects.c). */
void text_dialects_print(struct bytes lines, const char *indent);
json_t *text_dialects_json(struct bytes lines);

#endif
