/* A value of JSON (RFC 8259), such as a line, walked once without building a tree: only the values at paths that were asked for
 * are kept, as the bytes of the line. So a number keeps its text, memory does not depend on what else a line
 * holds, and every fault has its byte.
 *
 *   jline_paths_add … (once) -> per thread: jline_scan_init -> per line: jline_scan_line, then jline_text of the values
 *
 * Checked beyond the grammar: UTF-8, surrogates in pairs, no key twice in an object. */
#ifndef FORMATS_TEXT_JLINE_H
#define FORMATS_TEXT_JLINE_H

#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- values that nobody has scanned: jline_extent.c ---- */

/* The bytes of the value that begins at p, which is neither a blank nor a separator; 0: it does not end within [p, end). A number
 * or word ends before a blank or separator; at_end: the end of the bytes is one, too. Whether it is JSON is for a scan to say. */
size_t jline_extent(const uint8_t *p, const uint8_t *end, bool at_end);

#endif
