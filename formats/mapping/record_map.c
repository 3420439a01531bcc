/* One source of a mapping, made ready for one file: columns are looked up in the file's header once, and cells with constant
 * names get a shape. Records run through it in record_mapper.c. */
#include "formats/mapping/expr_run.h"
#include "formats/mapping/record_map.h"

#include "base/near_name.h"
#include "cell/cell.h"
#include "formats/text/text_hint.h"
#include "formats/text/text_input.h"
#include "select/selection_make.h"

#include <stdlib.h>

#define SHOW(b) (int)((b).n > 200 ? 200 : (b).n), (const char *)(b).p

/* ---- columns ---- */

static int list_header(const struct record_map_opts *o, struct buf *out, struct err *err) {
    for (uint32_t i = 0; i < o->n_header && out->n < 600; i++)
        if (buf_printf(out, err, "%s%.*s", i ? ", " : "", SHOW(o->header[i]))) return -1;
    return buf_put_byte(out, 0, err);
}

static int not_in_header(const struct record_map_opts *o, const struct mapping_field *f, struct err *err) {
    struct buf names = {0};
    struct near_name near = near_name_to(f->name);
    char meant[NEAR_NAME_MAX + 48], hint[TEXT_HINT_BYTES];
    for (uint32_t i = 0; i < o->n_header; i++) near_name_offer(&near, o->header[i]);
    near_name_text(&near, "", meant);
    text_header_hint(o->path, o->header, o->n_header, f->name, true, hint);
    if (f->name.n > 1 && f->name.p[0] == '$' && (f->name.p[1] == '.' || f->name.p[1] == '['))
        mapping_error(o->mapping, mapping_place(f), err, "'%.*s' is a path into JSON, but %s is text with columns", SHOW(f->name),
                      o->path);
    else if (list_header(o, &names, err) == 0)
        mapping_error(o->mapping, mapping_place(f), err, "%s has no column '%.*s'; its header has: %s%s", o->path, SHOW(f->name),
                      (char *)names.p,
                      *meant  ? meant
                      : *hint ? hint
                              : "; a constant stands between quotes, as in \"'f'\"");
    buf_free(&names);
    return -1;
}

static int find_column(const struct record_map_opts *o, const struct mapping_field *f, uint32_t *column, struct err *err) {
    *column = f->column;
    for (uint32_t i = 0; i < o->n_header && f->column == UINT32_MAX; i++) {
        if (!bytes_eq(bytes_trim(o->header[i]), f->name)) continue;
        if (*column != UINT32_MAX)
            return mapping_error(o->mapping, mapping_place(f), err,
                                 "the header of %s has two columns '%.*s' (%u and %u); write $%u or $%u", o->path, SHOW(f->name),
                                 *column + 1, i + 1, *column + 1, i + 1);
        *column = i;
    }
    if (*column == UINT32_MAX && f->is_item) return 0; /* a member of a JSON array's elements */
    if (*column == UINT32_MAX && o->empty_input) {
        *column = 0;
        return 0;
    }
    return *column == UINT32_MAX ? not_in_header(o, f, err) : 0;
}

/* Records of JSON have no positions. */
static int check_paths(struct record_map *m, const struct record_map_opts *o, struct err *err) {
    for (uint32_t i = 0; i < o->source->n_fields; i++) {
        const struct mapping_field *f = &o->source->fields[i];
        m->columns[i] = UINT32_MAX;
        if (!f->name.p && f->column >= o->source->n_columns)
            return mapping_error(o->mapping, mapping_place(f), err,
                                 "$%u is the position of a column, but %s is JSON; write a key, or a path such as $.user.name",
                                 f->column + 1, o->path);
    }
    return 0;
}

static int find_columns(struct record_map *m, const struct record_map_opts *o, struct err *err) {
    const struct mapping_source *s = o->source;
    uint32_t most = 0;
    if (!(m->columns = calloc(s->n_fields + 1, sizeof *m->columns))) return err_nomem(err, s->n_fields, "a mapping");
    if (o->by_path) return check_paths(m, o, err);
    for (uint32_t i = 0; i < s->n_fields; i++) {
        if (find_column(o, &s->fields[i], &m->columns[i], err)) return -1;
        if (m->columns[i] != UINT32_MAX && m->columns[i] >= most) most = m->columns[i] + 1;
    }
    bool named = o->header && !o->empty_input;
    m->n_columns = named ? o->n_header : s->n_columns ? s->n_columns : most;
    m->exact = named || s->n_columns;
    if (named && s->n_columns && s->n_columns != o->n_header)
        return err_set(err, ERR_USAGE, "%s: the header has %u column%s, the mapping lists %u", o->path, o->n_header,
                       o->n_header == 1 ? "" : "s", s->n_columns);
    if (most <= m->n_columns) return 0;
    return err_set(err, ERR_USAGE, "%s: the header has %u column%s, the mapping uses $%u", o->path, m->n_columns,
                   m->n_columns == 1 ? "" : "s", most);
}

/* ---- shapes ---- */

static int check_family(const struct record_map_opts *o, struct bytes family, struct err *err) {
    struct bytes now;
    if (!selection_family(o->selection, family, &now)) return 0;
    if (!o->table || table_family(o->table, now) >= 0) return 0;
    if (o->open_families) return table_add_family(o->table, now, err);
    return table_lacks_family(o->table, now, "the mapping", err);
}

/* HFile order; of equal columns the later rule first, because it is the newer one. */
static int slot_cmp(const void *va, const void *vb) {
    const struct mapping_cell *a = ((const struct record_slot *)va)->rule, *b = ((const struct record_slot *)vb)->rule;
    int c = bytes_cmp(a->family_name, b->family_name);
    if (!c) c = bytes_cmp(a->column_name, b->column_name);
    return c ? c : (a < b) - (a > b);
}

/* The n slots at `first` are of one family; names has room for them. */
static int add_group(struct record_row *r, uint32_t first, uint32_t n, struct bytes *names, const struct record_map_opts *o,
                     struct err *err) {
    struct record_group *g = &r->groups[r->n_groups++];
    struct bytes family = r->slots[first].rule->family_name;
    for (uint32_t i = 0; i < n; i++) names[i] = r->slots[first + i].rule->column_name;
    *g = (struct record_group){.first = first, .n = n};
    if (check_family(o, family, err) || shape_add(o->shapes, family, names, n, &g->shape, err)) return -1;
    const struct shape *shape = shape_get(o->shapes, g->shape);
    g->family = shape->family;
    for (uint32_t i = 0; i < n; i++) r->slots[first + i].qualifier = shape->qualifiers[i];
    return 0;
}

static int add_groups(struct record_row *r, const struct record_map_opts *o, struct err *err) {
    struct bytes *names = calloc(r->n_slots + 1, sizeof *names);
    int rc = names ? 0 : err_nomem(err, r->n_slots * sizeof *names, "a mapping");
    if (!rc) qsort(r->slots, r->n_slots, sizeof *r->slots, slot_cmp);
    for (uint32_t i = 0, j; !rc && i < r->n_slots; i = j) {
        for (j = i + 1; j < r->n_slots && bytes_eq(r->slots[i].rule->family_name, r->slots[j].rule->family_name);) j++;
        rc = add_group(r, i, j - i, names, o, err);
    }
    free(names);
    return rc;
}

/* A shape fits when every cell of the family is known beforehand. */
static bool has_shape(const struct mapping_row *row, const struct mapping_cell *c) {
    for (uint32_t i = 0; i < row->n_cells; i++) {
        const struct mapping_cell *d = &row->cells[i];
        bool same = !d->fixed_family || !c->fixed_family || bytes_eq(c->family_name, d->family_name);
        if (same && (!d->fixed || d->timestamp || d->type || d->each)) return false;
    }
    return true;
}

/* The most cells that a record makes of a row. */
static uint32_t count_cells(const struct mapping_row *rule) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < rule->n_cells; i++) n += rule->cells[i].each ? RECORD_ITEMS_MAX : 1;
    return n;
}

static int plan_row(struct record_row *r, const struct mapping_row *rule, const struct record_map_opts *o, struct err *err) {
    uint32_t n = rule->n_cells;
    r->rule = rule;
    r->slots = calloc(n, sizeof *r->slots);
    r->groups = calloc(n, sizeof *r->groups);
    r->loose = calloc(n, sizeof *r->loose);
    if (!r->slots || !r->groups || !r->loose) return err_nomem(err, n * sizeof *r->slots, "a mapping");
    for (uint32_t i = 0; i < n; i++) {
        const struct mapping_cell *c = &rule->cells[i];
        struct record_slot slot = {.rule = c, .field = EXPR_NO_FIELD};
        if (c->fixed_family && check_family(o, c->family_name, err)) return -1;
        if (!expr_is_field(c->value, &slot.field)) slot.field = EXPR_NO_FIELD;
        if (has_shape(rule, c))
            r->slots[r->n_slots++] = slot;
        else
            r->loose[r->n_loose++] = c;
    }
    return add_groups(r, o, err);
}

struct record_map_opts record_map_opts_of(const struct read_opts *o, const struct mapping_source *source, const char *path) {
    return (struct record_map_opts){.mapping = o->text.mapping,
                                    .source = source,
                                    .path = path,
                                    .table = o->table,
                                    .open_families = o->open_families,
                                    .selection = o->selection,
                                    .shapes = o->shapes,
                                    .default_ts_ms = o->default_ts_ms,
                                    .unit = o->text.unit,
                                    .max_result_bytes = o->memory.max_cell};
}

struct record_map *record_map_new(const struct record_map_opts *o, struct err *err) {
    struct record_map *m = calloc(1, sizeof *m);
    if (!m) {
        err_nomem(err, sizeof *m, "a mapping");
        return NULL;
    }
    m->source = o->source;
    m->met = o->by_path ? o->source->met : NULL;
    m->default_ts_ms = o->default_ts_ms;
    m->unit = o->unit;
    m->max_result_bytes = o->max_result_bytes;
    int rc = find_columns(m, o, err) || record_list_plan(&m->lists, o->source, m->columns, err) ? -1 : 0;
    if (!rc && !(m->rows = calloc(o->source->n_rows, sizeof *m->rows))) rc = err_nomem(err, sizeof *m->rows, "a mapping");
    for (uint32_t i = 0; !rc && i < o->source->n_rows; i++) {
        m->max_cells += count_cells(&o->source->rows[i]);
        rc = plan_row(&m->rows[i], &o->source->rows[i], o, err);
    }
    if (!rc) return m;
    record_map_free(m);
    return NULL;
}

void record_map_free(struct record_map *m) {
    if (!m) return;
    for (uint32_t i = 0; m->rows && i < m->source->n_rows; i++) {
        free(m->rows[i].slots);
        free(m->rows[i].groups);
        free(m->rows[i].loose);
    }
    record_list_plan_free(&m->lists);
    free(m->rows);
    free(m->columns);
    free(m);
}
