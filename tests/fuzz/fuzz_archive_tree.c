/* libFuzzer target: any bytes as an archive with a tree of HBase in it. Whatever its members are called, files appear below one
 * directory only, what is fetched is as long as it was said to be, and in the end everything is gone. */
#include "formats/archive/archive_source.h"
#include "formats/archive/archive_tree_open.h"
#include "fuzz.h"

#include "formats/hbase/store_files.h"
#include "large_malloc.h"

#include "base/fs.h"
#include "base/outfile.h"
#include "formats/archive/archive_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FETCHED_MAX = 8, UNPACKED_MAX = 1 << 20, DEPTH_MAX = 50 };

/* Some files below a directory. */
struct found {
    const char *dir;
    char *paths[FETCHED_MAX];
    size_t n;
    unsigned depth;
};

static int visit(void *arg, const char *name, bool is_dir, struct err *err) {
    struct found *f = arg;
    const char *dir = f->dir;
    char *path = fs_join(dir, name, err);
    struct stat st;
    require(path && lstat(path, &st) == 0 && (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)) && ++f->depth < DEPTH_MAX);
    if (is_dir) {
        f->dir = path;
        directory_each(path, visit, f, err);
        f->dir = dir;
    }
    f->depth--;
    if (is_dir || f->n == FETCHED_MAX)
        free(path);
    else
        f->paths[f->n++] = path;
    return 0;
}

static void fetch(struct archive_tree *t, const char *dir) {
    struct err err = {0};
    struct found f = {.dir = archive_tree_dir(t)};
    char *unpacked[FETCHED_MAX];
    struct stat a, b;
    directory_each(f.dir, visit, &f, &err);
    if (archive_tree_fetch(t, (const char *const *)f.paths, f.n, dir, unpacked, &err) == 0) {
        for (size_t i = 0; i < f.n; i++) {
            require(stat(f.paths[i], &a) == 0 && stat(unpacked[i], &b) == 0 && a.st_size == b.st_size);
            require(archive_tree_member(t, unpacked[i]) && archive_tree_member(t, f.paths[i]));
            free(unpacked[i]);
        }
    } else {
        require(err.code != ERR_NONE && err.code != ERR_INTERNAL);
    }
    for (size_t i = 0; i < f.n; i++) free(f.paths[i]);
}

static void try_tree(const char *archive, const char *dir) {
    struct err err = {0};
    struct archive_limits limits = {.members = 200, .bytes = UNPACKED_MAX};
    struct disk_quota quota = {.limit_bytes = UNPACKED_MAX};
    struct archive_tree_opts o = {.temp_dir = dir, .quota = &quota, .limits = &limits, .unpack_bytes = 1 << 20};
    struct archive_tree *t;
    enum tree_kind kind;
    int rc = archive_tree_open(archive, &o, &t, &err);
    require((rc == 1) == (t != NULL) && (rc < 0) == (err.code != ERR_NONE));
    if (t) {
        tree_kind_of(archive_tree_dir(t), &kind, &err);
        fetch(t, dir);
        archive_tree_close(t);
    }
    require(quota.used_bytes == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64], dir[] = "/dev/shm/obkv-fuzz-XXXXXX", elsewhere[] = "/tmp/obkv-fuzz-XXXXXX";
    int fd = memfd_create("fuzz", 0);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    char *own = mkdtemp(dir) ? dir : mkdtemp(elsewhere);
    require(own != NULL);
    try_tree(path, own);
    require(rmdir(own) == 0);
    close(fd);
    return 0;
}
