/* Lists the places where a store file may be: data/, archive/, .tmp/ and mobdir/ of HBase's root directory, in the order
 * HFileLink looks, and the layouts without namespaces of 0.94 and of directories that were copied out. Only what exists is kept
 * on the path. */
#include "base/fs.h"
#include "formats/hbase/search_path.h"

#include <stdlib.h>

/* 1 a directory, 0 none, -1. A failure does not count as none: files would be looked for elsewhere, and be missing. */
static int is_dir(const char *path, struct err *err) {
    struct stat st;
    int there = fs_look(path, &st, err);
    return there < 0 ? -1 : there && S_ISDIR(st.st_mode);
}

static int has_dir(const char *dir, const char *name, struct err *err) {
    char *path = fs_join(dir, name, err);
    int there = path ? is_dir(path, err) : -1;
    free(path);
    return there;
}

static bool is_named(const char *path, const char *name) {
    return strcmp(directory_name(path), name) == 0;
}

/* Takes dir. Only paths that exist are kept, so that a look costs no more than it must. */
static int add_directory(struct search_path *p, char *dir, bool has_namespaces, struct err *err) {
    if (!dir) return -1;
    int there = p->n < countof(p->place) ? is_dir(dir, err) : 0;
    if (there == 1)
        p->place[p->n++] = (struct search_place){dir, has_namespaces};
    else
        free(dir);
    return there < 0 ? -1 : 0;
}

static int add_root(struct search_path *p, struct err *err) {
    static const char *const order[] = {"data", "archive/data", ".tmp/data", "mobdir/data"}; /* HFileLink */
    for (size_t i = 0; i < countof(order); i++)
        if (add_directory(p, fs_join(p->root, order[i], err), true, err)) return -1;
    if (add_directory(p, fs_printf(err, "%s", p->root), false, err)) return -1; /* 0.94 */
    return add_directory(p, fs_join(p->root, ".archive", err), false, err);
}

/* A table's directory that was copied out: other tables are beside it, or beside its namespace. */
static int add_neighbours(struct search_path *p, const char *table_dir, struct err *err) {
    char *above = directory_above(table_dir, err);
    if (!above) return -1;
    if (is_named(above, ".archive")) {
        p->root = directory_above(above, err);
        free(above);
        return p->root ? add_root(p, err) : -1;
    }
    int rc = add_directory(p, fs_join(above, ".archive", err), false, err);
    if (!rc) rc = add_directory(p, directory_above(above, err), true, err);
    if (add_directory(p, above, false, err)) rc = -1;
    return rc;
}

/* …/X/data/ns/table: X, or what is above when X is archive, mobdir or .tmp; NULL and no error when the path is not like that.
 * Fresh. */
static char *root_of(const char *table_dir, struct err *err) {
    char *ns = directory_above(table_dir, err), *data = ns ? directory_above(ns, err) : NULL;
    char *root = data && is_named(data, "data") ? directory_above(data, err) : NULL;
    free(ns);
    free(data);
    bool part = root && (is_named(root, "archive") || is_named(root, "mobdir") || is_named(root, ".tmp"));
    int whole = !part ? 1 : has_dir(root, ".hbase-snapshot", err);
    if (!whole) whole = has_dir(root, "archive", err);
    if (whole == 1) return root;
    char *above = whole < 0 ? NULL : directory_above(root, err);
    free(root);
    return above;
}

int search_path_of_snapshot(const char *dir, struct search_path *out, struct err *err) {
    *out = (struct search_path){0};
    char *above = directory_above(dir, err);
    if (!above) return -1;
    bool in_root = is_named(above, ".hbase-snapshot") || is_named(above, ".snapshot");
    out->root = in_root ? directory_above(above, err) : above;
    if (in_root) free(above);
    if (out->root && !add_root(out, err)) return 0;
    search_path_free(out);
    return -1;
}

/* HBase 0.94 has tables right below its root, which its file hbase.version shows. NULL and no error: not there. Fresh. */
static char *flat_root_of(const char *table_dir, struct err *err) {
    char *above = directory_above(table_dir, err);
    int is_root = above ? fs_exists_in(above, "hbase.version", err) : -1;
    if (is_root == 1) return above;
    free(above);
    return NULL;
}

static int name_own(struct search_path *p, const char *table_dir, bool has_ns, struct err *err) {
    char *above = has_ns ? directory_above(table_dir, err) : NULL;
    if (has_ns && !above) return -1;
    p->own_ns = fs_printf(err, "%s", above ? directory_name(above) : "default");
    p->own_table = fs_printf(err, "%s", directory_name(table_dir));
    p->own = fs_printf(err, "%s", table_dir);
    free(above);
    return p->own_ns && p->own_table && p->own ? 0 : -1;
}

int search_path_of_table(const char *table_dir, struct search_path *out, struct err *err) {
    *out = (struct search_path){0};
    out->root = root_of(table_dir, err);
    bool has_ns = out->root != NULL;
    if (!has_ns && !err->code) out->root = flat_root_of(table_dir, err);
    int rc = err->code ? -1 : name_own(out, table_dir, has_ns, err);
    if (!rc) rc = out->root ? add_root(out, err) : add_neighbours(out, table_dir, err);
    if (!rc) return 0;
    search_path_free(out);
    return -1;
}

void search_path_free(struct search_path *p) {
    for (size_t i = 0; i < p->n; i++) free(p->place[i].dir);
    free(p->root);
    free(p->own);
    free(p->own_ns);
    free(p->own_table);
    *p = (struct search_path){0};
}

/* Takes path. */
static int try_path(char *path, char **found, struct stat *st, struct err *err) {
    int rc = path ? fs_look(path, st, err) : -1;
    if (rc == 1)
        *found = path;
    else
        free(path);
    return rc;
}

#define SHOWN(b) (int)(b).n, (const char *)(b).p

static char *path_at(const struct search_place *at, const struct file_address *a, struct err *err) {
    if (at->has_namespaces)
        return fs_printf(err, "%s/%.*s/%.*s/%.*s/%.*s/%.*s", at->dir, SHOWN(a->ns), SHOWN(a->table), SHOWN(a->region),
                         SHOWN(a->family), SHOWN(a->name));
    return fs_printf(err, "%s/%.*s/%.*s/%.*s/%.*s", at->dir, SHOWN(a->table), SHOWN(a->region), SHOWN(a->family), SHOWN(a->name));
}

static bool is_own(const struct search_path *p, const struct file_address *a) {
    return p->own && bytes_eq(a->table, bytes_str(p->own_table)) && bytes_eq(a->ns, bytes_str(p->own_ns));
}

int search_path_find(const struct search_path *p, const struct file_address *a, char **path, struct stat *st, struct err *err) {
    bool default_ns = bytes_eq(a->ns, bytes_str("default"));
    int rc = 0;
    if (is_own(p, a))
        rc = try_path(fs_printf(err, "%s/%.*s/%.*s/%.*s", p->own, SHOWN(a->region), SHOWN(a->family), SHOWN(a->name)), path, st,
                      err);
    for (size_t i = 0; i < p->n && !rc; i++)
        if (p->place[i].has_namespaces || default_ns) rc = try_path(path_at(&p->place[i], a, err), path, st, err);
    return rc;
}
