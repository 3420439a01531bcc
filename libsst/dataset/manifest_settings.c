/* Lists how the settings of two runs differ, for messages that refuse one of them, so that the reader need not compare two
 * manifests: the first few settings that differ, each by its option and with both values, of long texts the part where they begin
 * to differ.
 *
 *     {"table": {"partitioning": {"kind": "key", "count": 7}, "families": [{"name": "f", "rules": {"ttl_s": 0}}]}}
 *     {"table": {"partitioning": {"kind": "key", "count": 97}, "families": [{"name": "f", "rules": {"ttl_s": 9}}]}}
 *     --partition key:7 → key:97, ttl_s of family f 0 → 9 */

#include "base/json.h"
#include "dataset/manifest.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_MAX = 3, VALUE_BYTES = 60, BEFORE_DIFFERENCE = 20 };

struct differences {
    struct buf *out;
    struct buf path; /* of the member that is compared */
    unsigned n;
};

static bool is_nothing(const json_t *j) {
    return !j || json_is_null(j);
}

/* The delimiter and the quote are numbers in manifests: a byte, or what options.c says instead. */
static json_t *as_shown(const char *path, const json_t *j) {
    json_int_t byte = json_integer_value(j);
    bool is_byte = json_is_integer(j) && (!strcmp(path, "delimiter") || !strcmp(path, "quote"));
    if (is_byte && byte == -1) return json_null();
    if (is_byte && byte == -2) return json_string("none");
    if (is_byte && byte >= ' ' && byte <= '~') return json_pack("s#", &(char){(char)byte}, 1);
    return json_incref((json_t *)j);
}

/* Returns whether the text needs no quotes and no escapes. */
static bool is_plain(const char *text) {
    const char *at = text;
    while (*at > ' ' && *at <= '~' && *at != '"') at++;
    return at > text && !*at;
}

static char *text_of(const char *path, const json_t *j, struct err *err) {
    json_t *shown = as_shown(path, j);
    const char *plain = is_nothing(shown)        ? "nothing"
                        : json_is_boolean(shown) ? (json_is_true(shown) ? "yes" : "no")
                                                 : json_string_value(shown);
    if (plain && is_plain(plain)) {
        char *copy = strdup(plain);
        json_decref(shown);
        return copy;
    }
    return json_memory_dump(shown, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_COMPACT, "settings", err);
}

static int put_value(struct buf *out, const char *text, size_t same, struct err *err) {
    size_t n = strlen(text), from = same > BEFORE_DIFFERENCE && n > VALUE_BYTES ? same - BEFORE_DIFFERENCE : 0;
    bool cut = n - from > VALUE_BYTES;
    return buf_printf(out, err, "%s%.*s%s", from ? "..." : "", VALUE_BYTES, text + from, cut ? "..." : "");
}

/* Settings that have the name of an option. */
static const char *const options[] = {"columns", "key",  "map",   "codec",   "encoding", "header",  "delimiter", "quote",
                                      "null",    "now",  "ttl",   "compact", "versions", "dialect", "like",      "timestamp",
                                      "table",   "rank", "delta", "rules",   "backup",   "after",   "snapshot"};

/* "table.families[f].rules.versions" is "versions of family f", and columns is --columns. */
static int put_name(struct buf *out, const char *path, struct err *err) {
    static const char families[] = "table.families[";
    const char *end = strncmp(path, families, sizeof families - 1) ? NULL : strchr(path, ']'), *last = strrchr(path, '.');
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (!strcmp(path, options[i])) return buf_printf(out, err, "--%s ", path);
    if (!strcmp(path, "table.partitioning")) return buf_printf(out, err, "--partition ");
    if (!strcmp(path, "table.name")) return buf_printf(out, err, "name of the table ");
    if (end && last > end)
        return buf_printf(out, err, "%s of family %.*s ", last + 1, (int)(end - path - (ptrdiff_t)sizeof families + 1),
                          path + sizeof families - 1);
    return buf_printf(out, err, "%s ", path);
}

static int put_difference(struct differences *d, const char *path, const char *a, const char *b, struct err *err) {
    size_t same = 0;
    while (a[same] && a[same] == b[same]) same++;
    if (!a[same] && !b[same]) return 0; /* null and absent are the same */
    if (d->n++ >= SHOWN_MAX) return 0;
    if (buf_printf(d->out, err, "%s", d->n > 1 ? ", " : "") || put_name(d->out, path, err) || put_value(d->out, a, same, err))
        return -1;
    return buf_printf(d->out, err, " → ") || put_value(d->out, b, same, err) ? -1 : 0;
}

static int note_difference(struct differences *d, const json_t *a, const json_t *b, struct err *err) {
    const char *path = d->path.n ? (const char *)d->path.p : "settings";
    char *x = text_of(path, a, err), *y = text_of(path, b, err);
    int rc = x && y ? put_difference(d, path, x, y, err) : err_nomem(err, 0, "settings");
    free(x);
    free(y);
    return rc;
}

static int compare(struct differences *d, const json_t *a, const json_t *b, struct err *err);

/* One step down, and back. */
static int compare_member(struct differences *d, const char *key, const json_t *a, const json_t *b, struct err *err) {
    size_t n = d->path.n;
    int rc = buf_printf(&d->path, err, "%s%s", n ? "." : "", key) ? -1 : compare(d, a, b, err);
    d->path.n = n;
    return rc;
}

/* Compares items of two arrays. An item with a name, such as a family, goes by it in messages. */
static int compare_item(struct differences *d, size_t i, const json_t *a, const json_t *b, struct err *err) {
    const char *name = json_string_value(json_object_get(a, "name"));
    size_t n = d->path.n;
    int rc = name ? buf_printf(&d->path, err, "[%s]", name) : buf_printf(&d->path, err, "[%zu]", i);
    if (!rc) rc = compare(d, a, b, err);
    d->path.n = n;
    return rc;
}

/* The DDL says in one text what other members say one by one. */
static bool is_listed(const struct differences *d, unsigned before, const char *key) {
    return !strcmp(key, "ddl") && d->n > before;
}

/* Returns a partitioning as --partition has it, as far as a line can say it; NULL: it has no kind. */
static json_t *partition_spec(const json_t *p) {
    const char *kind = json_string_value(json_object_get(p, "kind"));
    char text[64];
    if (!kind) return NULL;
    snprintf(text, sizeof text, strcmp(kind, "none") ? "%s:%lld" : "%s", kind,
             (long long)json_integer_value(json_object_get(p, "count")));
    return json_string(text);
}

/* 1: both are partitionings of which a line says how they differ, and did. */
static int compare_partitionings(struct differences *d, const json_t *a, const json_t *b, struct err *err) {
    if (!d->path.n || strcmp((const char *)d->path.p, "table.partitioning")) return 0;
    json_t *x = partition_spec(a), *y = partition_spec(b);
    int rc = x && y && !json_equal(x, y);
    if (rc && note_difference(d, x, y, err)) rc = -1;
    json_decref(x);
    json_decref(y);
    return rc;
}

static int compare_objects(struct differences *d, const json_t *a, const json_t *b, struct err *err) {
    const char *key;
    json_t *value;
    unsigned before = d->n;
    int said = compare_partitionings(d, a, b, err);
    if (said) return said < 0 ? -1 : 0;
    json_object_foreach((json_t *)a, key, value) {
        if (!is_listed(d, before, key) && compare_member(d, key, value, json_object_get(b, key), err)) return -1;
    }
    json_object_foreach((json_t *)b, key, value) {
        if (!json_object_get(a, key) && compare_member(d, key, NULL, value, err)) return -1;
    }
    return 0;
}

static int compare_arrays(struct differences *d, const json_t *a, const json_t *b, struct err *err) {
    for (size_t i = 0; i < json_array_size(a); i++)
        if (compare_item(d, i, json_array_get(a, i), json_array_get(b, i), err)) return -1;
    return 0;
}

static int compare(struct differences *d, const json_t *a, const json_t *b, struct err *err) {
    if (json_equal(a, b)) return 0;
    if (json_is_object(a) && json_is_object(b)) return compare_objects(d, a, b, err);
    if (json_is_array(a) && json_is_array(b) && json_array_size(a) == json_array_size(b)) return compare_arrays(d, a, b, err);
    return note_difference(d, a, b, err);
}

int manifest_put_differences(struct buf *out, const json_t *made, const json_t *asked, struct err *err) {
    struct differences d = {.out = out};
    const json_t *command = json_object_get(made, "command"), *other = json_object_get(asked, "command");
    bool others = command && other && !json_equal(command, other);
    int rc = others ? compare_member(&d, "command", command, other, err) : compare(&d, made, asked, err);
    if (!rc && d.n > SHOWN_MAX) rc = buf_printf(out, err, " and %u more", d.n - SHOWN_MAX);
    buf_free(&d.path);
    return rc;
}
