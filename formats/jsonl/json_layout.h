/* Finds out how a JSON text is laid out, from its beginning. */
#ifndef FORMATS_JSONL_JSON_LAYOUT_H
#define FORMATS_JSONL_JSON_LAYOUT_H

#include "base/bytes.h"

enum json_layout {
    JSON_LAYOUT_OTHER,     /* this is no JSON */
    JSON_LAYOUT_LINES,     /* a record a line */
    JSON_LAYOUT_DOCUMENTS, /* over several lines, or an array of records */
    JSON_LAYOUT_EMPTY      /* nothing but blanks, null and comments */
};

bool json_text_is_blank(struct bytes text);
bool json_text_is_null(struct bytes text);
/* whole: head is all of the text. A first line that is longer than head is taken for a record, unless an array begins with it. */
enum json_layout json_layout_of(struct bytes head, bool whole);

#endif
