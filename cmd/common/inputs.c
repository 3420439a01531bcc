/* Finds out what a path is: a file, a directory of files, a dataset, an HBase directory, or an archive of one. That shows by its
 * content, never by its name alone. Inputs go into the list (input_list.c). One that is given twice is warned of. */
#include "base/warning.h"
#include "cmd/common/input_list.h"
#include "cmd/common/input_tree.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/inputs.h"
#include "cmd/common/sources_below.h"

#include "base/buf.h"
#include "base/fs.h"
#include "dataset/dataset_open.h"
#include "engine/memory_plan.h"
#include "formats/archive/archive_kind.h"
#include "formats/archive/archive_source.h"
#include "formats/archive/archive_tree_open.h"
#include "formats/hbase/store_files.h"
#include "formats/hbase/tree_catalog.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int list_choices(const struct tree_catalog *c, struct buf *out, struct err *err) {
    enum { SHOWN = 20 };
    for (size_t i = 0; i < c->n && i < SHOWN; i++) {
        const struct tree_catalog_entry *e = &c->entries[i];
        const char *what = e->snapshot ? "snapshot" : "table";
        if (buf_printf(out, err, "%s%s %s", i ? ", " : "", what, e->snapshot ? e->snapshot : e->table)) return -1;
    }
    if (c->n > SHOWN && buf_printf(out, err, " … and %zu more", c->n - SHOWN)) return -1;
    return buf_put_byte(out, 0, err);
}

int input_refuse_root(const char *root, struct err *err) {
    return err_set(err, ERR_INPUT,
                   "%s holds no HBase tables or snapshots; check that the hidden .hbase-snapshot, or data, was copied", root);
}

/* A root without --snapshot: what it holds must leave no choice. */
static int read_only_choice(const char *root, struct list_room room, struct store_files *out, struct err *err) {
    struct tree_catalog c;
    struct buf text = {0};
    if (tree_catalog_read(root, &c, err)) return -1;
    int rc = -1;
    if (c.n == 1)
        rc = store_files_read(c.entries[0].dir, room, out, err);
    else if (c.n == 0)
        rc = input_refuse_root(root, err);
    else if (list_choices(&c, &text, err) == 0)
        err_set(err, ERR_USAGE,
                "%s holds several tables or snapshots; give --snapshot NAME, the directory of a table, or --table "
                "NAME (obkv-import); it holds: %s",
                root, (char *)text.p);
    buf_free(&text);
    tree_catalog_free(&c);
    return rc;
}

int input_read_store(const char *path, const struct input_opts *o, struct store_files *out, struct err *err) {
    enum tree_kind kind;
    *out = (struct store_files){0};
    if (tree_kind_of(path, &kind, err)) return -1;
    if (kind == TREE_NONE)
        return err_set(err, ERR_UNSUPPORTED, "%s: not a snapshot, table, region or root directory of HBase", path);
    if (kind != TREE_ROOT && o->snapshot)
        return err_set(err, ERR_USAGE, "--snapshot %s: %s is neither a root directory of HBase nor an ExportSnapshot destination",
                       o->snapshot, path);
    struct list_room room = memory_room(o->job, MEMORY_INPUT_LISTS);
    room.taken = o->job->resident_bytes;
    if (kind != TREE_ROOT) return store_files_read(path, room, out, err);
    int rc = o->snapshot ? store_files_of_snapshot(path, o->snapshot, room, out, err) : read_only_choice(path, room, out, err);
    return rc ? rc : root_strays_warn(path, &out->warnings, err);
}

/* ---- directories of files ---- */

static int visible(const struct dirent *d) {
    return d->d_name[0] != '.' || archive_name_leftover(NULL, d->d_name);
}

/* Files of a directory that are not read. */
struct unwanted {
    const struct archive_limits *names;
    struct passed_over by_files;  /* which only accompany data */
    struct passed_over leftovers; /* of editors and transfers */
    struct passed_over hidden;    /* by a "_", though they may be data */
    struct passed_over twins;     /* read, as is the file of the same name that is not packed */
    struct passed_over special;   /* pipes, sockets and devices: who opens one may wait for ever */
};

/* A directory and those that lead to it. */
struct directory_path {
    const char *dir;
    size_t top_bytes;   /* of dir: the input itself */
    const char *output; /* as in input_opts */
    struct unwanted *passed;
    dev_t dev;
    ino_t ino;
    const struct directory_path *parent;
    unsigned depth;
};

/* A link may lead back: its files would be read again and again. What is too deep must not be skipped silently. */
static int check_directory(const struct directory_path *f, struct err *err) {
    enum { DEPTH_MAX = 8 };
    for (const struct directory_path *p = f->parent; p; p = p->parent)
        if (p->dev == f->dev && p->ino == f->ino)
            return err_set(err, ERR_INPUT, "%s links back to %s; remove the link, or give the directories one by one", f->dir,
                           p->dir);
    if (f->depth < DEPTH_MAX) return 0;
    return err_set(err, ERR_LIMIT, "%s: directories are read only %d levels deep; give this one as a separate input", f->dir,
                   DEPTH_MAX);
}

/* Adds every file below f->dir, in order of names, as an input of its own; names that begin with "." or "_" are not data: Hadoop
 * does not read them, either. */
static int add_files_below(struct input_list *l, const struct directory_path *f, const char *format, struct err *err);

/* Returns whether the directory is the output of this run. What an earlier run has left there is none of the inputs, or no run
 * would find what it has made to be finished. */
static int is_output(const struct directory_path *f, struct err *err) {
    return f->output ? fs_same(f->output, f->dir, err) : 0;
}

/* Refuses the directory that was given as one of files, because f->dir in it is no such directory. */
static int refuse_top(const struct directory_path *f, struct err *err) {
    char *top = fs_printf(err, "%.*s", (int)f->top_bytes, f->dir);
    int rc = top ? sources_below_refuse(top, ERR_USAGE, err) : -1;
    free(top);
    return rc ? rc : err_set(err, ERR_USAGE, "%s: give it as an input of its own", f->dir);
}

static int add_subdirectory(struct input_list *l, const struct directory_path *f, const char *format, struct err *err) {
    enum tree_kind kind;
    const int output = is_output(f, err);
    if (output) return output < 0 ? -1 : 0;
    if (check_directory(f, err) || tree_kind_of(f->dir, &kind, err)) return -1;
    return kind == TREE_NONE ? add_files_below(l, f, format, err) : refuse_top(f, err);
}

/* Returns whether a packed file lies beside one that it may have been made of: "gzip -k" leaves both. */
static bool has_twin(const struct directory_path *in, const char *path) {
    static const char *const endings[] = {".gz", ".bz2", ".xz", ".zst", ".lz4"};
    struct stat st;
    char other[PATH_MAX];
    const size_t n = strlen(path);
    for (size_t i = 0; i < countof(endings); i++) {
        const size_t end = strlen(endings[i]);
        if (n < end || n >= sizeof other || strcmp(path + n - end, endings[i]) != 0) continue;
        snprintf(other, sizeof other, "%.*s", (int)(n - end), path);
        return !stat(other, &st) && S_ISREG(st.st_mode) && archive_name_wanted(in->passed->names, other + in->top_bytes + 1);
    }
    return false;
}

static int add_data(struct input_list *l, const struct directory_path *in, const char *path, const char *format,
                    struct err *err) {
    if (has_twin(in, path) && passed_over_add(&in->passed->twins, path, err)) return -1;
    return input_list_add_file(l, path, format, err);
}

static int add_entry(struct input_list *l, const struct directory_path *in, const char *path, const char *format,
                     struct err *err) {
    struct stat st;
    const char *name = path + in->top_bytes + strspn(path + in->top_bytes, "/");
    const bool hidden = strchr("._", strrchr(path, '/')[1]), leftover = archive_name_leftover(in->passed->names, name);
    if (stat(path, &st)) return hidden || leftover ? 0 : err_sys(err, ERR_INPUT, errno, "%s", path);
    if (hidden || !S_ISDIR(st.st_mode)) {
        if (!S_ISDIR(st.st_mode) && !archive_name_wanted(in->passed->names, name)) return 0;
        if (!S_ISDIR(st.st_mode) && leftover) return passed_over_add(&in->passed->leftovers, path, err);
        if (!strcmp(path + strlen(in->dir), "/MANIFEST.json") && dataset_is(in->dir, err) == 1) return refuse_top(in, err);
        if (err->code) return -1;
        if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)) return passed_over_add(&in->passed->special, path, err);
        if (hidden) return archive_name_doubtful(name) && st.st_size ? passed_over_add(&in->passed->hidden, path, err) : 0;
        return archive_name_by_file(in->passed->names, name) ? passed_over_add(&in->passed->by_files, path, err)
                                                             : add_data(l, in, path, format, err);
    }
    const struct directory_path sub = {path, in->top_bytes, in->output, in->passed, st.st_dev, st.st_ino, in, in->depth + 1};
    return add_subdirectory(l, &sub, format, err);
}

static int add_files_below(struct input_list *l, const struct directory_path *f, const char *format, struct err *err) {
    struct dirent **names;
    int n = scandir(f->dir, &names, visible, alphasort), rc = 0;
    if (n < 0) return err_sys(err, ERR_INPUT, errno, "%s", f->dir);
    for (int i = 0; i < n; i++) {
        char *path = rc ? NULL : fs_join(f->dir, names[i]->d_name, err);
        rc = path ? add_entry(l, f, path, format, err) : -1;
        free(path);
        free(names[i]);
    }
    free(names);
    return rc;
}

/* Adds all that is missing or damaged to the warnings if the error's text had no room for the last of them. */
static void warn_of_problems(const struct store_files *s, struct buf *warnings, const struct err *err) {
    struct err none = {0};
    size_t n = s->problems.n ? s->problems.n - 1 : 0;
    const uint8_t *before = n ? memrchr(s->problems.p, '\n', n) : NULL, *last = before ? before + 1 : s->problems.p;
    if (n && !memmem(err->text, strlen(err->text), last, (size_t)(s->problems.p + n - last)))
        for (const uint8_t *p = s->problems.p, *end; p < s->problems.p + s->problems.n; p = end + 1) {
            end = memchr(p, '\n', (size_t)(s->problems.p + s->problems.n - p));
            warning_add(warnings, WARN_INPUT_UNREAD, 1, &none, "%.*s", (int)(end - p), (const char *)p);
        }
}

static int warn_of_passed(const char *path, const struct unwanted *p, struct buf *warnings, struct err *err) {
    const struct passed_over *f = &p->by_files, *b = &p->leftovers, *h = &p->hidden, *s = &p->special, *t = &p->twins;
    if (t->n && warning_add(warnings, WARN_INPUT_TWICE, t->n, err,
                            "%s: packed files beside files of the same name, such as %s: both are read; files: %llu", path,
                            t->first, (unsigned long long)t->n))
        return -1;
    if (s->n &&
        warning_add(warnings, WARN_MEMBERS_PASSED_OVER, s->n, err,
                    "%s: skipped %llu pipe%s, socket%s or device%s, such as %s; give one that is data as an input of its "
                    "own",
                    path, (unsigned long long)s->n, s->n == 1 ? "" : "s", s->n == 1 ? "" : "s", s->n == 1 ? "" : "s", s->first))
        return -1;
    if (f->n && warning_add(warnings, WARN_MEMBERS_PASSED_OVER, f->n, err,
                            "%s: skipped %llu file%s data (README, checksums …), such as %s", path, (unsigned long long)f->n,
                            f->n == 1 ? " that accompanies" : "s that accompany", f->first))
        return -1;
    if (b->n && warning_add(warnings, WARN_MEMBERS_PASSED_OVER, b->n, err,
                            "%s: skipped %llu backup%s or half-transferred file%s, such as %s; give what is data as an input of "
                            "its own",
                            path, (unsigned long long)b->n, b->n == 1 ? "" : "s", b->n == 1 ? "" : "s", b->first))
        return -1;
    if (!h->n) return 0;
    return warning_add(warnings, WARN_MEMBERS_PASSED_OVER, h->n, err,
                       "%s: skipped %llu name%s with _, such as %s; give what is data as an input of its own", path,
                       (unsigned long long)h->n, h->n == 1 ? " that begins" : "s that begin", h->first);
}

/* Reads what HBase left at path. On failure nothing is left to be freed. */
static int read_store(const char *path, const struct input_opts *o, struct store_files *files, struct buf *warnings,
                      struct err *err) {
    if (!input_read_store(path, o, files, err)) return 0;
    warn_of_problems(files, warnings, err);
    store_files_free(files);
    return -1;
}

/* The rules of a table are those of the newest image, as when HBase restores it. */
static void take_rules(struct hbase_table *t, const struct hbase_table *newest) {
    for (uint32_t i = 0; i < t->n_families; i++)
        for (uint32_t k = 0; k < newest->n_families; k++)
            if (!strcmp(t->families[i].name, newest->families[k].name)) t->families[i].rules = newest->families[k].rules;
}

static int add_images(struct input_list *l, const struct backup_chain *c, const struct input_opts *o, struct buf *warnings,
                      struct err *err) {
    struct input_opts of_dirs = *o;
    struct store_files newest, files;
    of_dirs.snapshot = of_dirs.backup = NULL;
    int rc = read_store(c->dirs[c->n - 1], &of_dirs, &newest, warnings, err);
    if (rc) return -1;
    for (size_t i = 0; i + 1 < c->n && !rc; i++) {
        rc = read_store(c->dirs[i], &of_dirs, &files, warnings, err);
        if (rc) break;
        take_rules(&files.table, &newest.table);
        rc = input_list_add_store(l, c->dirs[i], &files, NULL, o, warnings, err);
    }
    if (!rc) return input_list_add_store(l, c->dirs[c->n - 1], &newest, NULL, o, warnings, err);
    store_files_free(&newest);
    return -1;
}

static int add_hbase_directory(struct input_list *l, const char *path, enum tree_kind kind, const struct input_opts *o,
                               struct buf *warnings, struct err *err) {
    struct backup_chain images;
    struct store_files files;
    int rc = input_backup_dirs(path, kind, o->backup, &images, err);
    if (rc == 1) {
        rc = add_images(l, &images, o, warnings, err);
        backup_chain_free(&images);
        return rc;
    }
    if (rc || read_store(path, o, &files, warnings, err)) return -1;
    return input_list_add_store(l, path, &files, NULL, o, warnings, err);
}

static int add_directory(struct input_list *l, const char *path, const struct input_opts *o, struct buf *warnings,
                         struct err *err) {
    enum tree_kind kind;
    if (tree_kind_of(path, &kind, err)) return -1;
    if (kind != TREE_NONE) return add_hbase_directory(l, path, kind, o, warnings, err);
    struct stat st;
    uint32_t before = l->n;
    if (stat(path, &st)) return err_sys(err, ERR_INPUT, errno, "%s", path);
    struct unwanted passed = {.names = o->limits};
    const struct directory_path top = {path, strlen(path), o->output, &passed, st.st_dev, st.st_ino, NULL, 0};
    int rc = add_files_below(l, &top, o->format, err);
    if (!rc) rc = warn_of_passed(path, &passed, warnings, err);
    free(passed.by_files.first);
    free(passed.leftovers.first);
    free(passed.hidden.first);
    free(passed.special.first);
    free(passed.twins.first);
    if (rc) return -1;
    const char *which = o->limits->n_names ? " that --files lets through" : "";
    return l->n > before ? 0 : err_set(err, ERR_INPUT, "%s: the directory holds no file to read%s", path, which);
}

/* 1 = path is an archive of what HBase left on disk, and was added; 0 = not; -1 error. */
static int add_tree(struct input_list *l, const char *path, const struct input_opts *o, struct buf *warnings, struct err *err) {
    struct archive_tree *tree;
    struct store_files files = {0};
    if (input_watch_add(&l->watch, path, WATCH_FILE, err)) return -1; /* it is read twice */
    int is = input_tree_open(path, o, &tree, err);
    if (is != 1) return is;
    if (input_watch_add(&l->watch, archive_tree_path(tree), WATCH_FILE, err)) {
        archive_tree_close(tree);
        return -1;
    }
    int rc = input_read_store(archive_tree_dir(tree), o, &files, err);
    if (!rc) rc = input_tree_stamp(path, &files, err);
    if (!rc) return input_list_add_store(l, path, &files, tree, o, warnings, err) ? -1 : 1;
    warn_of_problems(&files, warnings, err);
    store_files_free(&files);
    archive_tree_close(tree);
    return -1;
}

int input_list_add_any(struct input_list *l, const char *path, const struct input_opts *o, struct buf *warnings,
                       struct err *err) {
    struct stat st;
    struct manifest m;
    bool is_path = strcmp(path, "-"), there = is_path && stat(path, &st) == 0;
    if (is_path && !there && errno != ENOENT && errno != ENOTDIR) return err_sys(err, ERR_INPUT, errno, "%s", path);
    if (!there || !S_ISDIR(st.st_mode)) {
        int tree = o->format || !strcmp(path, "-") || (there && !S_ISREG(st.st_mode)) ? 0 : add_tree(l, path, o, warnings, err);
        return tree ? (tree < 0 ? -1 : 0) : input_list_add_file(l, path, o->format, err);
    }
    int is = dataset_is(path, err);
    if (is < 0) return -1;
    if (!is) return add_directory(l, path, o, warnings, err);
    struct list_room room = memory_room(o->job, MEMORY_MANIFESTS);
    if (dataset_room(path, &room, err) || dataset_open(path, &m, err)) return -1;
    int rc = input_list_add_dataset(l, path, &m, err);
    manifest_free(&m);
    return rc;
}

/* ---- the same file or dataset again ---- */

struct seen_path {
    dev_t dev;
    ino_t ino;
    size_t place; /* among the paths */
};

static int by_file(const void *a, const void *b) {
    const struct seen_path *x = a, *y = b;
    if (x->dev != y->dev) return x->dev < y->dev ? -1 : 1;
    if (x->ino != y->ino) return x->ino < y->ino ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int warn_seen(char *const *paths, const struct seen_path *f, size_t n, struct buf *warnings, struct err *err) {
    enum { SHOWN = 10 };
    size_t twice = 0;
    for (size_t i = 1; i < n; i++) {
        if (f[i].dev != f[i - 1].dev || f[i].ino != f[i - 1].ino || twice++ >= SHOWN) continue;
        const char *a = paths[f[i - 1].place], *b = paths[f[i].place];
        bool same = !strcmp(a, b);
        if (warning_add(warnings, WARN_INPUT_TWICE, 1, err, "%s is given twice%s%s: it is read twice", b,
                        same ? "" : ", also as ", same ? "" : a))
            return -1;
    }
    return twice > SHOWN ? warning_add(warnings, WARN_INPUT_TWICE, twice - SHOWN, err, "%zu more are given twice", twice - SHOWN)
                         : 0;
}

int input_paths_warn_twice(char *const *paths, size_t n, struct buf *warnings, struct err *err) {
    struct seen_path *f = calloc(n + 1, sizeof *f);
    struct stat st;
    size_t seen = 0;
    if (!f) return err_nomem(err, n * sizeof *f, "the list of inputs");
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        const int there = paths[i] && strcmp(paths[i], "-") ? fs_look(paths[i], &st, err) : 0;
        if (there == 1 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))) f[seen++] = (struct seen_path){st.st_dev, st.st_ino, i};
        rc = there < 0 ? -1 : 0;
    }
    if (seen) qsort(f, seen, sizeof *f, by_file);
    if (!rc) rc = warn_seen(paths, f, seen, warnings, err);
    free(f);
    return rc;
}

int input_list_warn_twice(const struct input_list *l, struct buf *warnings, struct err *err) {
    char **paths = calloc((size_t)l->n + 1, sizeof *paths);
    if (!paths) return err_nomem(err, l->n * sizeof *paths, "the list of inputs");
    for (uint32_t i = 0; i < l->n; i++) paths[i] = l->inputs[i].files ? NULL : (char *)l->inputs[i].path;
    int rc = input_paths_warn_twice(paths, l->n, warnings, err);
    free(paths);
    return rc;
}
