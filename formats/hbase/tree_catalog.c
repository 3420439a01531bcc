/* Lists the tables and snapshots of a root: tables by the names of directories, of roots with and without namespaces, snapshots
 * by their descriptions. */
#include "base/fs.h"
#include "formats/hbase/names.h"
#include "formats/hbase/snapshot.h"
#include "formats/hbase/store_files.h"
#include "formats/hbase/tree_catalog.h"

#include <errno.h>
#include <stdlib.h>

/* ---- tables and snapshots of a root ---- */

struct catalog_gathering {
    struct buf entries; /* struct tree_catalog_entry */
    const char *dir, *ns;
};

/* Takes the strings; any may be NULL for want of memory. */
static int add_entry(struct catalog_gathering *g, struct tree_catalog_entry e, struct err *err) {
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
    struct catalog_gathering *g = arg;
    if (!is_dir || !table_name_is_table(bytes_str(name))) return 0;
    char *dir = fs_join(g->dir, name, err);
    int rc = dir ? is_table(dir, err) : -1;
    if (rc <= 0) {
        free(dir);
        return rc;
    }
    return add_entry(g, (struct tree_catalog_entry){strdup(g->ns), strdup(name), NULL, dir}, err);
}

static int add_tables(struct catalog_gathering *g, const char *dir, const char *ns, struct err *err) {
    g->dir = dir;
    g->ns = ns;
    return directory_each(dir, visit_table, g, err) < 0 ? -1 : 0;
}

struct namespaces {
    struct catalog_gathering *g;
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

static int add_namespaces(struct catalog_gathering *g, const char *dir, struct err *err) {
    struct namespaces v = {g, dir};
    return directory_each(dir, visit_namespace, &v, err);
}

/* Adds tables of a directory without data/: 0.94's root, the directory of a namespace, or data itself. */
static int add_flat(struct catalog_gathering *g, const char *root, struct err *err) {
    char *above = directory_above(root, err);
    if (!above) return -1;
    bool is_ns = strcmp(directory_name(above), "data") == 0;
    int rc = add_tables(g, root, is_ns ? directory_name(root) : "default", err);
    free(above);
    if (!rc && g->entries.n == 0) rc = add_namespaces(g, root, err);
    return rc < 0 ? -1 : 0;
}

static int find_tables(struct catalog_gathering *g, const char *root, struct err *err) {
    char *data = fs_join(root, "data", err);
    int rc = data ? add_namespaces(g, data, err) : -1;
    free(data);
    if (rc < 0) return -1;
    if (rc && !g->entries.n) return add_tables(g, root, "default", err); /* data may be a table of 0.94's */
    return rc ? 0 : add_flat(g, root, err);
}

/* Reads the description of a snapshot. 1 read, 0 there is no description of a snapshot, -1. */
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
    struct catalog_gathering *g = arg;
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

static int find_snapshots(struct catalog_gathering *g, const char *root, struct err *err) {
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
    struct catalog_gathering g = {0};
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
