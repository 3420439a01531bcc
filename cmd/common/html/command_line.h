/* The command that this process was started with. */
#ifndef HTML_COMMAND_LINE_H
#define HTML_COMMAND_LINE_H

#include "base/buf.h"

/* As one would type it into a shell, NUL-terminated; "" where the system does not tell. */
int command_line_read(struct buf *out, struct err *err);

#endif
