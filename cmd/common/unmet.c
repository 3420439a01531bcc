/* What was named, and nothing in the inputs has: paths of a mapping that no record of JSON lines has, and families, columns and
 * masks of a selection that no cell is of. As a rule they are mistyped: cells are missing, or keep the values that a mask should
 * hide. Only all inputs together show it. So a shard says nothing, and hands on what its own lack; the join warns of what all
 * shards lack. A source of a mapping that has met none of its paths has read no such record. */
#include "cmd/common/output_text.h"
#include "cmd/common/session.h"
#include "cmd/common/table_options.h"
#include "select/selection.h"

#include <stdio.h>
#include <string.h>

void session_warn_empty(struct session *s, const char *why) {
    if (s->selection)
        report_warn_nothing_selected(&s->reporter, 1, selection_options_given(&s->o.selection));
    else
        report_warn(&s->reporter, WARN_NO_RECORDS, 1, "%s", why);
}

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

/* "--mask f:name" and its like: those that no cell was of. */
static json_t *unmet_items(const struct selection *of) {
    const char *option;
    struct bytes text;
    json_t *list = json_array(), *all = json_object();
    for (size_t at = 0; of && selection_unmet(of, &at, &option, &text);) {
        json_t *plain = json_plain(text);
        json_array_append_new(list, json_sprintf("--%s %s", option, json_string_value(plain)));
        json_decref(plain);
    }
    if (of)
        json_object_set_new(all, "options", list);
    else
        json_decref(list);
    return all;
}

/* The first of all lists, as text. Returns how many there are. */
static uint64_t name_some(const json_t *all, struct buf *text) {
    enum { SHOWN = 5 };
    const char *number;
    json_t *list, *one;
    size_t i;
    uint64_t n = 0;
    struct err none = {0};
    json_object_foreach((json_t *)all, number, list) {
        json_array_foreach(list, i, one) {
            if (n++ < SHOWN) (void)buf_printf(text, &none, "%s%s", n > 1 ? ", " : "", json_string_value(one));
        }
    }
    if (n > SHOWN) (void)buf_printf(text, &none, " and %llu more", (unsigned long long)(n - SHOWN));
    return n;
}

static void warn(struct session *s, enum warning w, const json_t *all) {
    struct buf text = {0};
    uint64_t n = name_some(all, &text);
    const char *names = text.n ? (const char *)text.p : "";
    if (n && w == WARN_PATH_MISSING)
        report_warn(&s->reporter, w, n,
                    "no record has %.*s; check the spelling in the mapping (--preview 5 shows the first cells)", (int)text.n,
                    names);
    else if (n)
        report_warn(&s->reporter, w, n, "no cell matches %.*s; check the spelling, and what the inputs hold", (int)text.n, names);
    buf_free(&text);
}

/* Other warnings report records without a cell, and a selection that takes nothing. */
static bool is_due(enum warning w, const struct ledger *l) {
    return w == WARN_PATH_MISSING ? l->in.cells > 0 : l->in.cells > l->not_selected.cells;
}

static json_t *unmet_of(const struct session *s, enum warning w) {
    return w == WARN_PATH_MISSING ? missing_paths(s->mapping) : unmet_items(s->selection);
}

static const struct {
    enum warning warning;
    const char *note;
} kinds[] = {{WARN_PATH_MISSING, "missing_paths"}, {WARN_UNMATCHED, "unmatched"}};

void session_warn_unmet(struct session *s, const struct ledger *l) {
    for (unsigned k = 0; k < countof(kinds); k++) {
        json_t *all = unmet_of(s, kinds[k].warning);
        if (is_due(kinds[k].warning, l)) warn(s, kinds[k].warning, all);
        json_decref(all);
    }
}

int session_note_unmet(const struct session *s, json_t *notes, struct err *err) {
    for (unsigned k = 0; k < countof(kinds); k++) {
        json_t *all = unmet_of(s, kinds[k].warning);
        if (all && !json_object_size(all))
            json_decref(all);
        else if (json_object_set_new(notes, kinds[k].note, all))
            return err_nomem(err, 0, "the manifest");
    }
    return 0;
}

void session_join_unmet(struct session *s, const struct manifest *m, size_t n, const struct ledger *l) {
    for (unsigned k = 0; k < countof(kinds); k++) {
        json_t *all = json_object();
        for (size_t i = 0; i < n; i++) {
            json_t *own = json_deep_copy(json_object_get(m[i].shard.notes, kinds[k].note));
            keep_common(all, own);
            json_decref(own);
        }
        if (is_due(kinds[k].warning, l)) warn(s, kinds[k].warning, all);
        json_decref(all);
    }
}
