/* The tables of a mapping: {"tables": {"categories": {"file": "categories.csv", "key": "id"}}}. Each is read when the mapping is
 * loaded; its file lies next to that of the mapping. The digest of the file goes into the mapping, because other values make
 * another dataset. */
#include "formats/mapping/mapping.h"

#include "base/fs.h"
#include "base/text.h"
#include "formats/mapping/mapping_columns.h"
#include "formats/mapping/mapping_tables.h"

#define XXH_INLINE_ALL
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <xxhash.h>

enum { DIGEST_HEX = 32 };

/* The text under `key` of a table; *out NULL: not there. */
static int take(const struct mapping *m, const json_t *v, const struct json_place *at, const char *key, const char **out,
                struct err *err) {
    const json_t *text = json_object_get(v, key);
    const struct json_place here = json_place_key(at, key);
    *out = json_string_value(text);
    if (!text || (*out && **out && strlen(*out) == json_string_length(text))) return 0;
    return mapping_error(m, &here, err, "expected text");
}

/* Relative to the mapping file. */
static char *path_of(const struct mapping *m, const char *file, struct err *err) {
    const char *slash = strrchr(m->path, '/');
    return *file == '/' || !slash ? fs_printf(err, "%s", file) : fs_printf(err, "%.*s/%s", (int)(slash - m->path), m->path, file);
}

/* Notes the digest of a table's file as it is, before the text is unescaped in place. */
static int note_digest(struct mapping *m, json_t *v, const struct json_place *at, const char *want, struct bytes text,
                       struct err *err) {
    XXH128_canonical_t digest;
    char hex[DIGEST_HEX + 1] = {0};
    const struct json_place here = json_place_key(at, "digest");
    XXH128_canonicalFromHash(&digest, XXH3_128bits(text.p, text.n));
    hex_write((uint8_t *)hex, bytes_of(digest.digest, sizeof digest.digest));
    if (want && strcmp(want, hex) != 0) return mapping_error(m, &here, err, "the file has another digest: %s", hex);
    return json_object_set_new(v, "digest", json_string(hex)) ? err_nomem(err, 0, "a mapping") : 0;
}

/* Tables are held all the time. more: what the next one takes at least. */
static int check_memory(const struct mapping *m, const struct mapping_defaults *d, uint64_t more, struct err *err) {
    const uint64_t bytes = mapping_tables_bytes(m) + more;
    if (!d->memory_bytes || 4 * bytes <= d->memory_bytes) return 0;
    return err_set(err, ERR_LIMIT,
                   "%s: its tables take %llu bytes%s, more than a quarter of --memory; use --memory %lluM or more", m->path,
                   (unsigned long long)bytes, more ? " at least" : "", (unsigned long long)((4 * bytes >> 20) + 1));
}

static int check_size(const struct mapping *m, const struct mapping_defaults *d, const char *path, struct err *err) {
    struct stat st;
    return path && !stat(path, &st) ? check_memory(m, d, (uint64_t)st.st_size, err) : 0;
}

/* Returns whether the error is a mistake in the mapping. A table that is there and cannot be read is none. */
static bool is_mistake(const struct err *bad) {
    return bad->code == ERR_USAGE || (bad->code == ERR_INPUT && (!bad->sys || bad->sys == ENOENT || bad->sys == ENOTDIR));
}

static int read_table(struct mapping *m, const struct mapping_defaults *d, json_t *v, const struct json_place *at,
                      const char *file, const char *key, const char *delimiter, struct err *err) {
    const char *want;
    size_t n = 0;
    struct err bad = {0};
    struct lookup_table *t = &m->tables[m->n_tables - 1].table;
    char *path = path_of(m, file, err);
    if (check_size(m, d, path, err)) {
        free(path);
        return -1;
    }
    char *text = path ? fs_read_text(path, LOOKUP_FILE_BYTES_MAX, &n, &bad) : NULL;
    int rc = text ? take(m, v, at, "digest", &want, err) : -1;
    if (!rc) rc = note_digest(m, v, at, want, bytes_of(text, n), err);
    if (!rc) rc = lookup_table_parse(t, path, bytes_of(text, n), delimiter ? *delimiter : ',', bytes_str(key), &bad);
    if (rc && !is_mistake(&bad)) err_keep(err, &bad);
    if (rc && !err->code) mapping_error(m, at, err, "%s", bad.text);
    free(text);
    free(path);
    return rc ? rc : check_memory(m, d, 0, err);
}

static int add_table(struct mapping *m, const struct mapping_defaults *d, const char *name, json_t *v,
                     const struct json_place *at, struct err *err) {
    const char *file, *key, *delimiter;
    if (!json_is_object(v)) return mapping_error(m, at, err, "expected an object with \"file\" and \"key\"");
    if (mapping_check_keys(m, v, at, "file key delimiter digest", err) || take(m, v, at, "file", &file, err) ||
        take(m, v, at, "key", &key, err) || take(m, v, at, "delimiter", &delimiter, err))
        return -1;
    if (!file || !key)
        return mapping_error(m, at, err, "expected \"file\", a CSV with a header, and \"key\", one of its columns");
    if (delimiter && (strlen(delimiter) != 1 || strchr("\"\r\n", *delimiter)))
        return mapping_error(m, at, err, "\"delimiter\" is one byte, such as \";\" or \"\\t\"");
    m->tables[m->n_tables++].name = bytes_str(name);
    return read_table(m, d, v, at, file, key, delimiter, err);
}

int mapping_take_tables(struct mapping *m, const struct mapping_defaults *d, struct err *err) {
    const struct json_place root = {0}, at = json_place_key(&root, "tables");
    json_t *tables = json_object_get(m->json, "tables"), *v;
    const char *name;
    if (!tables) return 0;
    if (!json_is_object(tables)) return mapping_error(m, &at, err, "expected an object: {\"name\": {\"file\": …, \"key\": …}}");
    if (json_object_size(tables) > MAPPING_TABLES_MAX)
        return mapping_error(m, &at, err, "more than %d tables", MAPPING_TABLES_MAX);
    if (!d->reads_files) return mapping_error(m, &at, err, "tables need a mapping that is a file: theirs lie next to it");
    json_object_foreach(tables, name, v) {
        const struct json_place here = json_place_key(&at, name);
        if (add_table(m, d, name, v, &here, err)) return -1;
    }
    return 0;
}

int mapping_find_table(void *arg, struct bytes table, struct bytes column, struct lookup_use *use, struct err *err) {
    const struct mapping_names *p = arg;
    for (uint32_t i = 0; i < p->mapping->n_tables; i++) {
        const struct mapping_table *t = &p->mapping->tables[i];
        if (!bytes_eq(t->name, table)) continue;
        use->table = &t->table;
        if (lookup_table_column(use->table, column, &use->column)) return 0;
        return err_set(err, ERR_USAGE, "lookup: %s has no column '%.*s'", t->table.path, (int)(column.n > 100 ? 100 : column.n),
                       (const char *)column.p);
    }
    return err_set(err, ERR_USAGE, "lookup: \"tables\" has no '%.*s'", (int)(table.n > 100 ? 100 : table.n),
                   (const char *)table.p);
}

size_t mapping_tables_bytes(const struct mapping *m) {
    size_t n = 0;
    for (uint32_t i = 0; i < m->n_tables; i++) n += lookup_table_bytes(&m->tables[i].table);
    return n;
}
