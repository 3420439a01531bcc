/* MANIFEST.json of an export, written and read. It seals itself with a checksum of its own text, so that an edited one is
 * noticed. */
#include "cmd/oceanbase/export_deletes.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/export_manifest.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/json.h"
#include "dataset/dataset_open.h"
#include "dataset/manifest_json.h"
#include "dataset/manifest_table.h"
#include "dataset/publication.h"

#include <malloc.h>
#include <stdlib.h>

enum { MANIFEST_MAX_BYTES = 1 << 30 };

static const char kind[] = "export";

/* ---- sums ---- */

static json_t *u128_json(u128 v) {
    char text[DECIMAL_U128_BYTES + 1];
    decimal_print_u128(v, text);
    return json_string(text);
}

/* Numbers that may exceed 2^63 are written as text. */
static void put_sums(json_t *j, const struct cell_sums *s, bool strong) {
    json_put(j, JSON("rows", s->rows), JSON("cell_bytes", s->bytes), JSON("crc_sum", u128_json(s->crc_sum)),
             JSON("crc_xor", s->crc_xor), JSON("key_sum", u128_json(s->key_sum)));
    if (!strong) return;
    json_put(j, JSON("md5_sum", u128_json(s->md5_sum)), JSON("md5_xor", u128_json(s->md5_xor)));
}

static int take_u128(const json_t *j, const char *key, u128 max, u128 *out, struct err *err) {
    const char *text = json_string_value(json_object_get(j, key));
    *out = 0;
    if (!json_object_get(j, key) || (text && decimal_parse_u128(bytes_str(text), out) && *out <= max)) return 0;
    return err_set(err, ERR_INPUT, "manifest: %s is not a number", key);
}

static int take_sums(const json_t *j, struct cell_sums *s, struct err *err) {
    u128 md5_xor;
    const u128 all = ~(u128)0;
    if (manifest_u64(j, "rows", &s->rows, err) || manifest_u64(j, "cell_bytes", &s->bytes, err) ||
        take_u128(j, "crc_sum", all, &s->crc_sum, err) || manifest_u32(j, "crc_xor", &s->crc_xor, err) ||
        take_u128(j, "key_sum", all, &s->key_sum, err) || take_u128(j, "md5_sum", all, &s->md5_sum, err) ||
        take_u128(j, "md5_xor", UINT64_MAX, &md5_xor, err))
        return -1;
    s->md5_xor = (uint64_t)md5_xor;
    return 0;
}

/* ---- files ---- */

static json_t *file_json(const struct export_manifest *m, const struct export_file *f) {
    json_t *j = json_new(JSON("path", manifest_text(f->path)), JSON("family", manifest_text(m->table.families[f->family].name)),
                         JSON("partition", f->partition),
                         JSON("partition_name", manifest_text(m->table.partitioning.names[f->partition])),
                         JSON("number", f->number), JSON("big", f->big), JSON("bytes", f->file_bytes),
                         JSON("text_bytes", f->text_bytes), JSON("first_key_hex", manifest_hex(buf_bytes(&f->first_key))),
                         JSON("last_key_hex", manifest_hex(buf_bytes(&f->last_key))), JSON("checksum", f->checksum));
    if (j) put_sums(j, &f->sums, m->strong);
    return j;
}

/* Returns whether the path is right below data/ or big/ and no hidden file: a manifest must not lead out of its export. */
static bool safe_path(const char *path, bool big) {
    const char *directory = big ? "big/" : "data/";
    size_t n = strlen(directory);
    return !strncmp(path, directory, n) && path[n] && path[n] != '.' && !strchr(path + n, '/');
}

static int file_place(const json_t *j, const struct table *t, struct export_file *f, struct err *err) {
    char *family;
    const char *sum = json_string_value(json_object_get(j, "checksum"));
    f->big = json_is_true(json_object_get(j, "big"));
    if (manifest_u32(j, "partition", &f->partition, err) ||
        manifest_text_parse(json_object_get(j, "path"), "a path", &f->path, err) ||
        manifest_text_parse(json_object_get(j, "family"), "a family", &family, err))
        return -1;
    int of = family ? table_family(t, bytes_str(family)) : -1;
    free(family);
    bool good = f->path && of >= 0 && safe_path(f->path, f->big) && sum && strlen(sum) == 16;
    if (!good || f->partition >= t->partitioning.count)
        return err_set(err, ERR_INPUT, "manifest: file entry '%.100s' is malformed", f->path ? f->path : "");
    f->family = (uint32_t)of;
    memcpy(f->checksum, sum, 17);
    return 0;
}

static int file_parse(const json_t *j, struct export_manifest *m, struct err *err) {
    struct export_file f = {0};
    int rc = file_place(j, &m->table, &f, err);
    if (!rc)
        rc = manifest_u32(j, "number", &f.number, err) || manifest_u64(j, "bytes", &f.file_bytes, err) ||
             manifest_u64(j, "text_bytes", &f.text_bytes, err) || take_sums(j, &f.sums, err) ||
             manifest_hex_parse(json_object_get(j, "first_key_hex"), &f.first_key, err) ||
             manifest_hex_parse(json_object_get(j, "last_key_hex"), &f.last_key, err);
    if (!rc) rc = export_manifest_add(m, &f, err);
    if (rc) export_file_free(&f);
    return rc ? -1 : 0;
}

/* ---- the whole ---- */

static json_t *totals_json(const struct export_manifest *m) {
    uint64_t bytes = 0, text = 0;
    struct cell_sums all = {0};
    for (size_t i = 0; i < m->n_files; i++) {
        bytes += m->files[i].file_bytes;
        text += m->files[i].text_bytes;
        cell_sums_add(&all, &m->files[i].sums);
    }
    json_t *j = json_new(JSON("files", m->n_files), JSON("bytes", bytes), JSON("text_bytes", text));
    if (j) put_sums(j, &all, m->strong);
    return j;
}

static char *print_head(const struct export_manifest *m, struct err *err) {
    char digest[DIGEST_HEX], version[32];
    uint32_t v = m->target.version;
    digest_print(m->dataset.cells.digest, digest);
    snprintf(version, sizeof version, "%u.%u.%u.%u", v >> 24, v >> 16 & 255, v >> 8 & 255, v & 255);
    json_t *j =
        json_pack("{s:[i,i], s:s, s:o, s:O, s:I, s:b, s:{s:s, s:s, s:s, s:o}, s:b, s:o, s:{s:o, s:I, s:s, s:I}, s:o, s:I, s:o}",
                  "schema", m->deletes.n ? EXPORT_MAJOR_DELETES : EXPORT_MAJOR, EXPORT_MINOR, "kind", kind, "tool",
                  manifest_text(m->tool), "settings", m->settings, "now_ms", (json_int_t)m->now_ms, "now_given",
                  (int)m->now_given, "load", "version", version, "on_duplicate", on_duplicate_name(m->target.on_duplicate),
                  "compression", load_compression_name(m->compression), "server_dir", manifest_text(m->server_dir), "strong",
                  (int)m->strong, "table", manifest_table_json(&m->table), "dataset", "path", manifest_text(m->dataset.path),
                  "cells", (json_int_t)m->dataset.cells.cells, "digest", digest, "now_ms", (json_int_t)m->dataset.made_ms,
                  "ledger", manifest_ledger_json(&m->ledger), "ttl_lost", (json_int_t)m->ttl_lost, "totals", totals_json(m));
    if (j && m->delta) json_object_set_new(j, "delta", json_true());
    if (j && m->delta) json_object_set_new(j, "markers_ahead", json_integer((json_int_t)m->ahead));
    if (j && m->deletes.n) json_object_set_new(j, "deletes", export_deletes_json(&m->deletes, &m->table));
    if (j && m->warnings) json_object_set(j, "warnings", m->warnings);
    return json_memory_dump(j, JSON_INDENT(1), "the manifest", err);
}

/* Appends entry number i of a list, one entry a line; owns the entry from now on. */
static int put_entry(struct buf *out, json_t *entry, bool first, struct err *err) {
    char *text = json_memory_dump(entry, 0, "the manifest", err);
    int rc = text ? buf_printf(out, err, first ? "\n  " : ",\n  ") : -1;
    if (!rc) rc = buf_put(out, text, strlen(text), err);
    free(text);
    return rc;
}

static json_t *partition_json(const struct export_manifest *m, const struct export_file *f, size_t n, struct cell_sums sums) {
    json_t *j = json_new(JSON("family", manifest_text(m->table.families[f->family].name)), JSON("partition", f->partition),
                         JSON("name", manifest_text(m->table.partitioning.names[f->partition])), JSON("files", n));
    if (j) put_sums(j, &sums, m->strong);
    return j;
}

static bool same_partition(const struct export_file *a, const struct export_file *b) {
    return a->family == b->family && a->partition == b->partition;
}

/* Writes the sums of partitions for people and scripts; readers here add up the files. Partitions without rows are left out. */
static int put_partitions(struct buf *out, const struct export_manifest *m, struct err *err) {
    if (buf_printf(out, err, ",\n \"partitions\": [")) return -1;
    for (size_t i = 0, next; i < m->n_files; i = next) {
        struct cell_sums sums = {0};
        for (next = i; next < m->n_files && same_partition(&m->files[i], &m->files[next]); next++)
            cell_sums_add(&sums, &m->files[next].sums);
        if (put_entry(out, partition_json(m, &m->files[i], next - i, sums), i == 0, err)) return -1;
    }
    return buf_printf(out, err, "\n ]");
}

static int put_files(struct buf *out, const struct export_manifest *m, struct err *err) {
    if (buf_printf(out, err, ",\n \"files\": [")) return -1;
    for (size_t i = 0; i < m->n_files; i++)
        if (put_entry(out, file_json(m, &m->files[i]), i == 0, err)) return -1;
    return buf_printf(out, err, "\n ]");
}

char *export_manifest_print(const struct export_manifest *m, struct err *err) {
    struct buf text = {0};
    char *head = print_head(m, err);
    int rc = head ? buf_put(&text, head, strlen(head) - strlen("\n}"), err) : -1;
    free(head);
    if (!rc) rc = put_partitions(&text, m, err) || put_files(&text, m, err) || manifest_put_seal(&text, err) ? -1 : 0;
    if (!rc) return (char *)text.p;
    buf_free(&text);
    return NULL;
}

/* Parses how the files are to be loaded. */
static int parse_load(const json_t *j, struct export_manifest *m, struct err *err) {
    const char *version = json_string_value(json_object_get(j, "version"));
    int duplicate = on_duplicate_parse(json_string_value(json_object_get(j, "on_duplicate"))),
        compression = load_compression_parse(json_string_value(json_object_get(j, "compression")));
    if (!version || load_sql_version(version, &m->target.version) || duplicate < 0 || compression < 0)
        return err_set(err, ERR_INPUT, "manifest: load is malformed");
    m->target.on_duplicate = (enum on_duplicate)duplicate;
    m->compression = (enum load_compression)compression;
    m->target.parallel = EXPORT_PARALLEL;
    return manifest_text_parse(json_object_get(j, "server_dir"), "server_dir", &m->server_dir, err);
}

static int parse_dataset(const json_t *j, struct export_manifest *m, struct err *err) {
    const char *digest = json_string_value(json_object_get(j, "digest"));
    if (manifest_text_parse(json_object_get(j, "path"), "the dataset's path", &m->dataset.path, err) ||
        manifest_u64(j, "cells", &m->dataset.cells.cells, err) || manifest_i64(j, "now_ms", &m->dataset.made_ms, err))
        return -1;
    if (digest && digest_parse(digest, &m->dataset.cells.digest)) return 0;
    return err_set(err, ERR_INPUT, "manifest: a digest is malformed");
}

/* csv, jsonl, cells: files that are not for LOAD DATA, and may be of no SQL table. NULL: they are. */
static const char *other_format(const struct export_manifest *m) {
    const char *format = json_string_value(json_object_get(m->settings, "format"));
    return format && strcmp(format, "kqvt") ? format : NULL;
}

static int parse_object(json_t *j, struct export_manifest *m, struct err *err) {
    json_t *schema = json_object_get(j, "schema"), *settings = json_object_get(j, "settings"), *f;
    const char *is = json_string_value(json_object_get(j, "kind"));
    json_int_t major = json_integer_value(json_array_get(schema, 0));
    size_t i;
    if (!is || strcmp(is, kind) != 0)
        return err_set(err, ERR_INPUT, "not the manifest of an export; make an export from a dataset with obkv-export");
    if (major != EXPORT_MAJOR && major != EXPORT_MAJOR_DELETES)
        return err_set(err, ERR_UNSUPPORTED, "schema version %lld, this program reads %d; use a newer program", (long long)major,
                       EXPORT_MAJOR_DELETES);
    m->settings = settings ? json_incref(settings) : json_null();
    json_t *warnings = json_object_get(j, "warnings");
    if (warnings && !json_is_object(warnings)) return err_set(err, ERR_INPUT, "manifest: the warnings are malformed");
    m->warnings = warnings ? json_incref(warnings) : NULL;
    m->now_given = json_is_true(json_object_get(j, "now_given"));
    m->strong = json_is_true(json_object_get(j, "strong"));
    m->delta = json_is_true(json_object_get(j, "delta"));
    if (manifest_text_parse(json_object_get(j, "tool"), "tool", &m->tool, err) || manifest_i64(j, "now_ms", &m->now_ms, err) ||
        manifest_u64(j, "ttl_lost", &m->ttl_lost, err) || parse_load(json_object_get(j, "load"), m, err) ||
        parse_dataset(json_object_get(j, "dataset"), m, err) ||
        manifest_ledger_parse(json_object_get(j, "ledger"), &m->ledger, err) ||
        manifest_table_parse(json_object_get(j, "table"), &m->table, err))
        return -1;
    json_array_foreach(json_object_get(j, "files"), i, f) {
        if (file_parse(f, m, err)) return -1;
    }
    if (manifest_u64(j, "markers_ahead", &m->ahead, err) ||
        export_deletes_parse(json_object_get(j, "deletes"), &m->table, &m->deletes, err))
        return -1;
    for (i = 0; !other_format(m) && i < m->table.n_families; i++)
        if (!m->table.families[i].sql_table) return err_set(err, ERR_INPUT, "manifest: a family without sql_table");
    return 0;
}

int export_manifest_parse(const char *name, const char *text, size_t n, struct export_manifest *out, struct err *err) {
    *out = (struct export_manifest){0};
    json_error_t je;
    json_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES, &je);
    if (!j) return err_set(err, ERR_INPUT, "%s: line %d: %s", name, je.line, je.text);
    int rc = parse_object(j, out, err);
    json_decref(j);
    malloc_trim(0); /* see manifest_parse */
    out->sealed = manifest_is_sealed(text, n);
    if (!rc) {
        export_manifest_sort(out);
        return 0;
    }
    export_manifest_free(out);
    return err_prefix(err, "%s", name);
}

int export_manifest_load(const char *dir, struct export_manifest *out, struct err *err) {
    char *path = publication_recover(dir, err) ? NULL : fs_join(dir, "MANIFEST.json", err);
    if (!path) return -1;
    size_t n;
    char *text = fs_read_text(path, MANIFEST_MAX_BYTES, &n, err);
    int rc = text ? export_manifest_parse(path, text, n, out, err) : -1;
    free(text);
    free(path);
    return rc;
}

int export_manifest_open(const char *dir, struct export_manifest *out, struct err *err) {
    if (export_manifest_load(dir, out, err)) return -1;
    const char *other = other_format(out);
    if (out->sealed && !other) return 0;
    if (other)
        err_set(err, ERR_USAGE, "%s holds %.20s, not for LOAD DATA; export again without --format %.20s", dir, other, other);
    else
        err_set(err, ERR_INPUT,
                "%s/MANIFEST.json was changed after it was written (its checksum does not match); copy or export it again", dir);
    export_manifest_free(out);
    return -1;
}

int export_is(const char *dir, struct err *err) {
    int there = dataset_is(dir, err);
    if (there <= 0) return there;
    char *path = fs_join(dir, "MANIFEST.json", err);
    size_t n;
    char *text = path ? fs_read_text(path, MANIFEST_MAX_BYTES, &n, err) : NULL;
    json_t *j = text ? json_loadb(text, n, 0, NULL) : NULL;
    const char *is = json_string_value(json_object_get(j, "kind"));
    int rc = !text ? -1 : is && !strcmp(is, kind);
    json_decref(j);
    free(text);
    free(path);
    return rc;
}

static const char *path_of_file(const void *m, size_t i) {
    return ((const struct export_manifest *)m)->files[i].path;
}

struct signed_list export_signed_list(const struct export_manifest *m) {
    return (struct signed_list){m->n_files + m->deletes.n, path_of_file, m};
}

void export_manifest_free(struct export_manifest *m) {
    for (size_t i = 0; i < m->n_files; i++) export_file_free(&m->files[i]);
    free(m->files);
    export_deletes_free(&m->deletes);
    free(m->tool);
    free(m->server_dir);
    free(m->dataset.path);
    if (m->settings) json_decref(m->settings);
    json_decref(m->warnings);
    table_free(&m->table);
    *m = (struct export_manifest){0};
}

int export_manifest_add(struct export_manifest *m, const struct export_file *f, struct err *err) {
    if (grow_array(&m->files, m->n_files, sizeof *m->files, "the list of files", err)) return -1;
    m->files[m->n_files++] = *f;
    return 0;
}
