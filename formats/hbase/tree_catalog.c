/* Which part of an HBase root a directory is, by names in it only, and which tables and snapshots a root holds. A directory
 * without a sign of its own is what the first directory in it that has one shows. */
#include "base/fs.h"
#include "formats/hbase/names.h"
#include "formats/hbase/snapshot.h"
#include "formats/hbase/store_files.h"

#include <errno.h>
#include <stdlib.h>

/* ---- what a directory is ---- */

/* A directory that shows no sign of HBase itself is judged by the first directory in it that does; a large tree of something else
 * must not cost much. */
enum { DIRECTORIES_MAX = 2000, DEPTH_MAX = 6, SURE_NAME_BYTES = 16 };

struct probe {
    const char *dir;
    enum tree_kind kind;
    unsigned *left, depth;
};

static int find_kind(const char *dir, unsigned depth, unsigned *left, enum tree_kind *kind, struct err *err);

static int has_entry(const char *dir, const char *name, struct err *err) {
    char *path = fs_join(dir, name, err);
    int rc = path ? fs_exists(path, err) : -1;
    free(path);
    return rc;
}

static int own_sign(const char *dir, enum tree_kind *kind, struct err *err) {
    static const struct {
        const char *name;
        enum tree_kind kind;
    } signs[] = {{".snapshotinfo", TREE_SNAPSHOT}, {".tabledesc", TREE_TABLE},   {".regioninfo", TREE_REGION},
                 {".hbase-snapshot", TREE_ROOT},   {"hbase.version", TREE_ROOT}, {"hbase.id", TREE_ROOT},
                 {".filelist", TREE_FAMILY}};
    *kind = TREE_NONE;
    for (size_t i = 0; i < countof(signs); i++) {
        int there = has_entry(dir, signs[i].name, err);
        if (there < 0) return -1;
        if (!there) continue;
        *kind = signs[i].kind;
        break;
    }
    return 0;
}

/* Any hex number is a name of HBase's; a short one may belong to another program. */
static bool is_store_file(const char *name) {
    enum store_name_kind kind = store_name_parse(bytes_str(name)).kind;
    return kind != STORE_NAME_OTHER && (kind != STORE_NAME_FILE || strlen(name) >= SURE_NAME_BYTES);
}

static bool is_hex(const char *name) {
    return strspn(name, "0123456789abcdef") == strlen(name);
}

static bool is_part_of_root(const char *name) {
    return strcmp(name, "data") == 0 || strcmp(name, "archive") == 0 || strcmp(name, "mobdir") == 0 ||
           strcmp(name, ".archive") == 0;
}

static enum tree_kind kind_above(const char *dir, const char *name, enum tree_kind kind) {
    switch (kind) {
    case TREE_FAMILY: return TREE_REGION;
    case TREE_REGION: return is_hex(name) ? TREE_TABLE : TREE_NONE;
    case TREE_TABLE: return TREE_ROOT;
    case TREE_ROOT: return is_part_of_root(name) || strcmp(directory_name(dir), "data") == 0 ? TREE_ROOT : TREE_NONE;
    case TREE_NONE:
    case TREE_SNAPSHOT: break;
    }
    return TREE_NONE;
}

static int probe_entry(void *arg, const char *name, bool is_dir, struct err *err) {
    struct probe *p = arg;
    if (!is_dir && is_store_file(name)) {
        p->kind = TREE_FAMILY;
        return 1;
    }
    if (!is_dir || p->depth == 0 || (name[0] == '.' && !is_part_of_root(name))) return 0;
    if (*p->left == 0) return 1;
    --*p->left;
    enum tree_kind inner;
    char *path = fs_join(p->dir, name, err);
    int rc = path ? find_kind(path, p->depth - 1, p->left, &inner, err) : -1;
    free(path);
    if (!rc) p->kind = kind_above(p->dir, name, inner);
    return rc ? rc : p->kind != TREE_NONE;
}

static int find_kind(const char *dir, unsigned depth, unsigned *left, enum tree_kind *kind, struct err *err) {
    struct probe p = {.dir = dir, .left = left, .depth = depth};
    if (own_sign(dir, kind, err)) return -1;
    if (*kind != TREE_NONE) return 0;
    if (directory_each(dir, probe_entry, &p, err) < 0) return -1;
    *kind = p.kind;
    return 0;
}

/* An empty family, or one of files with short names. */
static int look_above(const char *dir, enum tree_kind *kind, struct err *err) {
    char *above = directory_above(dir, err);
    int there = above ? has_entry(above, ".regioninfo", err) : -1;
    free(above);
    if (there == 1 && strcmp(directory_name(dir), "recovered.edits") != 0) *kind = TREE_FAMILY;
    return there < 0 ? -1 : 0;
}

int tree_kind_of(const char *dir, enum tree_kind *out, struct err *err) {
    unsigned left = DIRECTORIES_MAX;
    *out = TREE_NONE;
    char *path = realpath(dir, NULL);
    if (!path) return err_sys(err, ERR_INPUT, errno, "%s", dir);
    int rc = find_kind(path, DEPTH_MAX, &left, out, err);
    if (!rc && *out == TREE_NONE) rc = look_above(path, out, err);
    free(path);
    return rc;
}

/* ---- tables and snapshots of a root ---- */

struct gathering {
    struct buf entries; /* struct tree_catalog_entry */
    const char *dir, *ns;
};

/* Takes the strings; any may be NULL for want of memory. */
static int add_entry(struct gathering *g, struct tree_catalog_entry e, struct err *err) {
    int rc = e.ns && e.table && e.dir ? buf_put(&g->entries, &e, sizeof e, err) : -1;
    if (!rc) return 0;
    free(e.ns);
    free(e.table);
    free(e.snapshot);
    free(e.dir);
    return err_nomem(err, sizeof e, "a catalog");
}

static int visit_for_region(void *arg, const char *name, bool is_dir, struct err *err) {
    (void)err;
    if (!is_dir || (strcmp(name, ".tabledesc") != 0 && strspn(name, "0123456789abcdef") != strlen(name))) return 0;
    *(bool *)arg = true;
    return 1;
}

static int is_table(const char *dir, struct err *err) {
    bool found = false;
    return directory_each(dir, visit_for_region, &found, err) < 0 ? -1 : found;
}

static int visit_table(void *arg, const char *name, bool is_dir, struct err *err) {
    struct gathering *g = arg;
    if (!is_dir || !table_name_is_table(bytes_str(name))) return 0;
    char *dir = fs_join(g->dir, name, err);
    int rc = dir ? is_table(dir, err) : -1;
    if (rc <= 0) {
        free(dir);
        return rc;
    }
    return add_entry(g, (struct tree_catalog_entry){strdup(g->ns), strdup(name), NULL, dir}, err);
}

static int add_tables(struct gathering *g, const char *dir, const char *ns, struct err *err) {
    g->dir = dir;
    g->ns = ns;
    return directory_each(dir, visit_table, g, err) < 0 ? -1 : 0;
}

struct namespaces {
    struct gathering *g;
    const char *dir;
};

static int visit_namespace(void *arg, const char *name, bool is_dir, struct err *err) {
    struct namespaces *v = arg;
    if (!is_dir || !table_name_is_ns(bytes_str(name))) return 0;
    char *dir = fs_join(v->dir, name, err);
    int rc = dir ? add_tables(v->g, dir, name, err) : -1;
    free(dir);
    return rc;
}

static int add_namespaces(struct gathering *g, const char *dir, struct err *err) {
    struct namespaces v = {g, dir};
    return directory_each(dir, visit_namespace, &v, err);
}

/* Without data/: 0.94's root, the directory of a namespace, or data itself. */
static int add_flat(struct gathering *g, const char *root, struct err *err) {
    char *above = directory_above(root, err);
    if (!above) return -1;
    bool is_ns = strcmp(directory_name(above), "data") == 0;
    int rc = add_tables(g, root, is_ns ? directory_name(root) : "default", err);
    free(above);
    if (!rc && g->entries.n == 0) rc = add_namespaces(g, root, err);
    return rc < 0 ? -1 : 0;
}

static int find_tables(struct gathering *g, const char *root, struct err *err) {
    char *data = fs_join(root, "data", err);
    int rc = data ? add_namespaces(g, data, err) : -1;
    free(data);
    if (rc < 0) return -1;
    if (rc && !g->entries.n) return add_tables(g, root, "default", err); /* data may be a table of 0.94's */
    return rc ? 0 : add_flat(g, root, err);
}

/* 1 read, 0 there is no description of a snapshot, -1. */
static int read_info(const char *dir, struct snapshot *out, struct err *err) {
    enum { INFO_MAX_BYTES = 16 << 20 };
    size_t n;
    char *path = fs_join(dir, ".snapshotinfo", err), *text = NULL;
    int rc = path ? fs_exists(path, err) : -1;
    if (rc == 1 && !(text = fs_read_text(path, INFO_MAX_BYTES, &n, err))) rc = -1;
    if (rc == 1 && snapshot_info_parse(bytes_of(text, n), out, err)) rc = err_prefix(err, "%s", path);
    free(path);
    free(text);
    return rc;
}

static int visit_snapshot(void *arg, const char *name, bool is_dir, struct err *err) {
    struct gathering *g = arg;
    if (!is_dir || name[0] == '.') return 0;
    struct snapshot s = {0};
    char *dir = fs_join(g->dir, name, err);
    int rc = dir ? read_info(dir, &s, err) : -1;
    if (rc == 1)
        rc = add_entry(g, (struct tree_catalog_entry){strdup(s.ns), strdup(s.table_name), strdup(name), dir}, err);
    else
        free(dir);
    snapshot_free(&s);
    return rc;
}

static int find_snapshots(struct gathering *g, const char *root, struct err *err) {
    static const char *const directories[] = {".hbase-snapshot", ".snapshot"};
    int rc = 0;
    for (size_t i = 0; i < countof(directories) && rc >= 0; i++) {
        char *dir = fs_join(root, directories[i], err);
        g->dir = dir;
        rc = dir ? directory_each(dir, visit_snapshot, g, err) : -1;
        free(dir);
    }
    return rc < 0 ? -1 : 0;
}

static int entry_cmp(const void *a, const void *b) {
    const struct tree_catalog_entry *x = a, *y = b;
    if (!x->snapshot != !y->snapshot) return x->snapshot ? 1 : -1;
    if (x->snapshot) return strcmp(x->snapshot, y->snapshot);
    int c = strcmp(x->ns, y->ns);
    return c ? c : strcmp(x->table, y->table);
}

int tree_catalog_read(const char *root, struct tree_catalog *out, struct err *err) {
    struct gathering g = {0};
    char *path = realpath(root, NULL);
    *out = (struct tree_catalog){0};
    if (!path) return err_sys(err, ERR_INPUT, errno, "%s", root);
    int rc = find_tables(&g, path, err);
    if (!rc) rc = find_snapshots(&g, path, err);
    free(path);
    out->entries = (struct tree_catalog_entry *)g.entries.p;
    out->n = g.entries.n / sizeof *out->entries;
    if (out->n) qsort(out->entries, out->n, sizeof *out->entries, entry_cmp);
    if (rc) tree_catalog_free(out);
    return rc;
}

void tree_catalog_free(struct tree_catalog *c) {
    for (size_t i = 0; i < c->n; i++) {
        free(c->entries[i].ns);
        free(c->entries[i].table);
        free(c->entries[i].snapshot);
        free(c->entries[i].dir);
    }
    free(c->entries);
    *c = (struct tree_catalog){0};
}
