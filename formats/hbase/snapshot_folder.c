#include "formats/hbase/snapshot_folder.h"

#include "base/fs.h"
#include "formats/hbase/disk_name.h"
#include "formats/hbase/snapshot_manifest.h"
#include "formats/hbase/store_name.h"

#include <stdlib.h>

/* A folder that is walked, and what goes on with its names. */
struct walk {
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

static int add_file(const char *path, const char *name, struct snapshot_family *family, struct err *err) {
    struct snapshot_file *file = snapshot_add_file(family, err);
    if (!file) return -1;
    file->name = disk_name_copy(bytes_str(name), "store file", err);
    if (!file->name) return -1;
    file->is_reference = store_name_parse(bytes_str(name)).kind == STORE_NAME_REFERENCE;
    return file->is_reference ? reference_read(path, &file->reference, err) : 0;
}

static int visit_file(void *arg, const char *name, bool is_dir, struct err *err) {
    struct walk *w = arg;
    if (is_dir || store_name_parse(bytes_str(name)).kind == STORE_NAME_OTHER) return 0;
    char *path = fs_join(w->dir, name, err);
    int rc = path ? add_file(path, name, w->family, err) : -1;
    free(path);
    return rc;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct snapshot_file *)a)->name, ((const struct snapshot_file *)b)->name);
}

static int add_family(const char *path, const char *name, struct snapshot_region *region, struct err *err) {
    struct walk w = {.dir = path, .family = snapshot_add_family(region, err)};
    if (!w.family) return -1;
    w.family->name = disk_name_copy(bytes_str(name), "family", err);
    if (!w.family->name || folder_each(path, visit_file, &w, err) < 0) return -1;
    if (w.family->n_files) qsort(w.family->files, w.family->n_files, sizeof *w.family->files, by_name);
    return 0;
}

static int visit_family(void *arg, const char *name, bool is_dir, struct err *err) {
    struct walk *w = arg;
    if (!is_dir || name[0] == '.' || !strcmp(name, "recovered.edits")) return 0;
    char *path = fs_join(w->dir, name, err);
    int rc = path ? add_family(path, name, w->region, err) : -1;
    free(path);
    return rc;
}

static int read_region_folder(const char *path, struct snapshot_region *out, struct err *err) {
    struct walk w = {.dir = path, .region = out};
    char *info = fs_join(path, ".regioninfo", err);
    int rc = info ? region_info_read(info, &out->info, err) : -1;
    free(info);
    if (rc) return -1;
    return folder_each(path, visit_family, &w, err) < 0 ? -1 : 0;
}

/* An encoded name, of which HBase wants no more than hex digits. */
static bool is_region_name(const char *name) {
    return *name && name[strspn(name, "0123456789abcdef")] == 0;
}

static int visit_region(void *arg, const char *name, bool is_dir, struct err *err) {
    static const char start[] = "region-manifest.";
    struct walk *w = arg;
    bool is_manifest = !is_dir && strncmp(name, start, sizeof start - 1) == 0;
    if (!is_manifest && !(is_dir && is_region_name(name))) return 0;
    struct snapshot_region *region = snapshot_add_region(w->snapshot, err);
    char *path = region ? fs_join(w->dir, name, err) : NULL;
    int rc = -1;
    if (path) rc = is_manifest ? read_region_manifest(path, region, err) : read_region_folder(path, region, err);
    free(path);
    return rc;
}

static int by_encoded_name(const void *a, const void *b) {
    return strcmp(((const struct snapshot_region *)a)->info.encoded, ((const struct snapshot_region *)b)->info.encoded);
}

int snapshot_folder_read(const char *dir, struct snapshot *out, struct err *err) {
    struct walk w = {.dir = dir, .snapshot = out};
    if (folder_each(dir, visit_region, &w, err) < 0) return -1;
    if (out->n_regions) qsort(out->regions, out->n_regions, sizeof *out->regions, by_encoded_name);
    return 0;
}
