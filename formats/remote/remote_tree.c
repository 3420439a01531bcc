/* The directory of remote files: each is a file of the right length and time, without content, which only its owner may read.
 * Code that would read it past base/remote.h gets zeros. */
#include "formats/remote/remote_tree.h"

#include "base/fd.h"
#include "base/fs.h"
#include "base/temp_dir.h"
#include "base/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

int remote_tree_open(struct remote_tree *t, const char *temp_dir, const struct list_room *room, struct err *err) {
    *t = (struct remote_tree){.dir_fd = -1, .room = *room};
    return temp_dir_make(temp_dir, REMOTE_PREFIX, &t->dir, &t->dir_fd, err);
}

/* "s3:/bucket/a/b": names that can be in a directory. */
static int check_name(const char *name, struct err *err) {
    for (const char *at = name;;) {
        size_t n = strcspn(at, "/");
        bool dots = (n == 1 && at[0] == '.') || (n == 2 && at[0] == '.' && at[1] == '.');
        if (!n || dots || n > 255)
            return err_set(err, ERR_INPUT,
                           "%s: has a name that cannot be shown as a path (empty, ., .., or longer than 255 bytes)", name);
        if (!at[n]) break;
        at += n + 1;
    }
    if (strlen(name) + 256 < REMOTE_PATH_MAX) return 0;
    return err_set(err, ERR_INPUT, "%.200s…: the path is too long", name);
}

/* Servers that give whole seconds give a tag, too: its hash is the nanoseconds, so that another tag is another time, in manifests
 * and in the listing of shards too. */
static struct timespec time_of(const struct remote_facts *f) {
    int64_t ms = f->mtime_ms > 0 ? f->mtime_ms : 0;
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    if (*f->tag) t.tv_nsec = (long)(XXH3_64bits(f->tag, strlen(f->tag)) % 1000000000);
    return t;
}

int remote_tree_show(const char *path, const struct remote_facts *facts, struct err *err) {
    const struct timespec at = time_of(facts), times[2] = {at, at};
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 && errno == ENOENT) {
        char *above = directory_above(path, err);
        int rc = above ? fs_mkdirs(above, err) : -1;
        free(above);
        if (rc) return -1;
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    }
    if (fd < 0 && errno == EEXIST) return 0; /* it was asked for twice */
    if (fd < 0) return err_sys(err, ERR_OUTPUT, errno, "%s: a remote file cannot be shown there", path);
    int rc = ftruncate(fd, (off_t)facts->bytes) || fchmod(fd, REMOTE_MODE) || futimens(fd, times)
                 ? err_sys(err, ERR_OUTPUT, errno, "%s: a remote file cannot be shown there", path)
                 : 0;
    if (close(fd) && !rc) rc = err_sys(err, ERR_OUTPUT, errno, "%s: a remote file cannot be shown there", path);
    return rc;
}

static int show(const struct remote_tree *t, const struct remote_file *f, struct err *err) {
    char path[PATH_MAX];
    return fs_path(path, err, "%s/%s", t->dir, f->name) ? -1 : remote_tree_show(path, &f->facts, err);
}

int remote_tree_add_directory(struct remote_tree *t, const struct remote_source *s, const char *path, struct err *err) {
    char *dir = fs_printf(err, "%s/%s%s%s", t->dir, s->place, *path ? "/" : "", path);
    int rc = dir ? fs_mkdirs(dir, err) : -1;
    free(dir);
    return rc;
}

static void free_file(struct remote_file *f) {
    free(f->name);
    free(f);
}

int remote_tree_add(struct remote_tree *t, const struct remote_source *s, const char *path, const struct remote_facts *facts,
                    struct err *err) {
    size_t n = strlen(path);
    if (t->n_files >= REMOTE_LISTED_MAX)
        return err_set(err, ERR_LIMIT, "%s: more than %d files are listed; give a smaller part of it", s->shown,
                       REMOTE_LISTED_MAX);
    const uint64_t takes = sizeof(struct remote_file) + sizeof *t->files + strlen(s->place) + n + 2 * LIST_ROOM_EACH;
    if (list_room_take(&t->room, takes, "the list of remote files takes", err)) return -1;
    struct remote_file *f = calloc(1, sizeof *f);
    if (!f) return err_nomem(err, sizeof *f, "a listing");
    f->source = s;
    f->facts = *facts;
    f->name = fs_printf(err, "%s/%.*s", s->place, (int)(n && path[n - 1] == '/' ? n - 1 : n), path);
    int rc = f->name ? check_name(f->name, err) : -1;
    if (!rc && n && path[n - 1] == '/') { /* consoles mark directories so */
        rc = remote_tree_add_directory(t, s, f->name + strlen(s->place) + 1, err);
        free_file(f);
        return rc;
    }
    if (!rc) f->path = f->name + strlen(s->place) + 1;
    if (!rc) rc = show(t, f, err) || grow_array(&t->files, t->n_files, sizeof *t->files, "a listing", err) ? -1 : 0;
    if (rc)
        free_file(f);
    else
        t->files[t->n_files++] = f;
    return rc;
}

int remote_tree_order(const void *a, const void *b) {
    const struct remote_file *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

void remote_tree_sort(struct remote_tree *t) {
    if (t->n_files) qsort(t->files, t->n_files, sizeof *t->files, remote_tree_order);
    t->n_sorted = t->n_files;
}

const struct remote_file *remote_tree_find(const struct remote_tree *t, const char *name) {
    size_t low = 0, high = t->n_sorted;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int c = strcmp(t->files[middle]->name, name);
        if (!c) return t->files[middle];
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void remote_tree_close(struct remote_tree *t) {
    struct err ignored = {0};
    for (size_t i = 0; i < t->n_files; i++) free_file(t->files[i]);
    free(t->files);
    if (t->dir) (void)fs_remove_tree(t->dir, &ignored);
    fd_close(t->dir_fd);
    free(t->dir);
    *t = (struct remote_tree){.dir_fd = -1};
}
