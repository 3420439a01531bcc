#include "base/tempfile.h"

#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* For file systems without O_TMPFILE: a kill between the two calls leaves an empty file. */
static int make_and_unlink(const char *dir, struct err *err) {
    char *path = fs_printf(err, "%s/obkv-temp-XXXXXX", dir);
    if (!path) return -1;
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        err_sys(err, ERR_OUTPUT, errno, "cannot make a temporary file in %s", dir);
    else
        unlink(path);
    free(path);
    return fd;
}

int tempfile_nameless(const char *dir, struct err *err) {
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    return fd < 0 ? make_and_unlink(dir, err) : fd;
}

int tempfile_open(struct tempfile *t, const char *dir, struct disk_quota *quota, struct err *err) {
    *t = (struct tempfile){.fd = -1, .quota = quota};
    if (!dir) return err_set(err, ERR_USAGE, "a temporary file is needed: give --temp-dir");
    t->fd = tempfile_nameless(dir, err);
    return t->fd < 0 ? -1 : 0;
}

int tempfile_append(struct tempfile *t, const void *p, size_t n, struct err *err) {
    if (disk_quota_take(t->quota, n, err)) return -1;
    t->bytes += n;
    return fs_write_full(t->fd, p, n, "temporary file", err);
}

void tempfile_close(struct tempfile *t) {
    close(t->fd);
    disk_quota_give(t->quota, t->bytes);
    *t = (struct tempfile){.fd = -1};
}
