/* Selections from the texts of options. Everything is checked and put in order before the first cell is read: what could not
 * select anything is refused then, with the option that is to blame. */
#include "select/families_asked.h"
#include "select/matching.h"
#include "select/selection.h"

#include "base/text.h"
#include "select/selection_make.h"
#include "select/selection_state.h"

#include <stdlib.h>

struct selection *selection_new(struct err *err) {
    struct selection *s = calloc(1, sizeof *s);
    if (s && (s->asked = calloc(1, sizeof *s->asked)) && family_list_init(s->asked)) return s;
    selection_free(s);
    err_nomem(err, sizeof *s, "a selection");
    return NULL;
}

void selection_free(struct selection *s) {
    if (!s) return;
    for (size_t i = 0; i < s->n_columns; i++) glob_free(&s->columns[i].qualifier);
    for (size_t i = 0; i < s->n_masks; i++) {
        glob_free(&s->masks[i].qualifier);
        if (s->masks[i].ops->drop) s->masks[i].ops->drop(s->masks[i].arg);
    }
    for (size_t i = 0; i < s->n_texts; i++) {
        buf_free(s->texts[i]);
        free(s->texts[i]);
    }
    free(s->texts);
    free(s->families);
    free(s->renames);
    free(s->columns);
    free(s->masks);
    free(s->ranges.x);
    free(s->met);
    if (s->asked) family_list_free(s->asked);
    free(s->asked);
    free(s);
}

int selection_keep(struct selection *s, struct bytes b, struct bytes *out, struct err *err) {
    if (grow_array(&s->texts, s->n_texts, sizeof *s->texts, "a selection", err)) return -1;
    struct buf *copy = calloc(1, sizeof *copy);
    if (!copy || buf_put(copy, b.p, b.n, err) || buf_put_byte(copy, 0, err)) {
        free(copy);
        return err_nomem(err, b.n, "a selection");
    }
    s->texts[s->n_texts++] = copy;
    *out = bytes_of(copy->p, b.n);
    return 0;
}

/* ---- families ---- */

static int add_name(struct selection *s, struct selection_name **list, size_t *n, struct bytes name, struct bytes now,
                    struct err *err) {
    struct selection_name kept = {0};
    if (*n == SELECTION_ITEMS_MAX) return err_set(err, ERR_USAGE, "more than %d families", SELECTION_ITEMS_MAX);
    if (selection_keep(s, name, &kept.name, err) || selection_keep(s, now, &kept.now, err)) return -1;
    if (grow_array(list, *n, sizeof **list, "families", err)) return -1;
    (*list)[(*n)++] = kept;
    return 0;
}

static bool is_family(struct bytes name) {
    return name.n && name.n <= FAMILY_MAX_BYTES && !memchr(name.p, ':', name.n);
}

static int not_a_family(const char *option, struct bytes name, struct err *err) {
    return err_set(err, ERR_USAGE, "%s: '%.*s' is not a family name; family names have 1 to %d bytes and no colon", option,
                   (int)(name.n > 100 ? 100 : name.n), (const char *)name.p, FAMILY_MAX_BYTES);
}

static const struct selection_name *find_name(const struct selection_name *list, size_t n, struct bytes name) {
    for (size_t i = 0; i < n; i++)
        if (bytes_eq(list[i].name, name)) return &list[i];
    return NULL;
}

/* One of a list: a family, OLD=NEW, or * for all others. */
static int add_family(struct selection *s, struct bytes item, struct err *err) {
    const uint8_t *is = item.n ? memchr(item.p, '=', item.n) : NULL;
    if (bytes_eq(item, bytes_str("*"))) {
        s->other_families = true;
        return 0;
    }
    struct bytes name = bytes_of(item.p, is ? (size_t)(is - item.p) : item.n);
    if (!is_family(name)) return not_a_family("--families", name, err);
    if (add_name(s, &s->families, &s->n_families, name, name, err)) return -1;
    if (!is) return 0;
    struct bytes now = bytes_of(is + 1, item.n - name.n - 1);
    if (!is_family(now)) return not_a_family("--families", now, err);
    if (find_name(s->renames, s->n_renames, name))
        return err_set(err, ERR_USAGE, "--families gives the family '%.*s' two names", (int)name.n, (const char *)name.p);
    return add_name(s, &s->renames, &s->n_renames, name, now, err);
}

int selection_add_families(struct selection *s, const char *list, struct err *err) {
    for (const char *at = list;; at++) {
        const char *end = strchrnul(at, ',');
        if (add_family(s, bytes_of(at, (size_t)(end - at)), err)) return -1;
        if (!*(at = end)) return 0;
    }
}

/* ---- rows ---- */

static int bad_key(const char *option, const char *text, struct err *err) {
    return err_set(err, ERR_USAGE, "%s '%.200s': keys are text, or hex: and pairs of hex digits", option, text);
}

/* A key of n characters. 0, 1: hex that is none, -1. */
static int parse_key(struct selection *s, const char *text, size_t n, struct bytes *out, struct err *err) {
    struct buf key = {0};
    if (n < 4 || strncmp(text, "hex:", 4)) return selection_keep(s, bytes_of(text, n), out, err);
    if (buf_reserve(&key, n / 2, err)) return -1;
    int rc = hex_read(key.p, bytes_of(text + 4, n - 4)) ? 0 : 1;
    key.n = n / 2 - 2;
    if (!rc) rc = selection_keep(s, buf_bytes(&key), out, err);
    buf_free(&key);
    return rc;
}

/* The colon between two keys, of which either may be hex:…; NULL: it is not there, or could be several. */
static const char *find_colon(const char *text) {
    const char *from = strncmp(text, "hex:", 4) ? text : text + 4, *colon = strchr(from, ':');
    if (!colon) return NULL;
    const char *rest = strncmp(colon + 1, "hex:", 4) ? colon + 1 : colon + 5;
    return strchr(rest, ':') ? NULL : colon;
}

int selection_add_rows(struct selection *s, const char *text, struct err *err) {
    struct row_range r = {0};
    const char *colon = find_colon(text);
    if (!colon)
        return err_set(
            err, ERR_USAGE,
            "--rows '%.200s': expected START:STOP with one colon between (write keys that hold colons as hex:…), prefix=TEXT or "
            "sample=P%%",
            text);
    int rc = parse_key(s, text, (size_t)(colon - text), &r.start, err);
    if (!rc) rc = parse_key(s, colon + 1, strlen(colon + 1), &r.stop, err);
    if (rc > 0) return bad_key("--rows", text, err);
    if (rc) return -1;
    if (!r.stop.n) r.stop = (struct bytes){0};
    if (r.stop.p && bytes_cmp(r.start, r.stop) >= 0)
        return err_set(err, ERR_USAGE, "--rows '%.200s' selects nothing: START must be before STOP, which is not included", text);
    return range_list_add(&s->ranges, r, err);
}

/* The first key after all that begin with the prefix; all 0xff: there is none. */
static int after_prefix(struct selection *s, struct bytes prefix, struct bytes *out, struct err *err) {
    size_t n = prefix.n;
    while (n && prefix.p[n - 1] == 0xff) n--;
    if (!n) return 0;
    if (selection_keep(s, bytes_of(prefix.p, n), out, err)) return -1;
    s->texts[s->n_texts - 1]->p[n - 1]++;
    return 0;
}

int selection_add_prefix(struct selection *s, const char *text, struct err *err) {
    struct row_range r = {0};
    int rc = parse_key(s, text, strlen(text), &r.start, err);
    if (rc < 0) return -1;
    if (rc) return bad_key("--rows prefix=", text, err);
    if (!r.start.n) return err_set(err, ERR_USAGE, "--rows prefix= is empty, so every row matches");
    return after_prefix(s, r.start, &r.stop, err) ? -1 : range_list_add(&s->ranges, r, err);
}

/* ---- columns ---- */

/* [family:]pattern up to one of `ends`; text moves there. */
static int take_column(struct selection *s, const char *option, struct bytes *text, const char *ends,
                       struct selection_column *out, struct err *err) {
    const struct bytes all = *text;
    size_t n = 0;
    while (n < text->n && text->p[n] != ':' && text->p[n] != '\\' && !strchr(ends, text->p[n])) n++;
    *out = (struct selection_column){0};
    if (n < text->n && text->p[n] == ':') {
        struct bytes name = bytes_of(text->p, n);
        if (!is_family(name)) return not_a_family(option, name, err);
        if (selection_keep(s, name, &out->family, err)) return -1;
        *text = bytes_of(text->p + n + 1, text->n - n - 1);
    }
    if (glob_parse(text, ends, &out->qualifier, err)) return err_prefix(err, "%s", option);
    if (!selection_keep(s, bytes_of(all.p, all.n - text->n), &out->text, err)) return 0;
    glob_free(&out->qualifier);
    return -1;
}

static int add_column(struct selection_column **list, size_t *n, struct selection_column *c, struct err *err) {
    int rc = *n == SELECTION_ITEMS_MAX ? err_set(err, ERR_USAGE, "more than %d columns", SELECTION_ITEMS_MAX)
                                       : grow_array(list, *n, sizeof *c, "columns", err);
    if (rc) {
        glob_free(&c->qualifier);
        return -1;
    }
    (*list)[(*n)++] = *c;
    return 0;
}

int selection_add_qualifiers(struct selection *s, const char *list, struct err *err) {
    struct bytes text = bytes_str(list);
    for (;;) {
        struct selection_column c;
        if (take_column(s, "--qualifiers", &text, ",", &c, err) || add_column(&s->columns, &s->n_columns, &c, err)) return -1;
        if (!text.n) return 0;
        text = bytes_of(text.p + 1, text.n - 1);
    }
}

int selection_mask_how(const char *text, const char **how, struct err *err) {
    const char *colon = strchr(text, ':'), *is = colon ? colon : "";
    while (*is && *is != '=') is += *is == '\\' && is[1] ? 2 : 1;
    if (!colon || colon > is || *is != '=' || !is[1])
        return err_set(err, ERR_USAGE,
                       "--mask '%.200s': expected FAMILY:QUALIFIER=HOW, where HOW is hash, null or an "
                       "expression",
                       text);
    *how = is + 1;
    return 0;
}

int selection_add_mask(struct selection *s, const char *text, const struct mask_ops *ops, void *arg, struct err *err) {
    struct bytes rest = bytes_str(text);
    struct selection_column c = {0};
    int rc = take_column(s, "--mask", &rest, "=", &c, err);
    if (!rc) {
        c.ops = ops;
        c.arg = arg;
        rc = add_column(&s->masks, &s->n_masks, &c, err);
    }
    if (rc && ops->drop) ops->drop(arg);
    return rc;
}

/* ---- the rest ---- */

void selection_set_times(struct selection *s, int64_t from_ms, int64_t to_ms) {
    s->times = true;
    s->from_ms = from_ms;
    s->to_ms = to_ms;
}

void selection_set_sample(struct selection *s, double share) {
    s->sampled = share < 1;
    s->sample_below = share * 4294967296.0;
}

int selection_end(struct selection *s, struct err *err) {
    if (s->times && s->from_ms >= s->to_ms)
        return err_set(err, ERR_USAGE, "--time-range selects nothing: FROM must be before TO, which is not included");
    range_list_order(&s->ranges);
    if (s->other_families) s->n_families = 0;
    for (size_t i = 0; s->n_families && i < s->n_masks; i++) {
        struct bytes name = s->masks[i].family;
        if (!find_name(s->families, s->n_families, name))
            return err_set(err, ERR_USAGE, "--mask names the family '%.*s', which --families leaves out", (int)name.n,
                           (const char *)name.p);
    }
    s->n_met = s->n_families + s->n_renames + s->n_columns + s->n_masks;
    s->met = calloc(s->n_met + 1, 1);
    return s->met ? 0 : err_nomem(err, s->n_met, "a selection");
}

/* A family that is taken and renamed is named once. */
static bool is_named_twice(const struct selection *s, size_t item) {
    return s->n_families && item >= s->n_families && item < s->n_families + s->n_renames;
}

bool selection_unmet(const struct selection *s, size_t *at, const char **option, struct bytes *text) {
    while (*at < s->n_met && (s->met[*at] || is_named_twice(s, *at))) (*at)++;
    if (*at >= s->n_met) return false;
    size_t i = (*at)++;
    const struct {
        const char *option;
        size_t n;
        const struct selection_name *names;
        const struct selection_column *columns;
    } lists[] = {{"families", s->n_families, s->families, NULL},
                 {"families", s->n_renames, s->renames, NULL},
                 {"qualifiers", s->n_columns, NULL, s->columns},
                 {"mask", s->n_masks, NULL, s->masks}};
    unsigned k = 0;
    while (i >= lists[k].n) i -= lists[k++].n;
    *option = lists[k].option;
    *text = lists[k].names ? lists[k].names[i].name : lists[k].columns[i].text;
    return true;
}

bool selection_takes_family(const struct selection *s, struct bytes family, struct bytes *now) {
    const struct selection_name *renamed = s ? find_name(s->renames, s->n_renames, family) : NULL;
    bool any = !s || !s->n_columns;
    for (size_t i = 0; !any && i < s->n_columns; i++) any = !s->columns[i].family.p || bytes_eq(s->columns[i].family, family);
    *now = renamed ? renamed->now : family;
    return any && (!s || !s->n_families || find_name(s->families, s->n_families, family));
}

bool selection_family(const struct selection *s, struct bytes family, struct bytes *now) {
    if (s) family_list_note(s->asked, family);
    return selection_takes_family(s, family, now);
}

bool selection_times(const struct selection *s, int64_t first_ms, int64_t last_ms) {
    if (!s || !s->times || last_ms == INT64_MAX || first_ms > last_ms) return true;
    return first_ms < s->to_ms && last_ms >= s->from_ms;
}

size_t selection_ranges(const struct selection *s, const struct row_range **ranges) {
    *ranges = s ? s->ranges.x : NULL;
    return s ? s->ranges.n : 0;
}

/* ---- the same choice, as it looks in what a run has written: for comparing the two ----
 * Families go by their new names; rows, times and qualifiers stay as they are; what was renamed and masked is so already. */

/* The name in the output, of a family that is taken. */
static struct bytes name_now(const struct selection *from, struct bytes family) {
    for (size_t i = 0; i < from->n_renames; i++)
        if (bytes_eq(from->renames[i].name, family)) return from->renames[i].now;
    return family;
}

static int copy_families(struct selection *s, const struct selection *from, struct err *err) {
    for (size_t i = 0; i < from->n_families; i++) {
        struct bytes now = name_now(from, from->families[i].name);
        if (add_name(s, &s->families, &s->n_families, now, now, err)) return -1;
    }
    return 0;
}

/* A family may have a name that no text of a column can give. */
static int copy_column(struct selection *s, struct bytes family, const struct glob *g, struct err *err) {
    struct selection_column c = {0};
    struct buf text = {0};
    int rc = family.p ? selection_keep(s, family, &c.family, err) : 0;
    for (size_t k = 0; !rc && k < g->n; k++)
        rc = g->kinds[k] == GLOB_BYTE ? buf_printf(&text, err, "\\x%02x", g->bytes[k])
                                      : buf_put_byte(&text, g->kinds[k] == GLOB_ANY_BYTE ? '?' : '*', err);
    struct bytes rest = buf_bytes(&text);
    if (!rc) rc = glob_parse(&rest, ",", &c.qualifier, err);
    buf_free(&text);
    return rc ? -1 : add_column(&s->columns, &s->n_columns, &c, err);
}

static int copy_columns(struct selection *s, const struct selection *from, struct err *err) {
    for (size_t i = 0; i < from->n_columns; i++) {
        const struct selection_column *c = &from->columns[i];
        if (copy_column(s, c->family.p ? name_now(from, c->family) : c->family, &c->qualifier, err)) return -1;
    }
    return 0;
}

static int copy_rows(struct selection *s, const struct selection *from, struct err *err) {
    for (size_t i = 0; i < from->ranges.n; i++) {
        struct row_range r = from->ranges.x[i], kept = {0};
        if (r.start.p && selection_keep(s, r.start, &kept.start, err)) return -1;
        if (r.stop.p && selection_keep(s, r.stop, &kept.stop, err)) return -1;
        if (range_list_add(&s->ranges, kept, err)) return -1;
    }
    return 0;
}

struct selection *selection_of_result(const struct selection *from, struct err *err) {
    struct selection *s = selection_new(err);
    int rc = s ? copy_families(s, from, err) || copy_columns(s, from, err) || copy_rows(s, from, err) : -1;
    if (!rc) {
        s->times = from->times;
        s->from_ms = from->from_ms;
        s->to_ms = from->to_ms;
        s->sampled = from->sampled;
        s->sample_below = from->sample_below;
        return s;
    }
    selection_free(s);
    return NULL;
}
