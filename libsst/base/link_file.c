/* A second name for a file: a hard link, else a clone that shares its blocks, else a copy. Which way it was is the caller's to
 * report, and only a copy counts into the quota. */
#include "base/link_file.h"

#include "base/fd.h"
#include "base/fs.h"
#include "base/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"", "link", "reflink", "copy"};

const char *link_way_name(enum link_way way) {
    return names[way];
}

enum link_way link_way_named(const char *name) {
    enum link_way way = LINK_COPIED;
    while (way && (!name || strcmp(name, names[way]) != 0)) way--;
    return way;
}

/* Copies through read and write: what is on the way from another file system may not be mapped or spliced. */
static int copy_bytes(int in, int out, const char *from, const char *to, struct err *err) {
    enum { PIECE = 256 * 1024 };
    uint8_t *p = malloc(PIECE);
    if (!p) return err_nomem(err, PIECE, "a copy");
    ssize_t n;
    int rc = 0;
    for (uint64_t at = 0; !rc && (n = remote_read_next(in, p, PIECE, at, from, err)) != 0; at += (uint64_t)n) {
        rc = n < 0 ? -1 : fs_write_full(out, p, (size_t)n, to, err);
        if (rc) break;
    }
    free(p);
    return rc;
}

static int clone_or_copy(int in, int out, const char *from, const char *to, struct disk_quota *quota, enum link_way *way,
                         struct err *err) {
    struct stat st;
    *way = LINK_CLONED;
    if (!remote_is(in, from) && !ioctl(out, FICLONE, in)) return 0;
    *way = LINK_COPIED;
    if (fstat(in, &st)) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", from);
    if (disk_quota_take(quota, (uint64_t)st.st_size, err)) return -1;
    return copy_bytes(in, out, from, to, err);
}

static int duplicate(const char *from, const char *to, struct disk_quota *quota, enum link_way *way, struct err *err) {
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot open", from);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), rc = -1;
    if (out < 0)
        err_sys(err, ERR_OUTPUT, errno, "cannot create %s", to);
    else
        rc = clone_or_copy(in, out, from, to, quota, way, err);
    if (out >= 0 && close(out) && !rc) rc = err_sys(err, ERR_OUTPUT, errno, "cannot write %s", to);
    if (rc && out >= 0) (void)unlink(to); /* the run has failed; the next one clears the directory */
    fd_close(in);
    return rc;
}

int link_file(const char *from, const char *to, struct disk_quota *quota, enum link_way *way, struct err *err) {
    *way = LINK_HARD;
    if (remote_name(from)) return duplicate(from, to, quota, way, err);
    /* A name that is a symbolic link stands for the file it points to. */
    if (!linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW)) return 0;
    /* Another file system, too many links, not our file, a file system without links: there are other ways. */
    if (errno == ENOENT) return err_sys(err, ERR_INPUT, errno, "%s: cannot link to %s", from, to);
    if (errno == EEXIST || errno == ENOSPC || errno == EDQUOT || errno == EROFS)
        return err_sys(err, ERR_OUTPUT, errno, "cannot make %s", to);
    return duplicate(from, to, quota, way, err);
}
