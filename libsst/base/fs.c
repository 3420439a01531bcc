/* The steps that every writer and reader of files needs, each until it is complete (short reads and writes, EINTR, directories
 * that another process removes meanwhile), with errors that name the path. */
#include "base/fs.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/remote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

char *fs_printf(struct err *err, const char *fmt, ...) {
    char *s = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(&s, fmt, ap);
    va_end(ap);
    if (n >= 0) return s;
    err_nomem(err, 0, "a path");
    return NULL;
}

char *fs_join(const char *dir, const char *name, struct err *err) {
    return fs_printf(err, "%s/%s", dir, name);
}

int fs_path(char path[PATH_MAX], struct err *err, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(path, PATH_MAX, fmt, ap);
    va_end(ap);
    return n < PATH_MAX ? 0 : err_sys(err, ERR_USAGE, ENAMETOOLONG, "%.200s…", path);
}

/* Creates each directory on the way to s. 0, or errno with s truncated at the one that failed. */
static int make_way(char *s) {
    for (char *p = s + 1;; p++) {
        if (*p && *p != '/') continue;
        char c = *p;
        *p = 0;
        if (mkdir(s, 0777) && errno != EEXIST) return errno;
        *p = c;
        if (!c) return 0;
    }
}

/* Makes directories. Another process may remove a directory that existed a moment ago: the path is then created again. */
int fs_mkdirs(const char *path, struct err *err) {
    enum { TRIES = 1000 };
    char *s = fs_printf(err, "%s", path);
    if (!s) return -1;
    int why = ENOENT;
    for (int i = 0; why == ENOENT && i < TRIES; i++) {
        memcpy(s, path, strlen(path) + 1);
        why = make_way(s);
    }
    int rc = why ? err_sys(err, ERR_OUTPUT, why, "cannot make directory %s", s) : 0;
    free(s);
    return rc;
}

static int cannot(const char *what, const char *name, const char *tree, struct err *err) {
    bool whole = !strcmp(name, tree);
    return err_sys(err, ERR_OUTPUT, errno, "cannot %s %s%s%s", what, name, whole ? "" : " in ", whole ? "" : tree);
}

static int remove_at(int dir, const char *name, const char *tree, struct err *err);

/* 1 when something was there: then there may be more, for a directory that changes is not listed reliably. */
static int remove_children(int fd, const char *tree, struct err *err) {
    char list[2048] __attribute__((aligned(8)));
    int found = 0;
    for (ssize_t n; (n = getdents64(fd, list, sizeof list)) != 0;) {
        if (n < 0) return cannot("read directory", tree, tree, err);
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *e = (const struct dirent64 *)(list + at);
            at += e->d_reclen;
            if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
            if (remove_at(fd, e->d_name, tree, err)) return -1;
            found = 1;
        }
    }
    return found;
}

static int remove_at(int dir, const char *name, const char *tree, struct err *err) {
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW)) return errno == ENOENT ? 0 : cannot("stat", name, tree, err);
    if (!S_ISDIR(st.st_mode)) return !unlinkat(dir, name, 0) || errno == ENOENT ? 0 : cannot("remove", name, tree, err);
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), more = 1;
    if (fd < 0) return cannot("read directory", name, tree, err);
    while (more > 0 && (more = remove_children(fd, tree, err)) > 0 && lseek(fd, 0, SEEK_SET) == 0) {
    }
    fd_close(fd);
    if (more < 0) return -1;
    return !unlinkat(dir, name, AT_REMOVEDIR) || errno == ENOENT ? 0 : cannot("remove directory", name, tree, err);
}

/* Takes no memory, so that a run that has none left still clears what it began. */
int fs_remove_tree(const char *path, struct err *err) {
    return remove_at(AT_FDCWD, path, path, err);
}

int fs_rename(const char *from, const char *to, struct err *err) {
    if (rename(from, to)) return err_sys(err, ERR_OUTPUT, errno, "cannot rename %s to %s", from, to);
    return 0;
}

int fs_fsync_path(const char *path, struct err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return err_sys(err, ERR_OUTPUT, errno, "cannot open %s to sync it", path);
    int rc = fsync(fd) ? err_sys(err, ERR_OUTPUT, errno, "cannot sync %s", path) : 0;
    fd_close(fd);
    return rc;
}

static bool is_absent(int sys) {
    return sys == ENOENT || sys == ENOTDIR || sys == ENAMETOOLONG || sys == ELOOP;
}

int fs_look(const char *path, struct stat *st, struct err *err) {
    if (stat(path, st) == 0) return 1;
    return is_absent(errno) ? 0 : err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
}

int fs_same(const char *a, const char *b, struct err *err) {
    struct stat x, y;
    int there = fs_look(a, &x, err);
    if (there == 1) there = fs_look(b, &y, err);
    return there == 1 ? x.st_dev == y.st_dev && x.st_ino == y.st_ino : there;
}

int fs_exists(const char *path, struct err *err) {
    struct stat st;
    if (lstat(path, &st) == 0) return 1;
    if (errno == ENOENT || errno == ENOTDIR) return 0;
    return err_sys(err, ERR_OUTPUT, errno, "cannot stat %s", path);
}

int fs_exists_in(const char *dir, const char *name, struct err *err) {
    char path[PATH_MAX];
    return fs_path(path, err, "%s/%s", dir, name) ? -1 : fs_exists(path, err);
}

int fs_remove_in(const char *dir, const char *name, struct err *err) {
    char path[PATH_MAX];
    return fs_path(path, err, "%s/%s", dir, name) ? -1 : fs_remove_tree(path, err);
}

int fs_pread_full(int fd, void *p, size_t n, uint64_t offset, const char *path, struct err *err) {
    size_t got = 0;
    while (got < n) {
        ssize_t r = remote_read_at(fd, (uint8_t *)p + got, n - got, offset + got, path, err);
        if (r < 0) return -1;
        if (r == 0)
            return err_set(err, ERR_INPUT, "%s: ends at byte %llu, %zu bytes were expected at %llu", path,
                           (unsigned long long)(offset + got), n, (unsigned long long)offset);
        got += (size_t)r;
    }
    return 0;
}

int fs_write_full(int fd, const void *p, size_t n, const char *path, struct err *err) {
    size_t done = 0;
    while (done < n) {
        ssize_t r = write(fd, (const uint8_t *)p + done, n - done);
        if (r < 0 && errno == EINTR) continue;
        if (r < 0) return err_sys(err, ERR_OUTPUT, errno, "%s: cannot write", path);
        done += (size_t)r;
    }
    return 0;
}

int fs_pwrite_full(int fd, const void *p, size_t n, uint64_t offset, const char *path, struct err *err) {
    size_t done = 0;
    while (done < n) {
        ssize_t r = pwrite(fd, (const uint8_t *)p + done, n - done, (off_t)(offset + done));
        if (r < 0 && errno == EINTR) continue;
        if (r < 0) return err_sys(err, ERR_OUTPUT, errno, "%s: cannot write at %llu", path, (unsigned long long)offset);
        done += (size_t)r;
    }
    return 0;
}

int fs_write_file(const char *path, struct bytes content, struct err *err) {
    if (unlink(path) && errno != ENOENT) return err_sys(err, ERR_OUTPUT, errno, "cannot remove %s", path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return err_sys(err, ERR_OUTPUT, errno, "cannot create %s", path);
    int rc = fs_write_full(fd, content.p, content.n, path, err);
    if (rc && err->sys == ENOSPC) err_append(err, "; the file has %zu bytes", content.n);
    if (!rc && fsync(fd)) rc = err_sys(err, ERR_OUTPUT, errno, "cannot sync %s", path);
    if (close(fd) && !rc) rc = err_sys(err, ERR_OUTPUT, errno, "cannot close %s", path);
    if (rc) (void)unlink(path); /* the caller hears of the first error */
    return rc;
}

int fs_replace_file(const char *path, struct bytes content, struct err *err) {
    char *temp = fs_printf(err, "%s.%ld.tmp", path, (long)getpid());
    int rc = temp ? fs_write_file(temp, content, err) : -1;
    if (!rc && fs_rename(temp, path, err)) {
        (void)unlink(temp); /* the caller hears of the first error */
        rc = -1;
    }
    free(temp);
    return rc;
}

int fs_check_replace(const char *path, struct err *err) {
    struct stat st;
    const char *slash = strrchr(path, '/');
    char *directory = fs_printf(err, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    if (!directory) return -1;
    int rc = access(directory, W_OK | X_OK) ? err_sys(err, ERR_OUTPUT, errno, "cannot create %s", path) : 0;
    if (!rc && ((slash && !slash[1]) || !*path))
        rc = err_set(err, ERR_OUTPUT,
                     "cannot create '%s': not the name of a "
                     "file",
                     path);
    if (!rc && !stat(path, &st) && !S_ISREG(st.st_mode)) rc = err_set(err, ERR_OUTPUT, "%s: exists and is not a file", path);
    free(directory);
    return rc;
}

static char *read_fd(int fd, const char *path, size_t limit, size_t *n, struct err *err) {
    struct stat st;
    if (fstat(fd, &st)) {
        err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
        return NULL;
    }
    if (S_ISDIR(st.st_mode)) {
        err_set(err, ERR_INPUT, "%s: is a directory", path);
        return NULL;
    }
    size_t cap = st.st_size > 0 ? (size_t)st.st_size + 1 : 4096, have = 0;
    char *s = NULL;
    for (;;) {
        if (cap > limit + 1) cap = limit + 1;
        if (grow_to(&s, cap + 1, 1, path, err)) {
            free(s);
            return NULL;
        }
        ssize_t r = remote_read_next(fd, s + have, cap - have, have, path, err);
        if (r < 0) {
            free(s);
            return NULL;
        }
        if (r == 0) break;
        have += (size_t)r;
        if (have > limit) {
            free(s);
            err_set(err, ERR_INPUT, "%s: longer than %zu bytes", path, limit);
            return NULL;
        }
        if (have == cap) cap *= 2;
    }
    s[have] = 0;
    *n = have;
    return s;
}

char *fs_read_text(const char *path, size_t limit, size_t *n, struct err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        err_sys(err, ERR_INPUT, errno, "%s: cannot open", path);
        return NULL;
    }
    char *s = read_fd(fd, path, limit, n, err);
    fd_close(fd);
    return s;
}

int fs_read_pieces(const char *path, int (*take)(void *arg, const void *p, size_t n, struct err *err), void *arg,
                   struct err *err) {
    return fs_read_part(path, 0, UINT64_MAX, take, arg, err);
}

int fs_read_part(const char *path, uint64_t from, uint64_t bytes,
                 int (*take)(void *arg, const void *p, size_t n, struct err *err), void *arg, struct err *err) {
    enum { PIECE_BYTES = 256 << 10 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot open", path);
    void *piece = malloc(PIECE_BYTES);
    int rc = piece ? 0 : err_nomem(err, PIECE_BYTES, path);
    uint64_t at = from, left = bytes;
    if (!rc && from && lseek(fd, (off_t)from, SEEK_SET) < 0) rc = err_sys(err, ERR_INPUT, errno, "%s: cannot seek", path);
    for (ssize_t n = 1; !rc && n && left; at += (uint64_t)n, left -= (uint64_t)n) {
        n = remote_read_next(fd, piece, left < PIECE_BYTES ? (size_t)left : PIECE_BYTES, at, path, err);
        rc = n < 0 ? -1 : n ? take(arg, piece, (size_t)n, err) : 0;
        if (n < 0) n = 0;
    }
    if (!rc && left && bytes != UINT64_MAX) rc = err_set(err, ERR_INPUT, "%s: ends at byte %llu", path, (unsigned long long)at);
    free(piece);
    fd_close(fd);
    return rc;
}

/* ---- directories ---- */

/* Returns whether the entry is a directory: 1, 0 also of a link that leads nowhere, -1. */
static int is_directory(DIR *d, const struct dirent *e, const char *path, struct err *err) {
    if (e->d_type != DT_UNKNOWN && e->d_type != DT_LNK) return e->d_type == DT_DIR;
    struct stat st;
    if (fstatat(dirfd(d), e->d_name, &st, 0) == 0) return S_ISDIR(st.st_mode);
    return is_absent(errno) ? 0 : err_sys(err, ERR_INPUT, errno, "%s/%s: cannot stat", path, e->d_name);
}

struct dirent *directory_next(DIR *d) {
    struct dirent *e;
    do {
        errno = 0;
        e = readdir(d);
    } while (e && (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")));
    return e;
}

int directory_each(const char *path, directory_visit *visit, void *arg, struct err *err) {
    DIR *d = opendir(path);
    if (!d && (errno == ENOENT || errno == ENOTDIR)) return 0;
    if (!d) return err_sys(err, ERR_INPUT, errno, "cannot read directory %s", path);
    int rc = 0;
    for (struct dirent *e; !rc && (e = directory_next(d));) {
        const int is = is_directory(d, e, path, err);
        rc = is < 0 ? -1 : visit(arg, e->d_name, is, err);
    }
    if (!rc && errno) rc = err_sys(err, ERR_INPUT, errno, "cannot read directory %s", path);
    (void)closedir(d); /* it was only read */
    return rc < 0 ? -1 : 1;
}

const char *directory_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *directory_above(const char *path, struct err *err) {
    const char *slash = strrchr(path, '/');
    if (!slash) return fs_printf(err, ".");
    return fs_printf(err, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}
