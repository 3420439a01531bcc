/* The command that this process was started with. */
#ifndef CMD_PAGES_COMMAND_LINE_H
#define CMD_PAGES_COMMAND_LINE_H

#include "base/buf.h"

/* As one would type it into a shell, NUL-terminated; "" where the system does not tell. */
int command_line_read(struct buf *out, struct err *err);

#endif
