/* Row keys as people give them on the command line: plain text, or `hex:` and hex digits. */
#ifndef FORMATS_TEXT_HEX_TEXT_H
#define FORMATS_TEXT_HEX_TEXT_H

#include "base/buf.h"

int hex_text_parse(const char *text, struct buf *out, struct err *err);

#endif
