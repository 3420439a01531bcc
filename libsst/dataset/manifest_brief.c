/* Shortens what a shard's manifest says of partitions. Each share of a join reads the manifests of all shards. The names of 997
 * partitions are most of the text, twice: as the options say them, and in the table. Both are null where they say nothing new:
 *
 *     "settings": {"table": {"partitioning": null}}                   that of the table
 *     "table": {"partitioning": {"count": 997, "names": null}}        p0, p1, …, p996
 *
 * Shards of earlier builds have both; what is read is the same. */
#include "dataset/manifest_brief.h"

#include "table/partitioning.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 24 };

static const char *plain_name(size_t i, char out[NAME_BYTES]) {
    snprintf(out, NAME_BYTES, "p%zu", i);
    return out;
}

static bool are_plain(const json_t *names) {
    char name[NAME_BYTES];
    const json_t *j;
    size_t i;
    json_array_foreach(names, i, j) {
        if (!json_is_string(j) || strcmp(json_string_value(j), plain_name(i, name))) return false;
    }
    return json_array_size(names) > 0;
}

static int put_settings(json_t *head, const json_t *partitioning) {
    json_t *settings = json_object_get(head, "settings"), *table = json_object_get(settings, "table");
    if (!json_is_object(table) || !json_equal(json_object_get(table, "partitioning"), partitioning)) return 0;
    json_t *own = json_copy(settings), *brief = json_copy(table);
    if (!own || !brief || json_object_set_new(brief, "partitioning", json_null())) {
        json_decref(own);
        json_decref(brief);
        return -1;
    }
    return json_object_set_new(own, "table", brief) | json_object_set_new(head, "settings", own) ? -1 : 0;
}

int manifest_brief_put(json_t *head) {
    json_t *partitioning = json_object_get(json_object_get(head, "table"), "partitioning");
    if (put_settings(head, partitioning)) return -1;
    return are_plain(json_object_get(partitioning, "names")) ? json_object_set_new(partitioning, "names", json_null()) : 0;
}

static json_t *make_names(const json_t *partitioning) {
    const json_int_t count = json_integer_value(json_object_get(partitioning, "count"));
    json_t *names = json_array();
    char name[NAME_BYTES];
    for (json_int_t i = 0; names && i < count && count <= PARTITIONS_MAX; i++)
        if (json_array_append_new(names, json_string_nocheck(plain_name((size_t)i, name)))) {
            json_decref(names);
            return NULL;
        }
    return names;
}

int manifest_brief_take(json_t *head, struct err *err) {
    json_t *partitioning = json_object_get(json_object_get(head, "table"), "partitioning");
    json_t *table = json_object_get(json_object_get(head, "settings"), "table");
    if (!json_object_get(head, "shard")) return 0;
    if (json_is_null(json_object_get(partitioning, "names")) &&
        json_object_set_new(partitioning, "names", make_names(partitioning)))
        return err_nomem(err, 0, "the manifest");
    if (json_is_object(partitioning) && json_is_null(json_object_get(table, "partitioning")) &&
        json_object_set(table, "partitioning", partitioning))
        return err_nomem(err, 0, "the manifest");
    return 0;
}
