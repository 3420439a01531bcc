/* Finds the files on disk that the names in a listing stand for: links and references are followed along the search path; what is
 * missing, empty or of another size than listed becomes a problem in the findings.
 *
 *     file              table/region/family/file
 *     link              ns=table=region-file  -> ns/table/region/family/file
 *     reference         file.parent           -> table/parent/family/file, one half of it
 *     reference         link.parent           -> where the link leads, one half of it */
#include "base/fs.h"
#include "formats/hbase/names.h"
#include "formats/hbase/resolve_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

struct resolver {
    const struct search_path *places;
    struct findings *report;
    struct bytes ns, table; /* as paths call them */
    struct buf files;       /* struct store_file */
};

/* A file as it is listed: where, and what is said of it. */
struct listed {
    const char *region, *family;
    const struct snapshot_file *file;
};

static int complain(struct resolver *r, const struct listed *at, struct err *err, const char *what) {
    return findings_problem(r->report, err, "%s/%s/%s: %s", at->region, at->family, at->file->name, what);
}

/* Returns where a file or link name leads: names of the link beat the region it is listed in. */
static bool follow_name(const struct resolver *r, struct bytes region, const char *family, struct bytes name,
                        struct file_address *a) {
    struct store_name n = store_name_parse(name);
    *a = (struct file_address){r->ns, r->table, region, bytes_str(family), name};
    if (n.kind == STORE_NAME_LINK) *a = (struct file_address){n.ns, n.table, n.region, bytes_str(family), n.file};
    return n.kind == STORE_NAME_FILE || n.kind == STORE_NAME_MOB || n.kind == STORE_NAME_LINK;
}

/* Finds the address of a listed file. 1 = *a filled, 0 = it has none, which was noted, -1. */
static int address_of(struct resolver *r, const struct listed *at, const struct store_name *n, struct file_address *a,
                      struct err *err) {
    bool is_reference = n->kind == STORE_NAME_REFERENCE;
    if (n->kind == STORE_NAME_OTHER) return complain(r, at, err, "is not how a store file is named");
    if (is_reference != at->file->is_reference)
        return complain(r, at, err,
                        is_reference ? "refers to a parent's file, but does not say to which half"
                                     : "is not how a reference is named, but has a split key");
    if (is_reference ? follow_name(r, n->region, at->family, n->file, a)
                     : follow_name(r, bytes_str(at->region), at->family, bytes_str(at->file->name), a))
        return 1;
    return complain(r, at, err, "is not how a store file is named");
}

static int complain_missing(struct resolver *r, const struct listed *at, const struct file_address *a, struct err *err) {
    r->report->missing = true;
    if (bytes_eq(a->name, bytes_str(at->file->name)) && bytes_eq(a->region, bytes_str(at->region)))
        return complain(r, at, err, "is missing");
    return findings_problem(r->report, err, "%s/%s/%s: is missing: %.*s/%.*s of table %.*s:%.*s", at->region, at->family,
                            at->file->name, (int)a->region.n, (const char *)a->region.p, (int)a->name.n, (const char *)a->name.p,
                            (int)a->ns.n, (const char *)a->ns.p, (int)a->table.n, (const char *)a->table.p);
}

/* Compares a file with its entry in the list. 1 good, 0 it is not, which was noted, -1. */
static int check_listed(struct resolver *r, const struct listed *at, const char *path, const struct stat *st, struct err *err) {
    uint64_t bytes = (uint64_t)st->st_size;
    if (!S_ISREG(st->st_mode)) return findings_problem(r->report, err, "%s: is not a regular file", path);
    if (at->file->has_size && at->file->bytes != bytes)
        return findings_problem(r->report, err, "%s: has %" PRIu64 " bytes, %" PRIu64 " are listed", path, bytes,
                                at->file->bytes);
    return bytes ? 1 : findings_problem(r->report, err, "%s: is empty", path);
}

/* Returns whether the file has a side file `.crc`: 1, 0, -1. */
static int has_side_file(const char *path, struct err *err) {
    struct stat st;
    const char *name = directory_name(path);
    char *side = fs_printf(err, "%.*s.%s.crc", (int)(name - path), path, name);
    const int there = side ? fs_look(side, &st, err) : -1;
    free(side);
    return there;
}

/* Most files are called in the store as on disk: with 100,000 of them one copy of the name counts. */
static int set_name(struct store_file *f, const char *name, struct err *err) {
    size_t n = strlen(f->path), m = strlen(name);
    if (n > m && f->path[n - m - 1] == '/' && !strcmp(f->path + n - m, name)) {
        f->name = f->path + n - m;
        return 0;
    }
    f->name = strdup(name);
    f->owns_name = f->name != NULL;
    return f->name ? 0 : err_nomem(err, m, "a file name");
}

static void free_file(struct store_file *f) {
    free(f->path);
    if (f->owns_name) free(f->name);
    buf_free(&f->split_row);
}

int store_file_room(struct list_room *room, const char *path, const struct reference *half, struct err *err) {
    const uint64_t bytes = sizeof(struct store_file) + strlen(path) + (half ? half->split_row.n : 0) + LIST_ROOM_EACH;
    return list_room_take(room, bytes, "the list of store files takes", err);
}

int store_file_add(struct buf *files, char *path, const char *name, const struct stat *st, const struct reference *half,
                   uint32_t region, uint32_t family, struct err *err) {
    const struct store_name n = store_name_parse(bytes_str(name));
    const int has_crc = has_side_file(path, err);
    struct store_file f = {.path = path,
                           .region = region,
                           .family = family,
                           .bytes = (uint64_t)st->st_size,
                           .mtime_ns = st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec,
                           .ctime_ns = st->st_ctim.tv_sec * 1000000000LL + st->st_ctim.tv_nsec,
                           .half = !half       ? STORE_WHOLE
                                   : half->top ? STORE_TOP
                                               : STORE_BOTTOM,
                           .via_link = n.kind == STORE_NAME_LINK || (half && store_name_parse(n.file).kind == STORE_NAME_LINK),
                           .has_crc = has_crc == 1,
                           .has_seq = n.has_seq,
                           .seq = n.has_seq ? n.seq + (half && half->top) : 0};
    int rc = has_crc < 0 ? -1 : set_name(&f, name, err);
    if (!rc && half) rc = buf_copy(&f.split_row, buf_bytes(&half->split_row), err);
    if (!rc) rc = buf_put(files, &f, sizeof f, err);
    if (!rc) return 0;
    free_file(&f);
    return rc;
}

/* add: else it is only looked for. */
static int resolve_file(struct resolver *r, const struct listed *at, bool add, uint32_t region, uint32_t family,
                        struct err *err) {
    struct store_name n = store_name_parse(bytes_str(at->file->name));
    struct file_address a;
    struct stat st;
    char *path = NULL;
    int rc = address_of(r, at, &n, &a, err);
    if (rc <= 0) return rc;
    rc = search_path_find(r->places, &a, &path, &st, err);
    if (rc < 0) return -1;
    rc = rc ? check_listed(r, at, path, &st, err) : complain_missing(r, at, &a, err);
    const struct reference *half = at->file->is_reference ? &at->file->reference : NULL;
    const bool added = rc == 1 && add;
    if (added) rc = store_file_room(&r->report->kept, path, half, err);
    if (added && !rc) return store_file_add(&r->files, path, at->file->name, &st, half, region, family, err);
    free(path);
    return rc < 0 ? -1 : 0;
}

static int resolve_family(struct resolver *r, const char *region_name, const struct snapshot_family *f, uint32_t region,
                          uint32_t family, struct err *err) {
    for (size_t i = 0; i < f->n_files; i++) {
        struct listed at = {region_name, f->name, &f->files[i]};
        bool twice = i && strcmp(f->files[i - 1].name, f->files[i].name) == 0;
        int rc = twice ? complain(r, &at, err, "is listed twice") : resolve_file(r, &at, true, region, family, err);
        if (rc < 0) return -1;
    }
    return 0;
}

/* A snapshot may list files of families that its descriptor lacks: a table that lost a family, or a manifest that was edited.
 * HBase shows none of their cells. */
static int note_other_families(struct resolver *r, const char *region_name, const struct snapshot_region *region,
                               const struct hbase_table *t, struct err *err) {
    int rc = 0;
    for (size_t k = 0; !rc && k < region->n_families; k++) {
        const struct snapshot_family *f = &region->families[k];
        bool known = false;
        for (uint32_t i = 0; i < t->n_families; i++) known |= !strcmp(t->families[i].name, f->name);
        for (size_t i = 0; !rc && !known && i < f->n_files; i++) {
            char *name = fs_printf(err, "%s/%s/%s", region_name, f->name, f->files[i].name);
            rc = name ? findings_note(r->report, NOTE_OTHER_FAMILIES, name, 1, f->files[i].bytes, err) : -1;
            free(name);
        }
    }
    return rc;
}

static int resolve_region(struct resolver *r, const struct listing *l, uint32_t listed, uint32_t region,
                          const struct hbase_table *t, struct err *err) {
    for (uint32_t family = 0; family < t->n_families; family++) {
        const struct snapshot_family *f = listing_family(&l->s.regions[listed], t->families[family].name);
        if (f && resolve_family(r, listing_directory(l, listed), f, region, family, err)) return -1;
    }
    return note_other_families(r, listing_directory(l, listed), &l->s.regions[listed], t, err);
}

/* Looks for the mob files of a family. A problem with one is noted, and is none of the store files: values will show whether it
 * is needed. */
static int look_for_mob_family(struct resolver *r, const char *region_name, const struct snapshot_family *f, struct err *err) {
    struct findings *report = r->report, own = {0};
    int rc = 0;
    r->report = &own;
    for (size_t i = 0; i < f->n_files && !rc; i++) {
        size_t before = own.n_problems;
        struct listed at = {region_name, f->name, &f->files[i]};
        rc = resolve_file(r, &at, false, 0, 0, err);
        char *name = !rc && own.n_problems > before ? fs_printf(err, "%s/%s/%s", region_name, f->name, f->files[i].name) : NULL;
        if (name) rc = findings_note(report, NOTE_MOB_FILES, name, 1, f->files[i].bytes, err);
        free(name);
    }
    r->report = report;
    findings_free(&own);
    return rc || err->code ? -1 : 0;
}

static int look_for_mob_files(struct resolver *r, const struct listing *l, struct err *err) {
    for (size_t i = 0; i < l->s.n_regions; i++)
        for (size_t k = 0; l->state[i].is_mob && k < l->s.regions[i].n_families; k++)
            if (look_for_mob_family(r, listing_directory(l, i), &l->s.regions[i].families[k], err)) return -1;
    return 0;
}

int resolve_files(const struct listing *l, const uint32_t *order, size_t n_regions, const struct search_path *places,
                  struct store_files *out, struct findings *report, struct err *err) {
    struct resolver r = {.places = places,
                         .report = report,
                         .ns = bytes_str(places->own ? places->own_ns : l->s.ns),
                         .table = bytes_str(places->own ? places->own_table : l->s.table_name)};
    int rc = look_for_mob_files(&r, l, err);
    for (size_t i = 0; i < n_regions && !rc; i++) rc = resolve_region(&r, l, order[i], (uint32_t)i, &out->table, err);
    out->files = (struct store_file *)r.files.p;
    out->n_files = r.files.n / sizeof *out->files;
    return rc;
}
