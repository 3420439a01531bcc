#include "base/folder.h"

#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(DIR *d, const struct dirent *e) {
    if (e->d_type != DT_UNKNOWN && e->d_type != DT_LNK) return e->d_type == DT_DIR;
    struct stat st;
    return fstatat(dirfd(d), e->d_name, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

int folder_each(const char *path, folder_visit *visit, void *arg, struct err *err) {
    DIR *d = opendir(path);
    if (!d && (errno == ENOENT || errno == ENOTDIR)) return 0;
    if (!d) return err_sys(err, ERR_INPUT, errno, "cannot read directory %s", path);
    int rc = 0;
    for (struct dirent *e; !rc;) {
        errno = 0;
        if (!(e = readdir(d))) {
            if (errno) rc = err_sys(err, ERR_INPUT, errno, "cannot read directory %s", path);
            break;
        }
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) rc = visit(arg, e->d_name, is_folder(d, e), err);
    }
    closedir(d);
    return rc < 0 ? -1 : 1;
}

const char *folder_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *folder_above(const char *path, struct err *err) {
    const char *slash = strrchr(path, '/');
    if (!slash) return fs_printf(err, ".");
    return fs_printf(err, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}
