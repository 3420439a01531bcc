/* Temporary directories that a kill does not leave for good: each is locked as long as its program lives, and the next program
 * that makes one removes those whose lock is gone. */
#ifndef BASE_TEMP_DIR_H
#define BASE_TEMP_DIR_H

#include "base/err.h"

/* PARENT/obkv-PREFIX-XXXXXX. *path is fresh and without links in it; *fd is the directory, which holds the lock until it is
 * closed. Remove the directory (fs_remove_tree) before that. ERR_OUTPUT. */
int temp_dir_make(const char *parent, const char *prefix, char **path, int *fd, struct err *err);

#endif
