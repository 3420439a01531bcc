/* Walking through the names in one folder, and up from it. */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include "base/err.h"

#include <stdbool.h>

/* Called for every name but "." and "..", in no order. Links are followed: is_dir is about what they point to.
 * 0 = go on, 1 = enough, -1 = error. */
typedef int folder_visit(void *arg, const char *name, bool is_dir, struct err *err);

/* 1 = walked (to the end, or as far as visit wanted), 0 = there is no such folder, -1 = error (visit's, or ERR_INPUT). */
int folder_each(const char *path, folder_visit *visit, void *arg, struct err *err);

/* The last name of a path without a slash at its end; borrowed. */
const char *folder_name(const char *path);
/* The folder a path without a slash at its end lies in, fresh: "/" of "/a" and of "/", "." of "a". */
char *folder_above(const char *path, struct err *err);

#endif
