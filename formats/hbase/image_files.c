/* The files of a table in an incremental backup image. Where they lie depends on HBase's version: FAMILY/FILE, data/FAMILY/FILE,
 * and bulk-loaded ones in REGION/FAMILY/FILE. HBase restores whatever HFile is below the table's directory (RestoreTablesClient,
 * getFilesRecursively), so all are taken, each for the family that its directory is called after. They are of one region without
 * bounds: HBase wrote them for the regions that it had then. */
#include "base/fs.h"
#include "formats/hbase/backup_manifest.h"
#include "formats/hbase/image_files.h"
#include "formats/hbase/names.h"
#include "formats/hbase/resolve_files.h"
#include "formats/hbase/stray_files.h"

#include <stdlib.h>

struct image_walk {
    const struct hbase_table *table;
    const char *dir, *shown;
    struct findings *report;
    struct buf *files; /* struct store_file */
};

static int64_t find_family(const struct hbase_table *t, const char *name) {
    for (uint32_t i = 0; i < t->n_families; i++)
        if (strcmp(t->families[i].name, name) == 0) return i;
    return -1;
}

static int complain(struct image_walk *w, const char *name, const char *what, struct err *err) {
    return findings_problem(w->report, err, "%s%s%s: %s", w->shown, w->shown[0] ? "/" : "", name, what);
}

/* Takes path. */
static int add_file(struct image_walk *w, char *path, const char *name, const struct stat *st, struct err *err) {
    int64_t family = find_family(w->table, directory_name(w->dir));
    const bool added = family >= 0 && st->st_size;
    const int rc = added ? store_file_room(&w->report->kept, path, NULL, err) : 0;
    if (added && !rc) return store_file_add(w->files, path, name, st, NULL, 0, (uint32_t)family, err);
    free(path);
    if (rc) return -1;
    return complain(w, name, family < 0 ? "its directory is not called after a family of the table" : "is empty", err);
}

static int visit_below(void *arg, const char *name, bool is_dir, struct err *err) {
    struct image_walk *w = arg;
    struct stat st;
    char *path = fs_join(w->dir, name, err);
    if (!path) return -1;
    int is = is_dir ? 0 : store_file_is(path, name, &st, err);
    if (is == 1) return add_file(w, path, name, &st, err);
    char *shown = is_dir ? w->shown[0] ? fs_join(w->shown, name, err) : fs_printf(err, "%s", name) : NULL;
    struct image_walk inner = {w->table, path, shown, w->report, w->files};
    int rc = is < 0 || (is_dir && !shown) ? -1 : is_dir ? directory_each(path, visit_below, &inner, err) : 0;
    free(path);
    free(shown);
    return rc < 0 ? -1 : 0;
}

static int by_family_and_name(const void *a, const void *b) {
    const struct store_file *x = a, *y = b;
    if (x->family != y->family) return x->family < y->family ? -1 : 1;
    int c = strcmp(x->name, y->name);
    return c ? c : strcmp(x->path, y->path);
}

/* A region of all rows. */
static int add_region(struct store_files *out, struct err *err) {
    out->regions = calloc(1, sizeof *out->regions);
    if (!out->regions) return err_nomem(err, sizeof *out->regions, "regions");
    struct region_info *r = out->regions;
    out->n_regions = 1;
    r->ns = strdup(out->table.ns);
    r->table = strdup(out->table.name);
    return r->ns && r->table ? 0 : err_nomem(err, 0, "regions");
}

int image_files_list(const char *dir, struct store_files *out, struct findings *report, struct err *err) {
    struct buf files = {0};
    struct image_walk w = {&out->table, dir, "", report, &files};
    int rc = add_region(out, err);
    if (!rc && directory_each(dir, visit_below, &w, err) < 0) rc = -1;
    out->files = (struct store_file *)files.p;
    out->n_files = files.n / sizeof *out->files;
    if (out->n_files) qsort(out->files, out->n_files, sizeof *out->files, by_family_and_name);
    for (size_t i = 0; i < out->n_files; i++) out->files[i].keeps_seqs = true;
    out->is_delta = true;
    return rc;
}

/* ---- is it one? ---- */

struct file_seen {
    const char *dir;
    bool found;
};

static int visit_for_file(void *arg, const char *name, bool is_dir, struct err *err) {
    struct file_seen *s = arg;
    struct stat st;
    char *path = is_dir ? NULL : fs_join(s->dir, name, err);
    int is = is_dir ? 0 : path ? store_file_is(path, name, &st, err) : -1;
    free(path);
    s->found = is == 1;
    return is;
}

/* Takes dir. 1, 0, -1. */
static int has_file(char *dir, struct err *err) {
    struct file_seen s = {.dir = dir};
    int rc = dir ? directory_each(dir, visit_for_file, &s, err) : -1;
    free(dir);
    return rc < 0 ? -1 : s.found;
}

/* Returns whether there are files in dir/FAMILY or dir/data/FAMILY, for some family of the table; HBase has no store files there
 * but in an image. */
static int has_family_files(const char *dir, const struct hbase_table *t, struct err *err) {
    int found = 0;
    for (uint32_t i = 0; i < t->n_families && !found; i++) {
        found = has_file(fs_join(dir, t->families[i].name, err), err);
        if (!found) found = has_file(fs_printf(err, "%s/data/%s", dir, t->families[i].name), err);
    }
    return found;
}

static bool regions_have_files(const struct listing *l) {
    for (size_t i = 0; i < l->s.n_regions; i++)
        for (size_t k = 0; k < l->s.regions[i].n_families; k++)
            if (l->s.regions[i].families[k].n_files) return true;
    return false;
}

int image_files_are(const char *dir, const struct listing *l, char **id, struct err *err) {
    struct backup_image image = {0};
    int rc = backup_image_above(dir, &image, err);
    bool is = rc == 1 && !image.is_full;
    if (is && !(*id = strdup(image.id))) rc = err_nomem(err, 0, "a backup id");
    backup_image_free(&image);
    if (rc) return rc < 0 ? -1 : is;
    int found = l->has_descriptor ? has_family_files(dir, &l->s.table, err) : 0;
    if (found != 1 || !regions_have_files(l)) return found;
    return err_set(err, ERR_INPUT,
                   "%s has store files in REGION/FAMILY, as a table has them, and in FAMILY or data/FAMILY, as an incremental "
                   "backup image has them: copy the %s two levels above it, too, if it is an image; else move these files away",
                   dir, BACKUP_MANIFEST);
}
