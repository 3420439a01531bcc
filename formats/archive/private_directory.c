/* A fresh directory for files whose names others chose. Every step of a path is opened by itself, below the step before, and
 * never through a link, so that nothing is made outside of it. */

#include "base/fd.h"
#include "base/fs.h"
#include "base/temp_dir.h"
#include "formats/archive/archive_kind.h"
#include "formats/archive/private_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

int private_directory_make(struct private_directory *f, const char *dir, struct err *err) {
    *f = (struct private_directory){.fd = -1, .parent_fd = -1};
    if (!dir) return err_set(err, ERR_USAGE, "a directory for temporary files is needed; give --temp-dir");
    return temp_dir_make(dir, "unpacked", &f->path, &f->fd, err);
}

static int path_error(const struct private_directory *f, const char *path, struct err *err) {
    return err_sys(err, errno == ENOTDIR || errno == EISDIR || errno == EEXIST ? ERR_INPUT : ERR_OUTPUT, errno, "%s/%s", f->path,
                   path);
}

/* The directory that holds the last step of path, which *name is then. Kept open until another one is asked for. */
static int open_parent(struct private_directory *f, const char *path, const char **name, bool make, struct err *err) {
    const char *slash = strrchr(path, '/');
    struct bytes parent = bytes_of(path, slash ? (size_t)(slash - path) : 0), step;
    *name = slash ? slash + 1 : path;
    if (f->parent_fd >= 0 && bytes_eq(parent, buf_bytes(&f->parent))) return f->parent_fd;
    int fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
    const char *rest = path;
    while (fd >= 0 && rest < path + parent.n && member_name_step(&rest, &step)) {
        char text[MEMBER_STEP_BYTES + 1];
        memcpy(text, step.p, step.n);
        text[step.n] = 0;
        int below = !make || mkdirat(fd, text, 0777) == 0 || errno == EEXIST ? openat(fd, text, DIRECTORY_FLAGS) : -1;
        fd_close(fd);
        fd = below;
    }
    if (fd < 0) return make || errno != ENOENT ? path_error(f, path, err) : -1;
    fd_close(f->parent_fd);
    f->parent_fd = fd;
    return buf_copy(&f->parent, parent, err) ? -1 : fd;
}

int private_directory_add(struct private_directory *f, const char *path, struct err *err) {
    const char *name;
    if (!*path) return 0;
    int fd = open_parent(f, path, &name, true, err);
    if (fd < 0) return -1;
    struct stat st;
    if (mkdirat(fd, name, 0777) == 0) return 0;
    bool is_directory = errno == EEXIST && fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
    if (!is_directory) errno = EEXIST;
    return is_directory ? 0 : path_error(f, path, err);
}

int private_directory_file(struct private_directory *f, const char *path, struct err *err) {
    const char *name;
    int fd = open_parent(f, path, &name, true, err);
    if (fd < 0) return -1;
    if (unlinkat(fd, name, 0) && errno != ENOENT) return path_error(f, path, err);
    int made = openat(fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return made < 0 ? path_error(f, path, err) : made;
}

int private_directory_open(struct private_directory *f, const char *path, struct err *err) {
    const char *name;
    int fd = open_parent(f, path, &name, false, err);
    if (fd < 0) return -1;
    int found = openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    return found >= 0 || errno == ENOENT ? found : path_error(f, path, err);
}

int private_directory_link(struct private_directory *f, const char *from, const char *to, struct err *err) {
    const char *name;
    struct stat st;
    int old = private_directory_open(f, from, err);
    if (old < 0) return err->code ? -1 : 0;
    bool seen = !fstat(old, &st), is_file = seen && S_ISREG(st.st_mode);
    fd_close(old);
    if (!seen) return path_error(f, from, err);
    if (!is_file || !strcmp(from, to)) return is_file;
    int fd = open_parent(f, from, &name, false, err);
    int holder = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (holder < 0) return path_error(f, from, err);
    const char *old_name = name;
    fd = open_parent(f, to, &name, true, err);
    int rc = fd < 0 || (unlinkat(fd, name, 0) && errno != ENOENT) || linkat(holder, old_name, fd, name, 0)
                 ? path_error(f, to, err)
                 : 1;
    fd_close(holder);
    return rc;
}

void private_directory_remove(struct private_directory *f) {
    struct err ignored = {0};
    fd_close(f->parent_fd);
    if (f->path && fs_remove_tree(f->path, &ignored)) (void)fs_remove_tree(f->path, &ignored); /* what failed once may pass */
    fd_close(f->fd);                                                                           /* its lock */
    free(f->path);
    buf_free(&f->parent);
    *f = (struct private_directory){.fd = -1, .parent_fd = -1};
}
