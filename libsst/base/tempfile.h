/* A temporary file without a name: it is gone when its descriptor is closed, however the program ends. */
#ifndef BASE_TEMPFILE_H
#define BASE_TEMPFILE_H

#include "base/outfile.h"

struct tempfile {
    int fd;
    uint64_t bytes;
    struct disk_quota *quota;
};

/* The descriptor of a new file in dir that never has a name, not even for the moment in which a kill could strike (where the
 * file system has O_TMPFILE); -1: ERR_OUTPUT. */
int tempfile_nameless(const char *dir, struct err *err);
/* Opens a nameless file in dir; dir NULL: ERR_USAGE asks for --temp-dir. quota may be NULL. */
int tempfile_open(struct tempfile *t, const char *dir, struct disk_quota *quota, struct err *err);
int tempfile_append(struct tempfile *t, const void *p, size_t n, struct err *err);
/* Gives the space back. Not to be called for a tempfile that could not be opened. */
void tempfile_close(struct tempfile *t);

#endif
