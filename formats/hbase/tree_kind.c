/* Decides which part of what HBase leaves on disk a directory is, by names in it only. A directory without a sign of its own is
 * what the first directory in it that has one shows. One that has the signs of a table and of a root is what it has store files
 * for. */
#include "base/fs.h"
#include "formats/hbase/backup_manifest.h"
#include "formats/hbase/names.h"
#include "formats/hbase/store_files.h"

#include <errno.h>
#include <stdlib.h>

/* ---- signs ---- */

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
    } signs[] = {{BACKUP_MANIFEST, TREE_IMAGE}, {".snapshotinfo", TREE_SNAPSHOT}, {".tabledesc", TREE_TABLE},
                 {".regioninfo", TREE_REGION},  {".hbase-snapshot", TREE_ROOT},   {"hbase.version", TREE_ROOT},
                 {"hbase.id", TREE_ROOT},       {".filelist", TREE_FAMILY}};
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
    case TREE_IMAGE: return TREE_BACKUPS;
    case TREE_NONE:
    case TREE_BACKUPS:
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

/* ---- two readings ---- */

struct file_search {
    const char *dir;
    unsigned depth; /* of directories to go down yet */
    bool found;
};

/* The files of a root lie deeper than those of a table or of a backup image. */
static int visit_for_file(void *arg, const char *name, bool is_dir, struct err *err) {
    struct file_search *s = arg;
    s->found = !is_dir && is_store_file(name);
    if (s->found) return 1;
    if (!is_dir || !s->depth || name[0] == '.') return 0;
    char *dir = fs_join(s->dir, name, err);
    struct file_search inner = {.dir = dir, .depth = s->depth - 1};
    int rc = dir ? directory_each(dir, visit_for_file, &inner, err) : -1;
    free(dir);
    s->found = inner.found;
    return rc < 0 ? -1 : s->found;
}

static int visit_for_snapshot(void *arg, const char *name, bool is_dir, struct err *err) {
    struct file_search *s = arg;
    char *dir = is_dir && name[0] != '.' ? fs_join(s->dir, name, err) : NULL;
    int there = dir ? has_entry(dir, ".snapshotinfo", err) : is_dir && name[0] != '.' ? -1 : 0;
    free(dir);
    s->found = there == 1;
    return there;
}

static int refuse_both(const char *dir, bool is_table, struct err *err) {
    const char *what = is_table ? "table" : "region";
    return err_set(err, ERR_USAGE,
                   "%s is a %s, by %s and the store files in it, and an export of snapshots, by .hbase-snapshot; give "
                   "%s/.hbase-snapshot/NAME for a snapshot, or move .hbase-snapshot away for the %s",
                   dir, what, is_table ? ".tabledesc" : ".regioninfo", dir, what);
}

/* dir has the signs of `kind`, a table or region, and holds .hbase-snapshot, too. */
static int choose_reading(const char *dir, enum tree_kind *kind, struct err *err) {
    enum { DEPTH_OF_FILES = 2 };
    struct file_search files = {.dir = dir, .depth = DEPTH_OF_FILES}, snapshots = {0};
    char *inner = fs_join(dir, ".hbase-snapshot", err);
    snapshots.dir = inner;
    int rc = inner ? directory_each(inner, visit_for_snapshot, &snapshots, err) : -1;
    free(inner);
    if (rc < 0 || directory_each(dir, visit_for_file, &files, err) < 0) return -1;
    if (!snapshots.found) return 0;
    if (files.found) return refuse_both(dir, *kind == TREE_TABLE, err);
    *kind = TREE_ROOT;
    return 0;
}

static int has_two_readings(const char *dir, enum tree_kind kind, struct err *err) {
    return kind == TREE_TABLE || kind == TREE_REGION ? has_entry(dir, ".hbase-snapshot", err) : 0;
}

int tree_kind_of(const char *dir, enum tree_kind *out, struct err *err) {
    unsigned left = DIRECTORIES_MAX;
    *out = TREE_NONE;
    char *path = realpath(dir, NULL);
    if (!path) return err_sys(err, ERR_INPUT, errno, "%s", dir);
    int rc = find_kind(path, DEPTH_MAX, &left, out, err);
    int two = rc ? 0 : has_two_readings(path, *out, err);
    if (two) rc = two < 0 ? -1 : choose_reading(path, out, err);
    if (!rc && *out == TREE_NONE) rc = look_above(path, out, err);
    free(path);
    return rc;
}
