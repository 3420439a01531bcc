/* Warns of names in options and mappings that nothing in the inputs has: paths of a mapping that no record of JSON lines has, and
 * families, columns and masks of a selection that no cell is of. As a rule they are mistyped: cells are missing, or keep the
 * values that a mask should hide. Only all inputs together show it. So a shard gives no warning, and hands on what its own lack;
 * the join warns of what all shards lack. A source of a mapping that has met none of its paths has read no such record. */
#include "base/near_name.h"
#include "cmd/common/output_text.h"
#include "cmd/common/selection_options.h"
#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/common/unmet.h"
#include "cmd/common/warnings.h"
#include "select/families_asked.h"
#include "select/selection_make.h"

#include <stdio.h>
#include <string.h>

/* A list without parts lacks nothing: only what parts are made of can be missing. */
static bool has_parts(const struct mapping_source *s) {
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].is_item && s->met[i]) return true;
    return false;
}

/* The paths of this source that no record had; NULL: no record was read by it, or there is no memory. */
static json_t *missing_of(const struct mapping_source *s) {
    json_t *list = memchr(s->met, 1, s->n_fields) ? json_array() : NULL;
    const bool parts = has_parts(s);
    for (uint32_t i = 0; list && i < s->n_fields; i++) {
        const struct mapping_field *f = &s->fields[i];
        struct bytes path = f->name.p ? f->name : s->columns[f->column];
        if (!s->met[i] && path.n && (parts || !f->is_item))
            json_array_append_new(list, json_stringn((const char *)path.p, path.n));
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

static const char *const absent = "absent", *const there = "there"; /* families that are named and not there; those that are */

static bool holds(const json_t *list, const json_t *path) {
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one) {
        if (json_equal(one, path)) return true;
    }
    return false;
}

/* Removes from all what another shard has met. */
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
        json_put(all, JSON("options", list));
    else
        json_decref(list);
    return all;
}

/* ---- families ---- */

/* {absent: [names], there: [names]}; NULL: there is no selection. */
static json_t *families_of(const struct selection *of) {
    struct bytes name;
    size_t n = 0;
    const struct bytes *asked = of ? selection_families(of, &n) : NULL;
    json_t *not_there = json_array(), *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_plain(asked[i]));
    for (size_t at = 0; of && selection_absent(of, &at, &name);) {
        json_t *one = json_plain(name);
        if (!holds(not_there, one)) json_array_append(not_there, one);
        json_decref(one);
    }
    if (of) return json_new(JSON(absent, not_there), JSON(there, list));
    json_decref(not_there);
    json_decref(list);
    return NULL;
}

/* Absent is what all shards lack; there, what any has. */
static json_t *join_families(const struct manifest *m, size_t n) {
    json_t *all = NULL, *one;
    for (size_t i = 0; i < n; i++) {
        const json_t *own = json_object_get(m[i].shard.notes, "families");
        json_t *lacks = json_object_get(all, absent), *list = json_object_get(all, there);
        size_t k;
        if (!all) all = json_deep_copy(own);
        for (k = json_array_size(lacks); k--;)
            if (!holds(json_object_get(own, absent), json_array_get(lacks, k))) json_array_remove(lacks, k);
        json_array_foreach(json_object_get(own, there), k, one) {
            if (list && !holds(list, one)) json_array_append(list, one);
        }
    }
    return all;
}

static void put_names(const json_t *list, struct buf *text) {
    enum { SHOWN = 16 };
    struct err none = {0};
    size_t i, n = json_array_size(list);
    json_t *one;
    json_array_foreach(list, i, one) {
        const char *name = json_string_value(one);
        if (i < SHOWN) (void)buf_printf(text, &none, "%s%s", i ? ", " : "", name ? name : "?");
    }
    if (n > SHOWN) (void)buf_printf(text, &none, " and %zu more", n - SHOWN);
}

/* ": no input has the family cff; the families there are: cf, meta; did you mean 'cf'?"; nothing where it is not for a family. */
static void put_families(const struct intake *intake, struct buf *text) {
    struct err none = {0};
    json_t *f = intake->families ? json_incref(intake->families) : families_of(intake->selection), *one;
    const json_t *lacks = json_object_get(f, absent), *list = json_object_get(f, there);
    const char *first = json_string_value(json_array_get(lacks, 0));
    if (first && json_array_size(list)) {
        struct near_name near = near_name_to(bytes_str(first));
        char meant[NEAR_NAME_MAX + 48];
        size_t i;
        json_array_foreach(list, i, one) {
            if (json_is_string(one)) near_name_offer(&near, bytes_str(json_string_value(one)));
        }
        (void)buf_printf(text, &none, ": no input has the family ");
        put_names(lacks, text);
        (void)buf_printf(text, &none, "; the families there are: ");
        put_names(list, text);
        (void)buf_printf(text, &none, "%s", near_name_text(&near, "", meant));
    }
    json_decref(f);
}

/* The families, if they are at fault; else all options, one of which is. */
void unmet_warn_nothing(struct environment *env, struct intake *intake, uint64_t n, const json_t *given, const char *option) {
    struct err none = {0};
    struct buf text = {0}, families = {0};
    const char *name;
    json_t *value;
    put_families(intake, &families);
    json_object_foreach((json_t *)given, name, value) {
        (void)buf_printf(&text, &none, "%s--%s", text.n ? ", " : "", name);
    }
    if (!text.n) (void)buf_printf(&text, &none, "--%s", option);
    report_warn(&env->reporter, WARN_NOTHING_SELECTED, n, "the selection matches nothing in the inputs; check %.*s%.*s",
                (int)text.n, text.n ? (const char *)text.p : "", (int)families.n, families.n ? (const char *)families.p : "");
    buf_free(&families);
    buf_free(&text);
}

void unmet_warn_unselected(struct environment *env, struct intake *intake, uint64_t n, const char *option) {
    json_t *given = intake->selection ? selection_options_json(&env->o.selection) : NULL;
    unmet_warn_nothing(env, intake, n, given, option);
    json_decref(given);
}

void unmet_warn_empty(struct environment *env, struct intake *intake, const char *why) {
    if (intake->selection)
        unmet_warn_unselected(env, intake, 1, "families");
    else
        report_warn(&env->reporter, WARN_NO_RECORDS, 1, "%s", why);
}

/* ---- the warnings ---- */

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

static void warn(struct environment *env, struct intake *intake, enum warning w, const json_t *all) {
    struct buf text = {0};
    uint64_t n = name_some(all, &text);
    if (n && w == WARN_UNMATCHED) {
        struct err none = {0};
        (void)buf_printf(&text, &none, "; check the spelling, and what the inputs hold");
        put_families(intake, &text);
    }
    const char *names = text.n ? (const char *)text.p : "";
    if (n && w == WARN_PATH_MISSING)
        report_warn(&env->reporter, w, n,
                    "no record has %.*s; check the spelling in the mapping (--preview 5 shows the first cells)", (int)text.n,
                    names);
    else if (n)
        report_warn(&env->reporter, w, n, "no cell matches %.*s", (int)text.n, names);
    buf_free(&text);
}

/* Returns whether names that nothing has are to be warned of. Other warnings report records without a cell, and a selection that
 * takes nothing. */
static bool is_due(enum warning w, const struct ledger *l) {
    return w == WARN_PATH_MISSING ? l->in.cells > 0 : l->in.cells > l->not_selected.cells;
}

static json_t *unmet_of(const struct intake *intake, enum warning w) {
    return w == WARN_PATH_MISSING ? missing_paths(intake->mapping) : unmet_items(intake->selection);
}

static const struct {
    enum warning warning;
    const char *note;
} kinds[] = {{WARN_PATH_MISSING, "missing_paths"}, {WARN_UNMATCHED, "unmatched"}};

void unmet_warn(struct environment *env, struct intake *intake, const struct ledger *l) {
    for (unsigned k = 0; k < countof(kinds); k++) {
        json_t *all = unmet_of(intake, kinds[k].warning);
        if (is_due(kinds[k].warning, l)) warn(env, intake, kinds[k].warning, all);
        json_decref(all);
    }
}

int unmet_note(const struct intake *intake, json_t *notes, struct err *err) {
    for (unsigned k = 0; k < countof(kinds); k++) {
        json_t *all = unmet_of(intake, kinds[k].warning);
        if (all && !json_object_size(all))
            json_decref(all);
        else if (json_object_set_new(notes, kinds[k].note, all))
            return err_nomem(err, 0, "the manifest");
    }
    json_t *families = families_of(intake->selection);
    return families && json_object_set_new(notes, "families", families) ? err_nomem(err, 0, "the manifest") : 0;
}

void unmet_join(struct environment *env, struct intake *intake, const struct manifest *m, size_t n, const struct ledger *l) {
    json_decref(intake->families);
    intake->families = join_families(m, n);
    for (unsigned k = 0; k < countof(kinds); k++) {
        json_t *all = json_object();
        for (size_t i = 0; i < n; i++) {
            json_t *own = json_deep_copy(json_object_get(m[i].shard.notes, kinds[k].note));
            keep_common(all, own);
            json_decref(own);
        }
        if (is_due(kinds[k].warning, l)) warn(env, intake, kinds[k].warning, all);
        json_decref(all);
    }
}
