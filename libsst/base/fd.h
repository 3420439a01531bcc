/* Closing what needs no second look: descriptors that were only read, locks, sockets, and files that a failed run throws away.
 * What was written for others is closed by close(), whose result says whether the bytes have arrived (lint: ignored). */
#ifndef BASE_FD_H
#define BASE_FD_H

#include <errno.h>
#include <unistd.h>

/* Closes fd, -1: none. Keeps errno, which says why the caller closes. */
static inline void fd_close(int fd) {
    int why = errno;
    if (fd >= 0) (void)close(fd); /* nothing was written that anybody waits for */
    errno = why;
}

#endif
