/* Store files of a root that belong to no table: in directories of unfinished work, beside namespaces and tables, or where
 * somebody has put them. An input that is a root means all of it, so they are counted and said, whichever of its tables is read.
 * Those of a table are said when that is read. */
#include "base/fs.h"
#include "formats/hbase/findings.h"
#include "formats/hbase/names.h"
#include "formats/hbase/store_files.h"
#include "formats/hbase/stray_files.h"
#include "formats/hbase/tree_catalog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum level { LEVEL_ROOT, LEVEL_PART, LEVEL_NAMESPACES, LEVEL_TABLES };

struct root_walk {
    const char *dir, *shown;
    enum level level;
    const struct tree_catalog *tables;
    struct findings *report;
    struct stray_files found;
};

static int walk(struct root_walk *w, struct err *err);

/* Logs, and the master's own table. */
static bool is_passed_by(const char *name) {
    static const char *const names[] = {"WALs",     "oldWALs", "MasterProcWALs",  "MasterData", ".logs",
                                        ".oldlogs", "corrupt", ".hbase-snapshot", ".snapshot",  ".hbck"};
    for (size_t i = 0; i < countof(names); i++)
        if (!strcmp(name, names[i])) return true;
    return false;
}

/* Returns which level a directory of this name holds; LEVEL_ROOT: it is none of HBase's. */
static enum level level_of(enum level above, const char *name) {
    switch (above) {
    case LEVEL_ROOT:
        if (!strcmp(name, "data")) return LEVEL_NAMESPACES;
        return !strcmp(name, "archive") || !strcmp(name, "mobdir") ? LEVEL_PART : LEVEL_ROOT;
    case LEVEL_PART: return !strcmp(name, "data") ? LEVEL_NAMESPACES : LEVEL_ROOT;
    case LEVEL_NAMESPACES: return table_name_is_ns(bytes_str(name)) ? LEVEL_TABLES : LEVEL_ROOT;
    case LEVEL_TABLES: break;
    }
    return LEVEL_ROOT;
}

static bool is_table(const struct tree_catalog *tables, const char *dir) {
    for (size_t i = 0; i < tables->n; i++)
        if (!tables->entries[i].snapshot && !strcmp(tables->entries[i].dir, dir)) return true;
    return false;
}

/* Returns whether a directory is read elsewhere. In archive and mobdir, what bears the name of a table is one, or was. */
static bool is_read_elsewhere(const struct root_walk *w, const char *name, const char *dir) {
    if (is_table(w->tables, dir)) return true;
    const bool is_kept = !strncmp(w->shown, "archive/", 8) || !strncmp(w->shown, "mobdir/", 7);
    return w->level == LEVEL_TABLES && is_kept && table_name_is_table(bytes_str(name));
}

static int visit_directory(struct root_walk *w, const char *name, const char *dir, const char *shown, struct err *err) {
    struct root_walk below = {
        .dir = dir, .shown = shown, .level = level_of(w->level, name), .tables = w->tables, .report = w->report};
    if (is_read_elsewhere(w, name, dir)) return 0;
    if (below.level != LEVEL_ROOT) return walk(&below, err);
    return stray_files_below(dir, shown, NOTE_ROOT_STRAYS, w->report, err);
}

static int visit(void *arg, const char *name, bool is_dir, struct err *err) {
    struct root_walk *w = arg;
    if (!is_dir) return stray_files_look(&w->found, w->dir, w->shown, name, err);
    if (w->level == LEVEL_ROOT && is_passed_by(name)) return 0;
    char *dir = fs_join(w->dir, name, err);
    char *shown = !dir ? NULL : w->shown[0] ? fs_join(w->shown, name, err) : fs_printf(err, "%s", name);
    int rc = shown ? visit_directory(w, name, dir, shown, err) : -1;
    free(dir);
    free(shown);
    return rc;
}

static int walk(struct root_walk *w, struct err *err) {
    int rc = directory_each(w->dir, visit, w, err) < 0 ? -1 : 0;
    return stray_files_end(&w->found, NOTE_ROOT_STRAYS, w->report, rc, err);
}

int root_strays_warn(const char *root, struct buf *warnings, struct err *err) {
    struct findings report = {0};
    struct tree_catalog tables = {0};
    char *path = realpath(root, NULL); /* as the catalog has it */
    struct root_walk w = {.dir = path, .shown = "", .level = LEVEL_ROOT, .tables = &tables, .report = &report};
    int rc = path ? tree_catalog_read(root, &tables, err) : err_sys(err, ERR_INPUT, errno, "%s", root);
    if (!rc) rc = walk(&w, err);
    if (!rc) rc = findings_list_notes(&report, err);
    if (!rc) rc = buf_put(warnings, report.warnings.p, report.warnings.n, err);
    tree_catalog_free(&tables);
    findings_free(&report);
    free(path);
    return rc;
}
