/* The manifest of a backup image (BackupManifest.BackupImage of HBase), a bare protobuf message. An ancestor in it may hold its
 * own ancestors, and they theirs: HBase restores from the direct ones only, so all others are passed over. */
#include "base/fs.h"
#include "base/wire.h"
#include "formats/hbase/backup_manifest.h"
#include "formats/hbase/names.h"

#include <stdlib.h>

/* ---- the message ---- */

enum { ID = 1, TYPE = 2, TABLES = 4, START = 5, COMPLETE = 6, ANCESTORS = 7 };

static int add_table(struct backup_image *b, struct bytes message, struct err *err) {
    if (grow_array(&b->tables, b->n_tables, sizeof *b->tables, "the tables of a backup", err)) return -1;
    struct backup_table *t = &b->tables[b->n_tables];
    if (table_name_parse(message, &t->ns, &t->name, err)) return err_prefix(err, "table %zu", b->n_tables + 1);
    b->n_tables++;
    return 0;
}

static int set_id(struct backup_image *b, struct bytes id, struct err *err) {
    free(b->id);
    b->id = disk_name_copy(id, "backup id", err);
    return b->id ? 0 : -1;
}

static int64_t time_of(uint64_t ms) {
    return ms > INT64_MAX ? INT64_MAX : (int64_t)ms;
}

static void take_number(struct backup_image *b, const struct pbwire_field *f) {
    if (f->number == TYPE) b->is_full = f->value == 0;
    if (f->number == START) b->start_ms = time_of(f->value);
    if (f->number == COMPLETE) b->complete_ms = time_of(f->value);
}

/* Parses the part of a manifest that describes the image itself. On failure *out is to be freed. */
static int parse_own(struct bytes message, struct backup_image *out, struct err *err) {
    struct pbwire_field f;
    int rc;
    *out = (struct backup_image){.is_full = true};
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.type == PBWIRE_VARINT) take_number(out, &f);
        if (f.type != PBWIRE_BYTES) continue;
        if (f.number == ID && set_id(out, f.bytes, err)) return -1;
        if (f.number == TABLES && add_table(out, f.bytes, err)) return -1;
    }
    if (rc) return err_set(err, ERR_INPUT, "the message is malformed");
    return out->id ? 0 : err_set(err, ERR_INPUT, "there is no backup id");
}

static int add_ancestor(struct backup_image *b, struct bytes message, struct err *err) {
    if (grow_array(&b->ancestors, b->n_ancestors, sizeof *b->ancestors, "the ancestors of a backup", err)) return -1;
    if (!parse_own(message, &b->ancestors[b->n_ancestors], err)) {
        b->n_ancestors++;
        return 0;
    }
    backup_image_free(&b->ancestors[b->n_ancestors]);
    return err_prefix(err, "ancestor %zu", b->n_ancestors + 1);
}

int backup_image_parse(struct bytes message, struct backup_image *out, struct err *err) {
    struct bytes rest = message;
    struct pbwire_field f;
    int rc = parse_own(message, out, err);
    while (!rc && pbwire_next(&rest, &f) == 1)
        if (f.number == ANCESTORS && f.type == PBWIRE_BYTES) rc = add_ancestor(out, f.bytes, err);
    if (rc) backup_image_free(out);
    return rc;
}

static void free_own(struct backup_image *b) {
    for (size_t i = 0; i < b->n_tables; i++) {
        free(b->tables[i].ns);
        free(b->tables[i].name);
    }
    free(b->tables);
    free(b->id);
}

void backup_image_free(struct backup_image *b) {
    for (size_t i = 0; i < b->n_ancestors; i++) free_own(&b->ancestors[i]);
    free(b->ancestors);
    free_own(b);
    *b = (struct backup_image){0};
}

/* ---- the file ---- */

int backup_image_read(const char *dir, struct backup_image *out, struct err *err) {
    enum { MANIFEST_MAX_BYTES = 256 << 20 };
    size_t n;
    *out = (struct backup_image){0};
    char *path = fs_join(dir, BACKUP_MANIFEST, err);
    char *text = path ? fs_read_text(path, MANIFEST_MAX_BYTES, &n, err) : NULL;
    int rc = text ? 0 : -1;
    if (!rc && backup_image_parse(bytes_of(text, n), out, err)) rc = err_prefix(err, "%s", path);
    if (!rc && strcmp(out->id, directory_name(dir)) != 0) {
        rc = err_set(err, ERR_INPUT, "%s: is of the image %s: give the directory that name", path, out->id);
        backup_image_free(out);
    }
    free(path);
    free(text);
    return rc;
}

bool backup_image_has(const struct backup_image *b, const char *ns, const char *table) {
    for (size_t i = 0; i < b->n_tables; i++)
        if (!strcmp(b->tables[i].ns, ns) && !strcmp(b->tables[i].name, table)) return true;
    return false;
}

int backup_image_above(const char *dir, struct backup_image *out, struct err *err) {
    char *ns = directory_above(dir, err), *image = ns ? directory_above(ns, err) : NULL;
    int rc = image ? fs_exists_in(image, BACKUP_MANIFEST, err) : -1;
    if (rc == 1 && backup_image_read(image, out, err)) rc = -1;
    free(ns);
    free(image);
    return rc;
}
