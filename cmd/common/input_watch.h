/* Watches for files that change while they are read. */
#ifndef CMD_COMMON_INPUT_WATCH_H
#define CMD_COMMON_INPUT_WATCH_H

#include "base/err.h"
#include "cmd/common/inputs.h"

/* Watches a file, before anything of it is read. What is no regular file is not watched. */
int input_watch_add(struct input_watch *w, const char *path, enum watch_kind kind, struct err *err);
/* As input_watch_add, of a path that is given away; NULL: its error is in err. */
int input_watch_take(struct input_watch *w, char *path, enum watch_kind kind, struct err *err);
/* Checks the files of `more` with those of w from now on; `more` is in no other chain. */
void input_watch_also(struct input_watch *w, struct input_watch *more);
/* Checks all files. ERR_INPUT names the first file that is not as it was. */
int input_watch_check(const struct input_watch *w, struct err *err);
/* As input_watch_check, after reading, which returned rc: returns rc, or -1. A change is the better explanation of unreadable
 * input. */
int input_watch_end(const struct input_watch *w, int rc, struct err *err);
void input_watch_free(struct input_watch *w);
/* Checks, once every input was read whole, that files of datasets held what their manifests say. */
int input_list_check_cells(const struct input_list *l, struct err *err);

#endif
