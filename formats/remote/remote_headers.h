/* The headers of an answer that matter here. */
#ifndef FORMATS_REMOTE_REMOTE_HEADERS_H
#define FORMATS_REMOTE_REMOTE_HEADERS_H

#include "base/bytes.h"
#include "formats/remote/remote_store.h"

void remote_headers_begin(struct remote_headers *h);
/* One line, with or without its end. Unknown ones and nonsense change nothing. */
void remote_headers_line(struct remote_headers *h, struct bytes line);
/* Returns whether two tags are the same: with quotes around them, as answers have them, or without. */
bool remote_headers_same_tag(const char *a, const char *b);

#endif
