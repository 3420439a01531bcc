/* A snapshot directory, read: everything that is in it, nothing that it leads to (read_tree.c looks that up). Three layouts,
 * which HBase reads side by side: V2 with data.manifest, V2 not consolidated (a file region-manifest.REGION each), V1 of 0.94
 * (a directory for each region with .regioninfo, empty files named like the store files, and references).
 * Source: SnapshotManifest, SnapshotManifestV1, SnapshotManifestV2. */
#include "formats/hbase/descriptor.h"
#include "formats/hbase/snapshot.h"

#include "base/fs.h"
#include "base/buf.h"
#include "base/wire.h"
#include "formats/hbase/names.h"

#include <stdlib.h>

enum {
    INFO_MAX_BYTES = 16 << 20, /* .snapshotinfo may hold the permissions of every user */
    SNAPSHOT_MANIFEST_MAX_BYTES = 1 << 30
};

#define LIST "the list of a snapshot's files takes"

/* ---- the list ---- */

/* One more, zeroed; NULL: out of memory. */
static struct snapshot_region *add_region(struct snapshot *s, struct err *err) {
    if (grow_array(&s->regions, s->n_regions, sizeof *s->regions, "the list of a snapshot's files", err)) return NULL;
    struct snapshot_region *p = &s->regions[s->n_regions++];
    *p = (struct snapshot_region){0};
    return p;
}

static struct snapshot_family *add_family(struct snapshot_region *r, struct err *err) {
    if (grow_array(&r->families, r->n_families, sizeof *r->families, "the list of a snapshot's files", err)) return NULL;
    struct snapshot_family *p = &r->families[r->n_families++];
    *p = (struct snapshot_family){0};
    return p;
}

static struct snapshot_file *add_file(struct snapshot_family *f, struct err *err) {
    if (grow_array(&f->files, f->n_files, sizeof *f->files, "the list of a snapshot's files", err)) return NULL;
    struct snapshot_file *p = &f->files[f->n_files++];
    *p = (struct snapshot_file){0};
    return p;
}

static void free_family(struct snapshot_family *f) {
    for (size_t i = 0; i < f->n_files; i++) {
        free(f->files[i].name);
        reference_free(&f->files[i].reference);
    }
    free(f->files);
    free(f->name);
}

static void free_region(struct snapshot_region *r) {
    for (size_t i = 0; i < r->n_families; i++) free_family(&r->families[i]);
    free(r->families);
    region_info_free(&r->info);
}

void snapshot_free(struct snapshot *s) {
    for (size_t i = 0; i < s->n_regions; i++) free_region(&s->regions[i]);
    free(s->regions);
    hbase_table_free(&s->table);
    free(s->name);
    free(s->ns);
    free(s->table_name);
    *s = (struct snapshot){0};
}

/* A region, once it is complete: one has files enough for a small part of any memory. */
static int count_region(const struct snapshot *s, const struct snapshot_region *r, struct err *err) {
    uint64_t bytes = sizeof *r + r->info.start.n + r->info.end.n + 2 * LIST_ROOM_EACH;
    for (size_t i = 0; i < r->n_families; i++) {
        const struct snapshot_family *f = &r->families[i];
        bytes += sizeof *f + 2 * LIST_ROOM_EACH;
        for (size_t k = 0; k < f->n_files; k++) bytes += sizeof *f->files + strlen(f->files[k].name) + LIST_ROOM_EACH;
    }
    return s->room ? list_room_take(s->room, bytes, LIST, err) : 0;
}

/* ---- messages ---- */

static int set_name(struct bytes from, const char *what, char **to, struct err *err) {
    free(*to);
    *to = disk_name_copy(from, what, err);
    return *to ? 0 : -1;
}

/* StoreFile: 1 name, 2 Reference, 3 file_size. */
static int parse_listed_file(struct bytes message, struct snapshot_file *out, struct err *err) {
    enum { NAME = 1, REFERENCE = 2, SIZE = 3 };
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.number == NAME && f.type == PBWIRE_BYTES && set_name(f.bytes, "store file", &out->name, err)) return -1;
        if (f.number == REFERENCE && f.type == PBWIRE_BYTES) {
            reference_free(&out->reference);
            if (reference_parse(f.bytes, &out->reference, err)) return -1;
            out->is_reference = true;
        }
        if (f.number == SIZE && f.type == PBWIRE_VARINT) {
            out->bytes = f.value;
            out->has_size = true;
        }
    }
    if (rc) return err_set(err, ERR_INPUT, "a store file's entry is malformed");
    return out->name ? 0 : err_set(err, ERR_INPUT, "a store file has no name");
}

/* FamilyFiles: 1 family_name, 2 store_files. */
static int parse_family(struct bytes message, struct snapshot_family *out, struct err *err) {
    enum { NAME = 1, FILES = 2 };
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.number == NAME && f.type == PBWIRE_BYTES && set_name(f.bytes, "family", &out->name, err)) return -1;
        if (f.number != FILES || f.type != PBWIRE_BYTES) continue;
        struct snapshot_file *file = add_file(out, err);
        if (!file) return -1;
        if (parse_listed_file(f.bytes, file, err)) return err_prefix(err, "file %zu", out->n_files);
    }
    if (rc) return err_set(err, ERR_INPUT, "malformed after %zu files", out->n_files);
    return out->name ? 0 : err_set(err, ERR_INPUT, "has no name");
}

int snapshot_region_parse(struct bytes message, struct snapshot_region *out, struct err *err) {
    enum { REGION = 2, FAMILIES = 3 };
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.type != PBWIRE_BYTES) continue;
        if (f.number == REGION) {
            region_info_free(&out->info);
            if (region_info_parse(f.bytes, &out->info, err)) return -1;
        }
        if (f.number != FAMILIES) continue;
        struct snapshot_family *family = add_family(out, err);
        if (!family) return -1;
        if (parse_family(f.bytes, family, err)) return err_prefix(err, "family %zu", out->n_families);
    }
    if (rc) return err_set(err, ERR_INPUT, "malformed after %zu families", out->n_families);
    return out->info.ns ? 0 : err_set(err, ERR_INPUT, "does not say which region it is");
}

int snapshot_manifest_parse(struct bytes message, struct snapshot *out, struct err *err) {
    enum { TABLE = 1, REGIONS = 2 };
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.type != PBWIRE_BYTES) continue;
        if (f.number == TABLE) {
            hbase_table_free(&out->table);
            if (hbase_table_parse(f.bytes, &out->table, err)) return -1;
        }
        if (f.number != REGIONS) continue;
        struct snapshot_region *region = add_region(out, err);
        if (!region) return -1;
        if (snapshot_region_parse(f.bytes, region, err)) return err_prefix(err, "region %zu", out->n_regions);
        if (count_region(out, region, err)) return -1;
    }
    if (rc) return err_set(err, ERR_INPUT, "malformed after %zu regions", out->n_regions);
    return out->table.name ? 0 : err_set(err, ERR_INPUT, "does not describe the table");
}

enum { INFO_NAME = 1, INFO_TABLE = 2, INFO_CREATED = 3, INFO_TYPE = 4, INFO_VERSION = 5, INFO_TTL = 8 };

static int take_info_number(const struct pbwire_field *f, uint64_t *version, struct snapshot *out, struct err *err) {
    if (f->number == INFO_CREATED) out->created_ms = (int64_t)f->value;
    if (f->number == INFO_TTL) out->ttl_s = (int64_t)f->value < 0 ? 0 : (int64_t)f->value;
    if (f->number == INFO_VERSION) *version = f->value;
    if (f->number == INFO_TYPE) {
        if (f->value > SNAPSHOT_SKIPFLUSH)
            return err_set(err, ERR_INPUT, "a snapshot of type %llu; 0, 1 and 2 are known", (unsigned long long)f->value);
        out->type = (enum snapshot_type)f->value;
    }
    return 0;
}

int snapshot_info_parse(struct bytes message, struct snapshot *out, struct err *err) {
    enum { VERSION_1 = 0, VERSION_2 = 2 }; /* SnapshotManifestV1, SnapshotManifestV2 */
    struct bytes table = {0};
    struct pbwire_field f;
    uint64_t version = VERSION_1;
    int rc;
    out->type = SNAPSHOT_FLUSH; /* the field's default */
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.type == PBWIRE_VARINT && take_info_number(&f, &version, out, err)) return -1;
        if (f.number == INFO_NAME && f.type == PBWIRE_BYTES && set_name(f.bytes, "snapshot", &out->name, err)) return -1;
        if (f.number == INFO_TABLE && f.type == PBWIRE_BYTES) table = f.bytes;
    }
    if (rc) return err_set(err, ERR_INPUT, "malformed");
    if (!out->name) return err_set(err, ERR_INPUT, "the snapshot has no name");
    if (!table.p) return err_set(err, ERR_INPUT, "does not name the table of the snapshot");
    if (version != VERSION_1 && version != VERSION_2)
        return err_set(err, ERR_UNSUPPORTED,
                       "layout %llu of snapshots is not supported, only those of HBase 0.94 to 2.6 (0 and 2); copy the "
                       "table within HBase and export the copy",
                       (unsigned long long)version);
    out->version = version == VERSION_2 ? 2 : 1;
    return table_name_split(table, &out->ns, &out->table_name, err);
}

/* ---- regions without data.manifest ---- */

/* A directory that is walked, and what to do with each name in it. */
struct snapshot_walk {
    const char *dir;
    struct snapshot *snapshot;
    struct snapshot_region *region;
    struct snapshot_family *family;
};

static int read_region_manifest(const char *path, struct snapshot_region *out, struct err *err) {
    size_t n;
    char *text = fs_read_text(path, SNAPSHOT_MANIFEST_MAX_BYTES, &n, err);
    if (!text) return -1;
    int rc = snapshot_region_parse(bytes_of(text, n), out, err) ? err_prefix(err, "%s", path) : 0;
    free(text);
    return rc;
}

static int read_marker_file(const char *path, const char *name, struct snapshot_family *family, struct err *err) {
    struct snapshot_file *file = add_file(family, err);
    if (!file) return -1;
    file->name = disk_name_copy(bytes_str(name), "store file", err);
    if (!file->name) return -1;
    file->is_reference = store_name_parse(bytes_str(name)).kind == STORE_NAME_REFERENCE;
    return file->is_reference ? reference_read(path, &file->reference, err) : 0;
}

static int visit_file(void *arg, const char *name, bool is_dir, struct err *err) {
    struct snapshot_walk *w = arg;
    if (is_dir || store_name_parse(bytes_str(name)).kind == STORE_NAME_OTHER) return 0;
    char *path = fs_join(w->dir, name, err);
    int rc = path ? read_marker_file(path, name, w->family, err) : -1;
    free(path);
    return rc;
}

int snapshot_file_order(const void *a, const void *b) {
    return strcmp(((const struct snapshot_file *)a)->name, ((const struct snapshot_file *)b)->name);
}

static int read_family_directory(const char *path, const char *name, struct snapshot_region *region, struct err *err) {
    struct snapshot_walk w = {.dir = path, .family = add_family(region, err)};
    if (!w.family) return -1;
    w.family->name = disk_name_copy(bytes_str(name), "family", err);
    if (!w.family->name || directory_each(path, visit_file, &w, err) < 0) return -1;
    if (w.family->n_files) qsort(w.family->files, w.family->n_files, sizeof *w.family->files, snapshot_file_order);
    return 0;
}

static int visit_family(void *arg, const char *name, bool is_dir, struct err *err) {
    struct snapshot_walk *w = arg;
    if (!is_dir || name[0] == '.' || !strcmp(name, "recovered.edits")) return 0;
    char *path = fs_join(w->dir, name, err);
    int rc = path ? read_family_directory(path, name, w->region, err) : -1;
    free(path);
    return rc;
}

static int read_region_directory(const char *path, const char *name, struct snapshot_region *out, struct err *err) {
    struct snapshot_walk w = {.dir = path, .region = out};
    char *info = fs_join(path, ".regioninfo", err);
    int rc = info ? region_info_read(info, &out->info, err) : -1;
    free(info);
    if (rc) return -1;
    if (out->info.short_name && strlen(name) < sizeof out->info.encoded) memcpy(out->info.encoded, name, strlen(name) + 1);
    return directory_each(path, visit_family, &w, err) < 0 ? -1 : 0;
}

/* An encoded name, of which HBase wants no more than hex digits. */
static bool is_region_name(const char *name) {
    return *name && name[strspn(name, "0123456789abcdef")] == 0;
}

static int visit_region(void *arg, const char *name, bool is_dir, struct err *err) {
    static const char start[] = "region-manifest.";
    struct snapshot_walk *w = arg;
    bool is_manifest = !is_dir && strncmp(name, start, sizeof start - 1) == 0;
    if (!is_manifest && !(is_dir && is_region_name(name))) return 0;
    struct snapshot_region *region = add_region(w->snapshot, err);
    char *path = region ? fs_join(w->dir, name, err) : NULL;
    int rc = -1;
    if (path) rc = is_manifest ? read_region_manifest(path, region, err) : read_region_directory(path, name, region, err);
    if (!rc) rc = count_region(w->snapshot, region, err);
    free(path);
    return rc;
}

static int by_encoded_name(const void *a, const void *b) {
    return strcmp(((const struct snapshot_region *)a)->info.encoded, ((const struct snapshot_region *)b)->info.encoded);
}

/* Appends the regions to out, by encoded name. */
static int read_region_directories(const char *dir, struct snapshot *out, struct err *err) {
    struct snapshot_walk w = {.dir = dir, .snapshot = out};
    if (directory_each(dir, visit_region, &w, err) < 0) return -1;
    if (out->n_regions) qsort(out->regions, out->n_regions, sizeof *out->regions, by_encoded_name);
    return 0;
}

/* ---- the directory ---- */

typedef int parse_message(struct bytes message, struct snapshot *out, struct err *err);

static int read_message(const char *dir, const char *name, size_t limit, parse_message *parse, struct snapshot *out,
                        struct err *err) {
    size_t n;
    char *path = fs_join(dir, name, err);
    const uint64_t before = out->room->taken;
    int rc = path ? list_room_take_file(out->room, path, LIST, err) : -1;
    const uint64_t of_text = out->room->taken - before;
    char *text = rc ? NULL : fs_read_text(path, limit, &n, err);
    rc = text ? 0 : -1;
    if (text && parse(bytes_of(text, n), out, err)) rc = err->code == ERR_LIMIT ? -1 : err_prefix(err, "%s", path);
    out->room->taken -= of_text;
    free(text);
    free(path);
    return rc;
}

/* Reads the descriptor in .tabledesc; HBase 0.94 put the file into the snapshot's own directory. */
static int read_descriptor(const char *dir, struct hbase_table *out, struct err *err) {
    char *desc = fs_join(dir, ".tabledesc", err);
    if (!desc) return -1;
    int rc = hbase_tableinfo_read(desc, out, err);
    if (rc == 0) rc = hbase_tableinfo_read(dir, out, err);
    if (rc == 0) rc = err_set(err, ERR_INPUT, "%s: holds neither data.manifest nor a table descriptor (.tabledesc)", dir);
    free(desc);
    return rc == 1 ? 0 : -1;
}

static int read_regions(const char *dir, struct snapshot *out, struct err *err) {
    if (read_descriptor(dir, &out->table, err) || read_region_directories(dir, out, err)) return -1;
    if (out->n_regions) return 0;
    return err_set(err, ERR_INPUT,
                   "%s: holds neither data.manifest nor regions: the snapshot was not finished, or not copied completely", dir);
}

static int has_manifest(const char *dir, struct err *err) {
    char *path = fs_join(dir, "data.manifest", err);
    int rc = path ? fs_exists(path, err) : -1;
    free(path);
    return rc;
}

static int read_snapshot(const char *dir, struct snapshot *out, struct err *err) {
    if (read_message(dir, ".snapshotinfo", INFO_MAX_BYTES, snapshot_info_parse, out, err)) return -1;
    int manifest = out->version == 2 ? has_manifest(dir, err) : 0;
    if (manifest < 0) return -1;
    int rc = manifest ? read_message(dir, "data.manifest", SNAPSHOT_MANIFEST_MAX_BYTES, snapshot_manifest_parse, out, err)
                      : read_regions(dir, out, err);
    if (rc) return -1;
    if (strcmp(out->ns, out->table.ns) != 0 || strcmp(out->table_name, out->table.name) != 0)
        return err_set(err, ERR_INPUT, "%s: .snapshotinfo is of table %s:%s, the descriptor of %s:%s", dir, out->ns,
                       out->table_name, out->table.ns, out->table.name);
    return 0;
}

int snapshot_read(const char *dir, struct list_room *room, struct snapshot *out, struct err *err) {
    *out = (struct snapshot){.room = room};
    const int rc = read_snapshot(dir, out, err);
    out->room = NULL;
    if (rc == 0) return 0;
    snapshot_free(out);
    return -1;
}
