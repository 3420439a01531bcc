/* Puts an output in place: the lock of its directory, and the journal that makes many renames one step.
 * Exports: name_list */
#ifndef DATASET_PUBLICATION_H
#define DATASET_PUBLICATION_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Borrowed names of files or directories. */
struct name_list {
    char *const *names;
    size_t n;
};

/* Returns whether a path below an output is that of a file that a run may have put there. */
bool publication_is_ours(const char *path);
bool name_list_has(const struct name_list *list, const char *name);

/* Names that one publication renames. All are directly in OUT; none begins with '.' or holds a '/'. */
struct publication {
    struct name_list names; /* new: from OUT/.obkv/tmp, beside MANIFEST.json */
    struct name_list old;   /* those of the output that is replaced */
    bool replaces;          /* there is a finished output: it stays complete until the journal is written */
    bool keep_report;       /* OUT/_report is that of this run */
};

/* 1 and *fd: OUT/.obkv is made and locked; -1: ERR_BUSY while another run works there. */
int publication_lock(const char *out, int *fd, struct err *err);

/* Writes the journal and does what it says. After -1 the journal may remain: publication_resume completes or undoes it. */
int publication_commit(const char *out, const struct publication *p, struct err *err);
/* Completes, under the lock, a replacement, undoes an unfinished first publication, and clears the work area. */
int publication_resume(const char *out, struct err *err);
/* Completes, before reading, a replacement that was interrupted. Waits while a run is at it. Nothing to do costs one call. */
int publication_recover(const char *out, struct err *err);
/* Clears what a kill after the last rename left of a finished output, unless a run works there. */
int publication_tidy(const char *out, struct err *err);

#endif
