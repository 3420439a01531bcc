/* HBase directories inside an archive. Only small files are unpacked while inputs are listed; the store files that a run needs
 * follow right before they are read. Relies on formats/archive/archive_tree.h. */
#include "cmd/common/input_tree.h"
#include "cmd/common/inputs.h"
#include "cmd/common/options.h"

#include "base/buf.h"
#include "base/fs.h"
#include "engine/memory_plan.h"
#include "formats/archive/archive_tree.h"
#include "formats/archive/archive_tree_open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Paths that are wanted, each once, in order, and what became of them. */
struct wanted_paths {
    const char **paths;
    char **unpacked;
    char **owned; /* paths of mob files, kept nowhere else */
    size_t n, n_owned;
};

static int add_wanted(struct wanted_paths *w, const char *path, struct err *err) {
    if (grow_array(&w->paths, w->n, sizeof(char *), "the list of store files", err)) return -1;
    w->paths[w->n++] = path;
    return 0;
}

static int want_owned(struct wanted_paths *w, char *path, struct err *err) {
    if (!path) return -1;
    if (grow_array(&w->owned, w->n_owned, sizeof(char *), "the list of mob files", err)) {
        free(path);
        return -1;
    }
    w->owned[w->n_owned++] = path;
    return add_wanted(w, path, err);
}

struct wanted_directory {
    struct wanted_paths *w;
    const char *dir;
};

/* Links are empty: there is nothing to unpack. */
static int want_entry(void *arg, const char *name, bool is_directory, struct err *err) {
    const struct wanted_directory *f = arg;
    struct stat st;
    if (name[0] == '.' || is_directory) return 0;
    char *path = fs_join(f->dir, name, err);
    if (!path) return -1;
    if (stat(path, &st)) err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
    if (!err->code && S_ISREG(st.st_mode) && st.st_size) return want_owned(f->w, path, err);
    free(path);
    return err->code ? -1 : 0;
}

static int want_directory(struct wanted_paths *w, const char *dir, struct err *err) {
    struct wanted_directory f = {w, dir};
    return directory_each(dir, want_entry, &f, err) < 0 ? -1 : 0;
}

static int by_path(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int want_all(struct wanted_paths *w, const struct store_files *s, struct err *err) {
    for (size_t i = 0; i < s->n_files; i++)
        if (add_wanted(w, s->files[i].path, err)) return -1;
    for (size_t i = 0; i < s->n_mob; i++)
        if (want_directory(w, s->mob[i].path, err)) return -1;
    if (w->n) qsort(w->paths, w->n, sizeof *w->paths, by_path);
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++)
        if (!n || strcmp(w->paths[i], w->paths[n - 1])) w->paths[n++] = w->paths[i];
    w->n = n;
    return 0;
}

static const char *unpacked_of(const struct wanted_paths *w, const char *path) {
    const char **at = bsearch(&path, w->paths, w->n, sizeof *w->paths, by_path);
    return at ? w->unpacked[at - w->paths] : NULL;
}

static int replace_path(char **at, const char *path, size_t n, struct err *err) {
    char *copy = fs_printf(err, "%.*s", (int)n, path);
    if (!copy) return -1;
    free(*at);
    *at = copy;
    return 0;
}

/* Changes a MOB directory to where its files are now. */
static int move_mob(const struct wanted_paths *w, struct mob_directory *m, struct err *err) {
    size_t n = strlen(m->path);
    for (size_t i = 0; i < w->n; i++) {
        if (strncmp(w->paths[i], m->path, n) || w->paths[i][n] != '/' || strchr(w->paths[i] + n + 1, '/')) continue;
        return replace_path(&m->path, w->unpacked[i], (size_t)(strrchr(w->unpacked[i], '/') - w->unpacked[i]), err);
    }
    return 0;
}

/* Changes the path of a file. Its name may be at the end of its path, which ends as before. */
static void move_file(struct store_file *f, char *path) {
    if (!f->owns_name) f->name = path + strlen(path) - strlen(f->name);
    free(f->path);
    f->path = path;
}

static int move_all(const struct wanted_paths *w, struct store_files *s, struct err *err) {
    free(s->root);
    s->root = NULL;
    for (size_t i = 0; i < s->n_mob; i++)
        if (move_mob(w, &s->mob[i], err)) return -1;
    char **fresh = calloc(s->n_files + 1, sizeof *fresh);
    int rc = fresh ? 0 : err_nomem(err, s->n_files * sizeof *fresh, "the list of store files");
    for (size_t i = 0; !rc && i < s->n_files; i++) { /* all are looked up before the first old path goes */
        const char *path = unpacked_of(w, s->files[i].path);
        if (path && !(fresh[i] = fs_printf(err, "%s", path))) rc = -1;
    }
    for (size_t i = 0; fresh && i < s->n_files; i++) {
        if (rc || !fresh[i]) {
            free(fresh[i]);
            continue;
        }
        move_file(&s->files[i], fresh[i]);
    }
    free(fresh);
    return rc;
}

int input_tree_unpack(struct archive_tree *t, struct store_files *s, const char *dir, struct err *err) {
    struct wanted_paths w = {0};
    int rc = want_all(&w, s, err);
    if (!rc && !(w.unpacked = calloc(w.n + 1, sizeof *w.unpacked))) rc = err_nomem(err, w.n * sizeof *w.unpacked, "paths");
    if (!rc) rc = archive_tree_fetch(t, w.paths, w.n, dir, w.unpacked, err);
    if (!rc) rc = move_all(&w, s, err);
    for (size_t i = 0; w.unpacked && i < w.n; i++) free(w.unpacked[i]);
    for (size_t i = 0; i < w.n_owned; i++) free(w.owned[i]);
    free(w.unpacked);
    free(w.owned);
    free(w.paths);
    return rc;
}

int input_tree_stamp(const char *archive, struct store_files *s, struct err *err) {
    struct stat st;
    size_t n = strlen(archive);
    const char *inside = strchr(archive, '!'); /* ARCHIVE!DIRECTORY */
    char *file = fs_printf(err, "%.*s", (int)(inside ? (size_t)(inside - archive) : n), archive);
    if (!file) return -1;
    int rc = stat(stat(archive, &st) == 0 ? archive : file, &st) ? err_sys(err, ERR_INPUT, errno, "%s", file) : 0;
    for (size_t i = 0; !rc && i < s->n_files; i++) {
        s->files[i].mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
        s->files[i].ctime_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
    }
    free(file);
    return rc;
}

/* Small files and sparse ones only, until it is known where to. */
int input_tree_open(const char *path, const struct input_opts *o, struct archive_tree **out, struct err *err) {
    const struct archive_tree_opts a = {.temp_dir = temp_dir_of(o->job->temp_dir),
                                        .quota = o->job->quota,
                                        .limits = o->limits,
                                        .unpack_bytes = memory_share(o->job, MEMORY_UNPACK),
                                        .stop = o->job->stop,
                                        .names = o->job->names};
    *out = NULL;
    return archive_tree_open(path, &a, out, err);
}
