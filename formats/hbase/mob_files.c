/* The files that MOB references name: looked up in the directories that are known (mob_directories.c), and where the table that
 * wrote them keeps them below HBase's root. Of those that are missing it is said where they must come from: ExportSnapshot
 * leaves out the mob files of the table that a clone was made of. */
#include "formats/hbase/mob_directories.h"
#include "formats/hbase/mob_files.h"

#include "base/bytes.h"
#include "base/fs.h"
#include "formats/hbase/names.h"

#include <stdlib.h>
#include <string.h>

int mob_files_family(const struct store_files *s, struct bytes name, uint32_t *family, struct err *err) {
    const struct hbase_table *t = &s->table;
    for (*family = 0; *family < t->n_families; (*family)++)
        if (bytes_eq(bytes_str(t->families[*family].name), name)) return 0;
    char shown[DISK_NAME_SHOWN_BYTES];
    return err_set(err, ERR_INPUT, "table %s:%s has no family '%s'", t->ns, t->name, disk_name_shown(name, shown));
}

static bool is_of_table(const struct mob_directory *f, const struct mob_reference *ref) {
    return ref->table.p && bytes_eq(bytes_str(f->table), ref->table) && bytes_eq(bytes_str(f->ns), ref->ns);
}

/* Takes path. 1 there, 0, -1. */
static int try_path(char *path, char **found, struct err *err) {
    int there = path ? fs_exists(path, err) : -1;
    if (there == 1)
        *found = path;
    else
        free(path);
    return there;
}

/* The table that wrote it, else the one that is read. Fresh. */
static int name_writer(const struct store_files *s, const struct mob_reference *ref, char **ns, char **table,
                       char encoded[REGION_ENCODED_BYTES], struct err *err) {
    bool known = ref->table.p != NULL;
    *ns = known ? disk_name_copy(ref->ns, "a namespace", err) : fs_printf(err, "%s", s->table.ns);
    *table = !*ns ? NULL : known ? disk_name_copy(ref->table, "a table", err) : fs_printf(err, "%s", s->table.name);
    if (*table && !mob_directories_region(*ns, *table, encoded, err)) return 0;
    free(*ns);
    free(*table);
    return -1;
}

static int find_below_root(const struct store_files *s, const struct mob_reference *ref, uint32_t family, char **path,
                           struct err *err) {
    static const char *const parts[] = {"mobdir", "archive"};
    char *ns, *table, encoded[REGION_ENCODED_BYTES];
    int there = 0;
    if (!s->root || !ref->table.p) return 0;
    if (name_writer(s, ref, &ns, &table, encoded, err)) return -1;
    for (unsigned i = 0; i < countof(parts) && !there; i++)
        there = try_path(fs_printf(err, "%s/%s/data/%s/%s/%s/%s/%.*s", s->root, parts[i], ns, table, encoded,
                                   s->table.families[family].name, (int)ref->file.n, (const char *)ref->file.p),
                         path, err);
    free(ns);
    free(table);
    return there;
}

int mob_files_find(const struct store_files *s, const struct mob_reference *ref, uint32_t family, char **path, struct err *err) {
    for (int own = 1; own >= 0; own--) {
        for (size_t i = 0; i < s->n_mob; i++) {
            const struct mob_directory *f = &s->mob[i];
            if (f->family != family || is_of_table(f, ref) != own) continue;
            int there = try_path(fs_printf(err, "%s/%.*s", f->path, (int)ref->file.n, (const char *)ref->file.p), path, err);
            if (there) return there;
        }
    }
    return find_below_root(s, ref, family, path, err);
}

int mob_files_put_remedy(const struct store_files *s, const struct mob_reference *ref, uint32_t family, struct buf *out,
                         struct err *err) {
    char *ns, *table, encoded[REGION_ENCODED_BYTES];
    const char *name = s->table.families[family].name;
    if (name_writer(s, ref, &ns, &table, encoded, err)) return -1;
    int rc = buf_printf(out, err, "table %s:%s: copy it from mobdir/data/%s/%s/%s/%s (or archive/data/…) of HBase's root, ", ns,
                        table, ns, table, encoded, name);
    if (!rc && s->root)
        rc = buf_printf(out, err, "to %s/mobdir/data/%s/%s/%s/%s", s->root, ns, table, encoded, name);
    else if (!rc)
        rc = buf_printf(out, err, "and give the root that holds both");
    free(ns);
    free(table);
    return rc;
}

int mob_files_missing(const struct store_files *s, const struct mob_reference *ref, uint32_t family, bool brief,
                      struct err *err) {
    struct buf remedy = {0};
    if (mob_files_put_remedy(s, ref, family, &remedy, err) == 0) {
        const uint8_t *colon = memmem(remedy.p, remedy.n, ": ", 2);
        int shown = (int)(brief && colon ? (size_t)(colon - remedy.p) : remedy.n);
        err_set(err, ERR_INPUT, "mob file %.*s is missing, written by %.*s", (int)ref->file.n, (const char *)ref->file.p, shown,
                (const char *)remedy.p);
    }
    buf_free(&remedy);
    return -1;
}
