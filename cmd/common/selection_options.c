/* --families, --rows and their like: from the texts of options to a selection, and what the rest of a run must know of it:
 * whether there is one, what the settings say, which families come out; and the masks of values. */

#include "base/bytes.h"
#include "cmd/common/opt_value.h"
#include "cmd/common/selection_options.h"
#include "formats/mapping/expr.h"
#include "formats/mapping/expr_run.h"
#include "formats/mapping/expr_template.h"
#include "select/selection_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- FROM:TO, of which each may hold colons: the one where both sides are times ---- */

static bool take_time(const char *text, size_t n, int64_t open, int64_t *out) {
    char copy[64];
    *out = open;
    if (!n) return true;
    if (n >= sizeof copy) return false;
    memcpy(copy, text, n);
    copy[n] = 0;
    return opt_time(copy, out) == 0;
}

static int set_times(struct selection *s, const char *text, struct err *err) {
    unsigned found = 0;
    for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        int64_t from, to;
        if (!take_time(text, (size_t)(colon - text), INT64_MIN, &from)) continue;
        if (!take_time(colon + 1, strlen(colon + 1), INT64_MAX, &to)) continue;
        selection_set_times(s, from, to);
        found++;
    }
    if (found == 1) return 0;
    return err_set(
        err, ERR_USAGE,
        "--time-range '%.200s': expected FROM:TO, each ms since 1970, a date, a time such as 2026-11-21T12:00:00Z, or empty",
        text);
}

static int set_sample(struct selection *s, const char *text, struct err *err) {
    double share;
    if (opt_share(text, &share))
        return err_set(err, ERR_USAGE, "--rows 'sample=%.100s': expected a share like sample=5%% or sample=0.05", text);
    selection_set_sample(s, share);
    return 0;
}

/* START:STOP, prefix=TEXT or sample=P%. */
static int add_rows(struct selection *s, const char *text, struct err *err) {
    static const char prefix[] = "prefix=", sample[] = "sample=";
    if (!strncmp(text, prefix, strlen(prefix))) return selection_add_prefix(s, text + strlen(prefix), err);
    if (!strncmp(text, sample, strlen(sample))) return set_sample(s, text + strlen(sample), err);
    return selection_add_rows(s, text, err);
}

typedef int add_fn(struct selection *s, const char *text, struct err *err);

struct list_option {
    const char *name;
    size_t at;
    add_fn *add;
};
#define AT(f) offsetof(struct selection_options, f)
static const struct list_option lists[] = {{"families", AT(families), selection_add_families},
                                           {"rows", AT(rows), add_rows},
                                           {"qualifiers", AT(qualifiers), selection_add_qualifiers},
                                           {"mask", AT(masks), selection_mask_add}};
#undef AT

static const struct opt_list *list_of(const struct selection_options *o, const struct list_option *l) {
    return (const struct opt_list *)((const uint8_t *)o + l->at);
}

const char *selection_options_given(const struct selection_options *o) {
    for (size_t i = 0; i < countof(lists); i++)
        if (list_of(o, &lists[i])->n) return lists[i].name;
    return o->time_range ? "time-range" : NULL;
}

size_t selection_options_ranges(const struct selection_options *o, const struct selection *s, const struct row_range **ranges) {
    const bool more = o->families.n || o->qualifiers.n || o->masks.n || o->time_range || (s && s->sampled);
    return more ? 0 : selection_ranges(s, ranges);
}

int selection_options_make(const struct selection_options *o, struct selection **out, struct err *err) {
    *out = NULL;
    if (!selection_options_given(o)) return 0;
    struct selection *s = selection_new(err);
    int rc = s ? 0 : -1;
    for (size_t i = 0; !rc && i < countof(lists); i++)
        for (unsigned k = 0; !rc && k < list_of(o, &lists[i])->n; k++) rc = lists[i].add(s, list_of(o, &lists[i])->item[k], err);
    if (!rc && o->time_range) rc = set_times(s, o->time_range, err);
    if (!rc) rc = selection_end(s, err);
    if (rc)
        selection_free(s);
    else
        *out = s;
    return rc;
}

json_t *selection_options_json(const struct selection_options *o) {
    json_t *j = json_object();
    int rc = j ? 0 : -1;
    for (size_t i = 0; !rc && i < countof(lists); i++) {
        const struct opt_list *l = list_of(o, &lists[i]);
        json_t *items = json_array();
        for (unsigned k = 0; !rc && k < l->n; k++) rc = json_array_append_new(items, json_string(l->item[k]));
        if (!rc && l->n) rc = json_object_set(j, lists[i].name, items);
        json_decref(items);
    }
    if (!rc && o->time_range) rc = json_object_set_new(j, "time-range", json_string(o->time_range));
    if (!rc) return j;
    json_decref(j);
    return NULL;
}

static void drop_family(struct table *t, uint32_t i) {
    free(t->families[i].name);
    free(t->families[i].sql_table);
    free(t->families[i].v_type);
    t->n_families--;
    memmove(t->families + i, t->families + i + 1, (t->n_families - i) * sizeof *t->families);
}

int selection_options_families(const struct selection *s, struct table *t, struct err *err) {
    for (uint32_t i = 0; s && i < t->n_families;) {
        struct bytes now, name = bytes_str(t->families[i].name);
        if (!selection_family(s, name, &now)) {
            drop_family(t, i);
            continue;
        }
        char *copy = strndup((const char *)now.p, now.n);
        if (!copy) return err_nomem(err, now.n, "the families");
        free(t->families[i].name);
        t->families[i].name = copy;
        bool twice = table_family(t, bytes_str(copy)) != (int)i; /* an earlier one has that name */
        if (twice)
            drop_family(t, i);
        else
            i++;
    }
    return 0;
}

/* ---- masks of values ----
 * By the expressions of mappings (docs/mapping.md): `hash` is sha256(value), `null` leaves the cell out, and anything else is an
 * expression over the cell. A null result leaves the cell out too. Each thread has memory of its own for results. */

enum field { FIELD_VALUE, FIELD_ROW, FIELD_FAMILY, FIELD_QUALIFIER, FIELD_TIMESTAMP, FIELD_COUNT };

static int find_field(void *arg, struct bytes name, uint32_t *field, enum expr_type *type, struct err *err) {
    static const char *const names[] = {"value", "row", "family", "qualifier", "timestamp"};
    (void)arg;
    (void)err;
    for (uint32_t i = 0; i < FIELD_COUNT; i++) {
        if (!bytes_eq(name, bytes_str(names[i]))) continue;
        *field = i;
        *type = i == FIELD_TIMESTAMP ? EXPR_NUMBER : EXPR_TEXT;
        return 1;
    }
    return 0;
}

static int begin(void **memory, struct err *err) {
    *memory = calloc(1, sizeof(struct expr_scratch));
    return *memory ? 0 : err_nomem(err, sizeof(struct expr_scratch), "--mask");
}

static void reset(void *memory) {
    expr_scratch_reset(memory);
}

static void end(void *memory) {
    expr_scratch_free(memory);
    free(memory);
}

static int run(const void *arg, void *memory, const struct row_part *part, const struct cell *c, struct bytes *value,
               struct selection_fault *why, struct err *err) {
    const struct expr_value fields[FIELD_COUNT] = {[FIELD_VALUE] = expr_text(c->value),
                                                   [FIELD_ROW] = expr_text(part->row),
                                                   [FIELD_FAMILY] = expr_text(part->family),
                                                   [FIELD_QUALIFIER] = expr_text(c->qualifier),
                                                   [FIELD_TIMESTAMP] = expr_number(c->ts_ms)};
    struct expr_value out;
    struct expr_fault fault;
    int rc = expr_eval(arg, fields, memory, &out, &fault, err);
    if (!rc) snprintf(why->text, sizeof why->text, "--mask: %.180s", fault.text);
    if (rc == 1) *value = bytes_of(out.p, out.n);
    return rc;
}

static void drop(void *arg) {
    expr_free(arg);
}

/* ---- no value at all ---- */

static int run_null(const void *arg, void *memory, const struct row_part *part, const struct cell *c, struct bytes *value,
                    struct selection_fault *why, struct err *err) {
    (void)arg, (void)memory, (void)part, (void)c, (void)why, (void)err;
    *value = (struct bytes){0};
    return 1;
}

int selection_mask_add(struct selection *s, const char *text, struct err *err) {
    static const struct mask_ops by_expr = {.begin = begin, .reset = reset, .end = end, .run = run, .drop = drop};
    static const struct mask_ops none = {.run = run_null};
    const struct expr_names names = {.find = find_field};
    const char *how;
    if (selection_mask_how(text, &how, err)) return -1;
    if (!strcmp(how, "null")) return selection_add_mask(s, text, &none, NULL, err);
    struct expr *e = expr_compile(bytes_str(strcmp(how, "hash") ? how : "sha256(value)"), EXPR_TEXT, &names, err);
    if (!e)
        return err_prefix(err,
                          "--mask '%.200s': expected as HOW hash, null or an expression over value, row, family, qualifier and "
                          "timestamp",
                          text);
    return selection_add_mask(s, text, &by_expr, e, err);
}
