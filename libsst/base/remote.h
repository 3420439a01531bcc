/* Files on a server. A program may show them in a directory of its own, `obkv-remote-XXXXXX`, where each is a file of the
 * right length and time, but without content (mode REMOTE_MODE); their bytes come from a socket in that directory. So all that
 * looks for names, lengths and times works as with local files, and what reads bytes asks here first. Who serves the socket is
 * not known here (formats/remote/). Local files cost a comparison of strings. Exports: remote */
#ifndef BASE_REMOTE_H
#define BASE_REMOTE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define REMOTE_PREFIX "remote" /* of temp_dir_make */
#define REMOTE_SOCKET ".server"
enum { REMOTE_MODE = 01400, REMOTE_PATH_MAX = 4096, REMOTE_PIECE_MAX = 256 << 10 };

/* A request, which its path below the directory follows. A reply is followed by n bytes: content, or the text of an error if
 * there is a code. */
enum remote_wish {
    REMOTE_WISH_READ,
    REMOTE_WISH_CHECK,
    REMOTE_WISH_PUT,
    REMOTE_WISH_REPORT,
    REMOTE_WISH_PUBLISH,
    REMOTE_WISH_TIDY
};
struct remote_request {
    uint32_t wish, path_bytes;
    uint64_t offset, n;
};
struct remote_reply {
    int32_t code, sys;
    uint64_t n;
};

/* The part of a path below such a directory, such as "s3:/bucket/key"; NULL: the path leads elsewhere. Borrowed. */
const char *remote_name(const char *path);
/* A copy of path; of one below such a directory, its URL: where that is shown differs from run to run. NULL: no memory. */
char *remote_original(const char *path, struct err *err);
/* Returns whether the open file is on a server. path: by which it was opened. */
bool remote_is(int fd, const char *path);
/* As pread(2): up to n bytes; 0 = the end; -1 with err. ERR_BUSY: the server could not be reached for long. */
ssize_t remote_read(const char *path, void *p, size_t n, uint64_t offset, struct err *err);
/* Checks that the file on the server is what it was when the directory was made. 0, -1. */
int remote_check(const char *path, struct err *err);

/* ---- outputs ---- */

/* An output directory may lie below such a directory. It is written as any other; these steps bring it to the server. */

/* Takes a finished file, OUT/.obkv/tmp/NAME, which goes to OUT/NAME on the server meanwhile. It can be read as
 * before, and is not changed any more. An error may come later. 0 at once where the path is local. */
int remote_put(const char *path, struct err *err);
/* Puts a file of OUT/_report on the server. */
int remote_put_report(const char *path, struct err *err);
/* Waits until all files are on the server, checks that they are, and puts OUT/.obkv/tmp/MANIFEST.json there, last. */
int remote_publish(const char *out, struct err *err);
/* Removes what a run that was killed after it had published has left on the server. */
int remote_tidy(const char *out, struct err *err);

/* pread of what was opened by this path, whether it is one of these files or not. */
ssize_t remote_read_at(int fd, void *p, size_t n, uint64_t offset, const char *path, struct err *err);
/* As remote_read_at, in order: what follows after the first `at` bytes, also of what has no offsets. */
ssize_t remote_read_next(int fd, void *p, size_t n, uint64_t at, const char *path, struct err *err);

/* Sends, or receives, exactly n bytes. 0, -1 with errno (0: the other side has ended). */
int remote_send(int socket, const void *p, size_t n);
int remote_receive(int socket, void *p, size_t n);

#endif
