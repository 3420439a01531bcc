/* Text out of metadata files that becomes part of a path or of a message: hostile until it has passed here. */
#ifndef FORMATS_HBASE_DISK_NAME_H
#define FORMATS_HBASE_DISK_NAME_H

#include "base/bytes.h"
#include "base/err.h"

enum { DISK_NAME_MAX_BYTES = 255, DISK_NAME_SHOWN = 128, DISK_NAME_SHOWN_BYTES = DISK_NAME_SHOWN + 4 };

/* A copy that is safe as one component of a path: 1 to 255 bytes, no '/', no NUL or other control character, neither "." nor
 * "..". Free it. NULL: ERR_INPUT "WHAT …". */
char *disk_name_copy(struct bytes name, const char *what, struct err *err);

/* For messages: control characters as '?', shortened. Returns out. */
const char *disk_name_shown(struct bytes b, char out[DISK_NAME_SHOWN_BYTES]);

#endif
