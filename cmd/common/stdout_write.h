/* Standard output of a command whose reader may leave early (| head). */
#ifndef STDOUT_WRITE_H
#define STDOUT_WRITE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* All of it, or an error; a reader that went away (EPIPE) is none: *gone is set, and the command ends quietly. */
int stdout_write(const void *p, size_t n, bool *gone, struct err *err);

#endif
