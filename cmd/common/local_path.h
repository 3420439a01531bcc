/* Whether a path given on the command line is one of this machine. */
#ifndef CMD_COMMON_LOCAL_PATH_H
#define CMD_COMMON_LOCAL_PATH_H

#include "base/bytes.h"
#include "base/err.h"

/* ERR_USAGE: it is a URL; the text names what copies it. NULL is fine. */
int local_path_check(const char *path, bool output, struct err *err);

#endif
