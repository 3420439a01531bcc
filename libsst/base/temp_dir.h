/* A directory of its own for what a run unpacks or spills, removed after a kill by the next run. */
#ifndef BASE_TEMP_DIR_H
#define BASE_TEMP_DIR_H

#include "base/err.h"

/* PARENT/obkv-PREFIX-XXXXXX. *path is fresh and without links in it; *fd is the directory, which holds the lock until it is
 * closed. Remove the directory (fs_remove_tree) before that. ERR_OUTPUT. */
int temp_dir_make(const char *parent, const char *prefix, char **path, int *fd, struct err *err);

#endif
