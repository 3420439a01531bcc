/* The columns that the expressions of a mapping name: each name or $position becomes a field of its source, once, and remembers
 * the place in the mapping that named it first, for messages about files that lack it. */
#include "formats/mapping/mapping.h"

#include "base/buf.h"
#include "formats/mapping/mapping_columns.h"

#include <stdlib.h>
#include <string.h>

/* A copy that outlives the walk. */
static int keep_place(struct mapping_field *f, const struct json_place *at, struct err *err) {
    for (const struct json_place *p = at; p; p = p->up) f->n_places++;
    if (!(f->places = calloc(f->n_places, sizeof *f->places)))
        return err_nomem(err, f->n_places * sizeof *f->places, "a mapping");
    for (size_t i = f->n_places; i-- > 0; at = at->up) {
        f->places[i] = *at;
        f->places[i].up = i ? &f->places[i - 1] : NULL;
    }
    return 0;
}

static int add_field(struct mapping_names *p, struct bytes name, uint32_t column, uint32_t *field) {
    struct mapping_source *s = p->source;
    if (grow_array(&s->fields, s->n_fields, sizeof *s->fields, "the columns of a mapping", p->err)) return -1;
    *field = s->n_fields;
    struct mapping_field *f = &s->fields[s->n_fields++];
    *f = (struct mapping_field){.column = column};
    if (keep_place(f, p->at, p->err)) return -1;
    if (!name.p) return 0;
    uint8_t *copy = malloc(name.n + 1);
    if (!copy) return err_nomem(p->err, name.n, "the columns of a mapping");
    if (name.n) memcpy(copy, name.p, name.n);
    f->name = bytes_of(copy, name.n);
    return 0;
}

bool mapping_position(struct bytes name, uint32_t *column) {
    uint64_t v = 0;
    if (name.n < 2 || name.n > 6 || name.p[0] != '$') return false;
    for (size_t i = 1; i < name.n; i++) {
        if (name.p[i] < '0' || name.p[i] > '9') return false;
        v = v * 10 + (name.p[i] - (unsigned)'0');
    }
    *column = (uint32_t)v - 1;
    return v > 0 && v <= MAPPING_COLUMNS_MAX;
}

static int among_columns(const struct mapping_source *s, struct bytes name, uint32_t *column) {
    for (uint32_t i = 0; i < s->n_columns; i++) {
        if (!bytes_eq(s->columns[i], name)) continue;
        *column = i;
        return 1;
    }
    return 0;
}

/* A member of the part may be a column instead, in text whose header has one of that name. */
static int add_item(struct mapping_names *p, struct bytes name, uint32_t column, uint32_t *field) {
    for (*field = 0; *field < p->source->n_fields; ++*field) {
        const struct mapping_field *f = &p->source->fields[*field];
        if (f->is_item && bytes_eq(f->name, name)) return 0;
    }
    if (add_field(p, name, column, field)) return -1;
    p->source->fields[*field].is_item = true;
    return 0;
}

int mapping_add_item(struct mapping_names *p, uint32_t *field) {
    return add_item(p, bytes_str("item"), 0, field);
}

int mapping_find_name(void *arg, struct bytes name, uint32_t *field, enum expr_type *type, struct err *err) {
    struct mapping_names *p = arg;
    struct mapping_source *s = p->source;
    uint32_t column = UINT32_MAX;
    bool position = mapping_position(name, &column);
    bool is_part = bytes_eq(name, bytes_str("item")), is_member = name.n > 5 && !memcmp(name.p, "item.", 5);
    if (p->has_item && (is_part || is_member)) {
        *type = EXPR_TEXT;
        return add_item(p, name, is_part ? 0 : UINT32_MAX, field) ? -1 : 1;
    }
    (void)err;
    *type = EXPR_TEXT;
    if (position && s->n_columns && column >= s->n_columns) return 0;
    if (!position && s->n_columns && !among_columns(s, name, &column)) return 0;
    p->uses_names |= column == UINT32_MAX;
    for (uint32_t i = 0; i < s->n_fields; i++) {
        bool same =
            column != UINT32_MAX ? s->fields[i].column == column : s->fields[i].name.p && bytes_eq(s->fields[i].name, name);
        if (!same || s->fields[i].is_item) continue;
        *field = i;
        return 1;
    }
    return add_field(p, column == UINT32_MAX ? name : bytes_of(NULL, 0), column, field) ? -1 : 1;
}

int mapping_take_columns(const struct mapping_names *p, struct mapping *m, const json_t *v, const struct json_place *at) {
    const json_t *list = json_object_get(v, "columns");
    struct json_place here = json_place_key(at, "columns");
    struct mapping_source *s = p->source;
    size_t n = json_array_size(list);
    if (!list) return 0;
    if (!json_is_array(list) || !n || n > MAPPING_COLUMNS_MAX)
        return mapping_error(m, &here, p->err, "expected a list of 1 to %d names", MAPPING_COLUMNS_MAX);
    if (!(s->columns = calloc(n, sizeof *s->columns))) return err_nomem(p->err, n * sizeof *s->columns, "a mapping");
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(list, i);
        struct json_place place = json_place_item(&here, i);
        uint32_t other;
        if (!json_is_string(item)) return mapping_error(m, &place, p->err, "expected a name");
        struct bytes name = {(const uint8_t *)json_string_value(item), json_string_length(item)};
        if (name.n && among_columns(s, name, &other)) return mapping_error(m, &place, p->err, "the name appears twice");
        s->columns[s->n_columns++] = name;
    }
    return 0;
}
