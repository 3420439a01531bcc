/* Names of members as paths below a folder of ours. */
#ifndef FORMATS_ARCHIVE_MEMBER_NAME_H
#define FORMATS_ARCHIVE_MEMBER_NAME_H

#include "base/buf.h"

enum { MEMBER_STEPS_MAX = 40, MEMBER_STEP_BYTES = 255, MEMBER_NAME_BYTES = 3000 };

/* name without leading, double and closing slashes and "." steps, NUL-terminated, in *out ("" is the top). 1, 0 = refused (a ".."
 * step, or too long or deep for a path of ours), -1 = error. */
int member_name_clean(const char *name, struct buf *out, struct err *err);
/* Takes the first step off *name; false: there is none. */
bool member_name_step(const char **name, struct bytes *step);

#endif
