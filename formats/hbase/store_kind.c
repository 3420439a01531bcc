#include "base/fs.h"
#include "formats/hbase/store_kind.h"
#include "formats/hbase/store_name.h"

#include <errno.h>
#include <stdlib.h>

/* A folder without a sign of its own is what the first telling folder in it makes it; a large tree of something else must not
 * cost much. */
enum { FOLDERS_MAX = 2000, DEPTH_MAX = 6, SURE_NAME_BYTES = 16 };

struct probe {
    const char *dir;
    enum store_kind kind;
    unsigned *left, depth;
};

static int look(const char *dir, unsigned depth, unsigned *left, enum store_kind *kind, struct err *err);

static int has(const char *dir, const char *name, struct err *err) {
    char *path = fs_join(dir, name, err);
    int rc = path ? fs_exists(path, err) : -1;
    free(path);
    return rc;
}

static int own_sign(const char *dir, enum store_kind *kind, struct err *err) {
    static const struct {
        const char *name;
        enum store_kind kind;
    } signs[] = {{".snapshotinfo", STORE_KIND_SNAPSHOT}, {".tabledesc", STORE_KIND_TABLE},   {".regioninfo", STORE_KIND_REGION},
                 {".hbase-snapshot", STORE_KIND_ROOT},   {"hbase.version", STORE_KIND_ROOT}, {"hbase.id", STORE_KIND_ROOT},
                 {".filelist", STORE_KIND_FAMILY}};
    *kind = STORE_KIND_NONE;
    for (size_t i = 0; i < countof(signs); i++) {
        int there = has(dir, signs[i].name, err);
        if (there < 0) return -1;
        if (!there) continue;
        *kind = signs[i].kind;
        break;
    }
    return 0;
}

/* Any hex number is a name of HBase's; a short one may be somebody else's. */
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

static enum store_kind kind_above(const char *dir, const char *name, enum store_kind kind) {
    switch (kind) {
    case STORE_KIND_FAMILY: return STORE_KIND_REGION;
    case STORE_KIND_REGION: return is_hex(name) ? STORE_KIND_TABLE : STORE_KIND_NONE;
    case STORE_KIND_TABLE: return STORE_KIND_ROOT;
    case STORE_KIND_ROOT:
        return is_part_of_root(name) || strcmp(folder_name(dir), "data") == 0 ? STORE_KIND_ROOT : STORE_KIND_NONE;
    case STORE_KIND_NONE:
    case STORE_KIND_SNAPSHOT: break;
    }
    return STORE_KIND_NONE;
}

static int visit(void *arg, const char *name, bool is_dir, struct err *err) {
    struct probe *p = arg;
    if (!is_dir && is_store_file(name)) return p->kind = STORE_KIND_FAMILY, 1;
    if (!is_dir || p->depth == 0 || (name[0] == '.' && !is_part_of_root(name))) return 0;
    if (*p->left == 0) return 1;
    --*p->left;
    enum store_kind inner;
    char *path = fs_join(p->dir, name, err);
    int rc = path ? look(path, p->depth - 1, p->left, &inner, err) : -1;
    free(path);
    if (!rc) p->kind = kind_above(p->dir, name, inner);
    return rc ? rc : p->kind != STORE_KIND_NONE;
}

static int look(const char *dir, unsigned depth, unsigned *left, enum store_kind *kind, struct err *err) {
    struct probe p = {.dir = dir, .left = left, .depth = depth};
    if (own_sign(dir, kind, err)) return -1;
    if (*kind != STORE_KIND_NONE) return 0;
    if (folder_each(dir, visit, &p, err) < 0) return -1;
    *kind = p.kind;
    return 0;
}

/* An empty family, or one of files with short names. */
static int look_above(const char *dir, enum store_kind *kind, struct err *err) {
    char *above = folder_above(dir, err);
    int there = above ? has(above, ".regioninfo", err) : -1;
    free(above);
    if (there == 1 && strcmp(folder_name(dir), "recovered.edits") != 0) *kind = STORE_KIND_FAMILY;
    return there < 0 ? -1 : 0;
}

int store_kind_of(const char *dir, enum store_kind *out, struct err *err) {
    unsigned left = FOLDERS_MAX;
    *out = STORE_KIND_NONE;
    char *path = realpath(dir, NULL);
    if (!path) return err_sys(err, ERR_INPUT, errno, "%s", dir);
    int rc = look(path, DEPTH_MAX, &left, out, err);
    if (!rc && *out == STORE_KIND_NONE) rc = look_above(path, out, err);
    free(path);
    return rc;
}
