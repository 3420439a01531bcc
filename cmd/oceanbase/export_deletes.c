/* The statements that delete, in the manifest of an export: a file for each partition with markers. A manifest with such files
 * has another major version: a loader that does not know them must not load the rest alone. */
#include "base/json.h"
#include "cmd/oceanbase/export_deletes.h"
#include "cmd/oceanbase/export_manifest.h"

#include "base/fs.h"
#include "dataset/manifest_json.h"

#include <stdlib.h>

int export_deletes_add(struct export_deletes *d, const struct export_delete_file *f, struct err *err) {
    if (grow_array(&d->files, d->n, sizeof *d->files, "the list of files", err)) return -1;
    d->files[d->n++] = *f;
    return 0;
}

void export_deletes_free(struct export_deletes *d) {
    for (size_t i = 0; i < d->n; i++) free(d->files[i].path);
    free(d->files);
    *d = (struct export_deletes){0};
}

static int by_partition(const void *x, const void *y) {
    const struct export_delete_file *a = x, *b = y;
    if (a->family != b->family) return a->family < b->family ? -1 : 1;
    return (a->partition > b->partition) - (a->partition < b->partition);
}

void export_deletes_sort(struct export_deletes *d) {
    if (d->n) qsort(d->files, d->n, sizeof *d->files, by_partition);
}

const struct export_delete_file *export_deletes_of(const struct export_deletes *d, uint32_t family, uint32_t partition) {
    const struct export_delete_file key = {.family = family, .partition = partition};
    return d->n ? bsearch(&key, d->files, d->n, sizeof key, by_partition) : NULL;
}

uint64_t export_deletes_markers(const struct export_deletes *d, uint64_t by[DELETE_TYPES]) {
    uint64_t all = 0;
    memset(by, 0, DELETE_TYPES * sizeof *by);
    for (size_t i = 0; i < d->n; i++)
        for (unsigned t = 0; t < DELETE_TYPES; t++) {
            by[t] += d->files[i].markers[t];
            all += d->files[i].markers[t];
        }
    return all;
}

json_t *export_deletes_markers_json(const uint64_t by[DELETE_TYPES]) {
    json_t *j = json_object();
    for (unsigned t = 0; t < DELETE_TYPES; t++) json_object_set_new(j, delete_sql_type_name(t), json_integer((json_int_t)by[t]));
    return j;
}

static json_t *file_json(const struct export_delete_file *f, const struct table *t) {
    return json_new(JSON("path", manifest_text(f->path)), JSON("family", manifest_text(t->families[f->family].name)),
                    JSON("partition", f->partition), JSON("partition_name", manifest_text(t->partitioning.names[f->partition])),
                    JSON("bytes", f->file_bytes), JSON("statements", f->statements),
                    JSON("markers", export_deletes_markers_json(f->markers)), JSON("checksum", f->checksum));
}

json_t *export_deletes_json(const struct export_deletes *d, const struct table *t) {
    json_t *list = json_array();
    for (size_t i = 0; i < d->n; i++) json_array_append_new(list, file_json(&d->files[i], t));
    return list;
}

/* Right in its directory: a manifest must not lead out of its export. */
static bool safe_path(const char *path) {
    static const char directory[] = EXPORT_DELETES_DIR "/";
    size_t n = sizeof directory - 1;
    return path && !strncmp(path, directory, n) && path[n] && path[n] != '.' && !strchr(path + n, '/');
}

static int file_parse(const json_t *j, const struct table *t, struct export_delete_file *f, struct err *err) {
    char *family = NULL;
    const char *sum = json_string_value(json_object_get(j, "checksum"));
    const json_t *markers = json_object_get(j, "markers");
    if (manifest_text_parse(json_object_get(j, "path"), "a path", &f->path, err) ||
        manifest_text_parse(json_object_get(j, "family"), "a family", &family, err))
        return -1;
    int of = family ? table_family(t, bytes_str(family)) : -1;
    free(family);
    if (manifest_u32(j, "partition", &f->partition, err) || manifest_u64(j, "bytes", &f->file_bytes, err) ||
        manifest_u64(j, "statements", &f->statements, err))
        return -1;
    for (unsigned i = 0; i < DELETE_TYPES; i++)
        if (manifest_u64(markers, delete_sql_type_name(i), &f->markers[i], err)) return -1;
    if (!safe_path(f->path) || of < 0 || f->partition >= t->partitioning.count || !sum || strlen(sum) != 16)
        return err_set(err, ERR_INPUT, "manifest: file entry '%.100s' is malformed", f->path ? f->path : "");
    f->family = (uint32_t)of;
    memcpy(f->checksum, sum, 17);
    return 0;
}

int export_deletes_parse(const json_t *list, const struct table *t, struct export_deletes *d, struct err *err) {
    size_t i;
    json_t *j;
    json_array_foreach(list, i, j) {
        struct export_delete_file f = {0};
        if (file_parse(j, t, &f, err) || export_deletes_add(d, &f, err)) {
            free(f.path);
            return -1;
        }
    }
    export_deletes_sort(d);
    return 0;
}
