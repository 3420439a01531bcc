/* Temporary directories that a kill does not leave for good: each is locked as long as its program lives, and the next program
 * that makes one removes those whose lock is gone. Relies on the kernel to drop the lock with the process. */
#include "base/temp_dir.h"

#include "base/fd.h"
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANDOM_BYTES = 6, TRIES = 100, DIR_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* ---- what was left ---- */

struct cleanup {
    const char *parent, *start; /* names to remove begin so, and have RANDOM_BYTES more */
};

/* Nobody holds its lock, it is ours, and no link. */
static bool is_left(int fd) {
    struct stat st;
    return !fstat(fd, &st) && st.st_uid == geteuid() && !flock(fd, LOCK_EX | LOCK_NB);
}

/* Removes a directory that a killed run has left. One that cannot be removed is left for the next run. */
static int remove_leftover(void *arg, const char *name, bool is_dir, struct err *err) {
    const struct cleanup *s = arg;
    struct err ignored = {0};
    size_t n = strlen(s->start);
    if (!is_dir || strncmp(name, s->start, n) || strlen(name) != n + RANDOM_BYTES) return 0;
    char *path = fs_join(s->parent, name, err);
    int fd = path ? open(path, DIR_FLAGS) : -1;
    if (fd >= 0 && is_left(fd)) (void)fs_remove_tree(path, &ignored);
    fd_close(fd);
    free(path);
    return path ? 0 : -1;
}

/* ---- a new one ---- */

/* Locks a directory. 1 = locked, 0 = it was removed meanwhile, -1. */
static int lock_directory(const char *path, int *fd, struct err *err) {
    struct stat st;
    *fd = open(path, DIR_FLAGS);
    if (*fd < 0) return errno == ENOENT ? 0 : err_sys(err, ERR_OUTPUT, errno, "cannot open %s", path);
    int busy = flock(*fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    int rc = busy ? 0 : fstat(*fd, &st) ? err_sys(err, ERR_OUTPUT, errno, "cannot stat %s", path) : st.st_nlink > 0;
    if (rc == 1) return 1;
    fd_close(*fd);
    *fd = -1;
    return rc;
}

static int make_once(const char *parent, const char *start, char **path, int *fd, struct err *err) {
    char *made = fs_printf(err, "%s/%sXXXXXX", parent, start);
    if (!made) return -1;
    int rc = mkdtemp(made) ? 0 : err_sys(err, ERR_OUTPUT, errno, "cannot make a temporary directory in %s", parent);
    if (!rc) rc = lock_directory(made, fd, err);
    *path = rc == 1 ? realpath(made, NULL) : NULL;
    if (rc == 1 && !*path) {
        rc = err_sys(err, ERR_OUTPUT, errno, "cannot open %s", made);
        fd_close(*fd);
        *fd = -1;
    }
    if (rc < 0) (void)rmdir(made); /* if it was made; the next run clears it otherwise */
    free(made);
    return rc;
}

int temp_dir_make(const char *parent, const char *prefix, char **path, int *fd, struct err *err) {
    struct err unseen = {0}; /* a directory that may be written but not read is not cleaned up */
    char *start = fs_printf(err, "obkv-%s-", prefix);
    *path = NULL;
    *fd = -1;
    if (!start) return -1;
    struct cleanup s = {parent, start};
    (void)directory_each(parent, remove_leftover, &s, &unseen);
    int rc = 0;
    for (int i = 0; i < TRIES && !rc; i++) rc = make_once(parent, start, path, fd, err);
    if (!rc) err_set(err, ERR_OUTPUT, "cannot make a temporary directory in %s: another program removes it", parent);
    free(start);
    return rc == 1 ? 0 : -1;
}
