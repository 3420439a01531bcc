/* Paths of a mapping that no record of JSON lines has: as a rule they are mistyped, and the cells that they should make are
 * missing. Only all records together show it. So a shard says nothing, and hands on the paths that its records lack; the join
 * warns of those that all shards lack. A source that has met none of its paths has read no such record. */
#include "cmd/common/session.h"

#include <stdio.h>
#include <string.h>

/* The paths of this source that no record had; NULL: no record was read by it, or there is no memory. */
static json_t *missing_of(const struct mapping_source *s) {
    json_t *list = memchr(s->met, 1, s->n_fields) ? json_array() : NULL;
    for (uint32_t i = 0; list && i < s->n_fields; i++) {
        const struct mapping_field *f = &s->fields[i];
        struct bytes path = f->name.p || f->is_item ? f->name : s->columns[f->column];
        if (!s->met[i] && path.n) json_array_append_new(list, json_stringn((const char *)path.p, path.n));
    }
    return list;
}

/* {number of the source: [path, …]} */
static json_t *missing_paths(const struct mapping *m) {
    json_t *all = json_object();
    for (uint32_t i = 0; m && i < m->n_sources; i++) {
        char number[16];
        json_t *list = missing_of(&m->sources[i]);
        snprintf(number, sizeof number, "%u", i);
        if (list) json_object_set_new(all, number, list);
    }
    return all;
}

static bool holds(const json_t *list, const json_t *path) {
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one) {
        if (json_equal(one, path)) return true;
    }
    return false;
}

/* What another shard has met is not missing. */
static void keep_common(json_t *all, const json_t *other) {
    const char *number;
    json_t *list;
    json_object_foreach((json_t *)other, number, list) {
        json_t *mine = json_object_get(all, number);
        if (!mine) json_object_set(all, number, list);
        for (size_t i = json_array_size(mine); i--;)
            if (!holds(list, json_array_get(mine, i))) json_array_remove(mine, i);
    }
}

static void warn(struct session *s, const json_t *all) {
    enum { SHOWN = 5 };
    const char *number;
    json_t *list, *path;
    size_t i;
    uint64_t n = 0;
    struct buf text = {0};
    struct err none = {0};
    json_object_foreach((json_t *)all, number, list) {
        json_array_foreach(list, i, path) {
            if (n++ < SHOWN) (void)buf_printf(&text, &none, "%s%s", n > 1 ? ", " : "", json_string_value(path));
        }
    }
    if (n > SHOWN) (void)buf_printf(&text, &none, " and %llu more", (unsigned long long)(n - SHOWN));
    if (n)
        report_warn(&s->reporter, WARN_PATH_MISSING, n,
                    "no record has %.*s; check the spelling in the mapping (--preview 5 shows the first cells)", (int)text.n,
                    text.n ? (const char *)text.p : "");
    buf_free(&text);
}

void session_warn_paths(struct session *s) {
    json_t *all = missing_paths(s->mapping);
    warn(s, all);
    json_decref(all);
}

int session_note_paths(const struct session *s, json_t *notes, struct err *err) {
    json_t *all = missing_paths(s->mapping);
    if (all && !json_object_size(all)) {
        json_decref(all);
        return 0;
    }
    return json_object_set_new(notes, "missing_paths", all) ? err_nomem(err, 0, "the manifest") : 0;
}

void session_join_paths(struct session *s, const struct manifest *m, size_t n) {
    json_t *all = json_object();
    for (size_t i = 0; i < n; i++) {
        json_t *own = json_deep_copy(json_object_get(m[i].shard.notes, "missing_paths"));
        keep_common(all, own);
        json_decref(own);
    }
    warn(s, all);
    json_decref(all);
}
