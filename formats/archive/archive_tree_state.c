#include "formats/archive/archive_tree_state.h"

#include "base/fs.h"
#include "base/instream.h"
#include "base/outfile.h"
#include "base/stop.h"

#include <sys/stat.h>

int tree_take_disk(struct archive_tree *t, uint64_t bytes, struct err *err) {
    if (disk_quota_take(t->o.quota, bytes, err)) return err_prefix(err, "%s", t->path);
    t->disk_bytes += bytes;
    return 0;
}

int tree_copy_content(struct archive_tree *t, struct instream *in, int fd, uint64_t most, bool counted, uint64_t *bytes,
                      struct err *err) {
    *bytes = 0;
    for (;;) {
        ssize_t r = stop_check(t->o.stop, err) ? -1 : instream_read(in, t->copy, TREE_COPY_BYTES, err);
        if (r <= 0) return (int)r;
        size_t n = *bytes < most ? (uint64_t)r < most - *bytes ? (size_t)r : (size_t)(most - *bytes) : 0;
        if (n && fd >= 0 && ((counted && tree_take_disk(t, n, err)) || fs_write_full(fd, t->copy, n, t->path, err))) return -1;
        *bytes += (uint64_t)r;
    }
}

void tree_set_time(int fd, int64_t mtime_ns) {
    struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = mtime_ns / 1000000000, .tv_nsec = mtime_ns % 1000000000}};
    if (mtime_ns >= 0) futimens(fd, t);
}

struct archive_walk *tree_begin_walk(const struct archive_tree *t, struct err *err) {
    struct archive_walk_opts o = {.limits = t->o.limits,
                                  .unpack_bytes = t->o.unpack_bytes,
                                  .temp_dir = t->o.temp_dir,
                                  .quota = t->o.quota,
                                  .stop = t->o.stop,
                                  .by_offset = true};
    struct instream *in = instream_open(t->path, t->o.stop, t->o.unpack_bytes, err);
    return in ? archive_walk_open(in, &o, err) : NULL;
}

const char *tree_below(const struct private_folder *f, const char *path) {
    size_t n = f->path ? strlen(f->path) : 0;
    return n && !strncmp(path, f->path, n) && path[n] == '/' ? path + n + 1 : NULL;
}
