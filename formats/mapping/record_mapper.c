/* Records run through a mapping: each record's expressions are evaluated, and its cells sorted into row parts. Cells with
 * constant names have a shape; what the data names are loose cells, put into order for each record. Relies on the plan of
 * record_map.c. */
#include "formats/mapping/expr_run.h"
#include "formats/mapping/record_map.h"

#include "cell/cell.h"
#include "formats/mapping/record_mapper.h"
#include "formats/text/text_input.h"
#include "formats/text/text_number.h"

#include <stdlib.h>

int record_mapper_init(struct record_mapper *m, const struct record_map *map, struct err *err) {
    uint32_t n_fields = map->source->n_fields, n_rows = map->source->n_rows, n = map->max_cells;
    size_t size = n_fields * sizeof *m->fields + RECORD_PARTS_MAX * sizeof *m->parts + n * (sizeof *m->cells + sizeof *m->loose) +
                  n_rows * TTL_TAG_BYTES;
    *m = (struct record_mapper){.map = map, .scratch.limit_bytes = map->max_result_bytes};
    if (!(m->memory = calloc(1, size))) return err_nomem(err, size, "parsing a chunk");
    m->fields = m->memory;
    m->parts = (struct row_part *)(m->fields + n_fields);
    m->cells = (struct cell *)(m->parts + RECORD_PARTS_MAX);
    m->loose = (struct loose_cell *)(m->cells + n);
    m->ttl_tags = (uint8_t *)(m->loose + n);
    return jline_scan_init(&m->elements, &map->lists.paths, err);
}

void record_mapper_free(struct record_mapper *m) {
    expr_scratch_free(&m->scratch);
    jline_scan_free(&m->elements);
    free(m->memory);
    m->memory = NULL;
}

/* Facts that all cells of a row share. */
struct row_facts {
    struct bytes row, tags;
    int64_t ts_ms;
    uint64_t rank;
};

/* Evaluates an expression. 1, 0 (*why names what was to be made), -1. */
static int value_of(struct record_mapper *m, const struct expr *e, const char *label, struct expr_value *out, struct reason *why,
                    struct err *err) {
    struct expr_fault fault;
    int rc = expr_eval(e, m->fields, &m->scratch, out, &fault, err);
    if (rc == 0) text_why(why, fault.field == EXPR_NO_FIELD ? 0 : m->map->columns[fault.field] + 1, "%s: %s", label, fault.text);
    return rc;
}

/* *yes: there is no condition, or it holds. */
static int test_condition(struct record_mapper *m, const struct expr *when, const char *label, bool *yes, struct reason *why,
                          struct err *err) {
    struct expr_value v;
    *yes = true;
    if (!when) return 1;
    int rc = value_of(m, when, label, &v, why, err);
    if (rc == 1) *yes = v.p && v.number;
    return rc;
}

/* The column an expression is about, for messages; 0 = none. */
static uint32_t column_of(const struct record_mapper *m, const struct expr *e) {
    uint32_t field;
    return expr_is_field(e, &field) ? m->map->columns[field] + 1 : 0;
}

static int make_row_key(struct record_mapper *m, const struct expr *e, struct bytes *row, struct reason *why, struct err *err) {
    struct expr_value v;
    int rc = value_of(m, e, "row key", &v, why, err);
    if (rc != 1) return rc;
    uint32_t column = column_of(m, e);
    *row = bytes_of(v.p, v.n);
    if (!v.p) return text_why(why, column, "row key is null");
    if (!v.n) return text_why(why, column, "empty row key");
    if (v.n > ROW_MAX_BYTES) return text_why(why, column, "row key of %zu bytes, at most %d are possible", v.n, ROW_MAX_BYTES);
    return 1;
}

/* e NULL or null: `otherwise`. */
static int take_ts(struct record_mapper *m, const struct expr *e, int64_t otherwise, int64_t *ts_ms, struct reason *why,
                   struct err *err) {
    struct expr_value v = {0};
    *ts_ms = otherwise;
    int rc = e ? value_of(m, e, "timestamp", &v, why, err) : 1;
    if (rc != 1 || !v.p) return rc;
    if (v.number < 0) return text_why(why, column_of(m, e), "timestamp %lld is negative", (long long)v.number);
    if (!text_time(v.number, m->map->unit, ts_ms))
        return text_why(why, column_of(m, e), "timestamp %lld s does not fit", (long long)v.number);
    if (v.number == INT64_MAX) *ts_ms = m->map->default_ts_ms;
    return 1;
}

static int take_ttl(struct record_mapper *m, const struct expr *e, uint8_t *tag, struct bytes *tags, struct reason *why,
                    struct err *err) {
    struct expr_value v = {0};
    *tags = bytes_of(NULL, 0);
    int rc = e ? value_of(m, e, "TTL", &v, why, err) : 1;
    if (rc != 1 || !v.p) return rc;
    if (v.number <= 0) return text_why(why, column_of(m, e), "TTL %lld is not above 0", (long long)v.number);
    cell_put_ttl_tag(tag, v.number);
    *tags = bytes_of(tag, TTL_TAG_BYTES);
    return 1;
}

/* The value of a cell; v->p == NULL: there is to be none. */
static inline int take_value(struct record_mapper *m, const struct mapping_cell *c, uint32_t field, struct expr_value *v,
                             struct reason *why, struct err *err) {
    bool yes = true;
    int rc = c->when ? test_condition(m, c->when, c->label, &yes, why, err) : 1;
    *v = (struct expr_value){0};
    if (rc != 1 || !yes) return rc;
    if (field != EXPR_NO_FIELD)
        *v = m->fields[field];
    else
        rc = value_of(m, c->value, c->label, v, why, err);
    if (rc == 1 && c->skip_empty && !v->n) v->p = NULL;
    return rc;
}

static int add_part(struct record_mapper *m, const struct row_part *part, struct reason *why) {
    if (m->n_parts == RECORD_PARTS_MAX) return text_why(why, 0, "more than %d rows and families in one record", RECORD_PARTS_MAX);
    m->parts[m->n_parts++] = *part;
    return 1;
}

static int map_groups(struct record_mapper *m, const struct record_row *r, const struct row_facts *f, struct reason *why,
                      struct err *err) {
    for (uint32_t g = 0; g < r->n_groups; g++) {
        const struct record_group *group = &r->groups[g];
        struct row_part part = {
            .row = f->row, .family = group->family, .cells = m->cells + m->n_cells, .shape = group->shape, .first = true};
        for (uint32_t i = group->first; i < group->first + group->n; i++) {
            const struct record_slot *slot = &r->slots[i];
            struct expr_value v;
            int rc = take_value(m, slot->rule, slot->field, &v, why, err);
            if (rc != 1) return rc;
            if (!v.p) continue;
            m->cells[m->n_cells++] = (struct cell){.qualifier = slot->qualifier,
                                                   .value = bytes_of(v.p, v.n),
                                                   .tags = f->tags,
                                                   .ts_ms = f->ts_ms,
                                                   .rank = f->rank,
                                                   .type = CELL_PUT};
        }
        part.n_cells = (uint32_t)(m->cells + m->n_cells - part.cells);
        if (part.n_cells && !add_part(m, &part, why)) return 0;
    }
    return 1;
}

/* Returns the type of a cell; *there false: its expression is null, and the cell is left out. */
static int take_type(struct record_mapper *m, const struct mapping_cell *c, uint8_t *type, bool *there, struct reason *why,
                     struct err *err) {
    struct expr_value v;
    *type = CELL_PUT;
    *there = true;
    int rc = c->type ? value_of(m, c->type, c->label, &v, why, err) : 1;
    if (rc != 1 || !c->type) return rc;
    *there = v.p != NULL;
    if (!v.p || cell_type_named(bytes_of(v.p, v.n), type)) return 1;
    return text_why(why, column_of(m, c->type),
                    "%s: type '%.*s' is none of put, delete, delete_column, delete_family and delete_family_version", c->label,
                    (int)(v.n > 40 ? 40 : v.n), (const char *)v.p);
}

/* The value, unless the cell is a marker, which has none. */
static int take_content(struct record_mapper *m, const struct mapping_cell *c, uint8_t type, struct expr_value *v,
                        struct reason *why, struct err *err) {
    bool yes = true;
    if (!cell_is_delete(type)) return take_value(m, c, EXPR_NO_FIELD, v, why, err);
    int rc = c->when ? test_condition(m, c->when, c->label, &yes, why, err) : 1;
    *v = yes ? expr_text(bytes_of("", 0)) : (struct expr_value){0};
    return rc;
}

/* Family, qualifier and value; any of them null: no cell (*there false). */
static int take_loose(struct record_mapper *m, const struct mapping_cell *c, const struct row_facts *f, struct loose_cell *out,
                      bool *there, struct reason *why, struct err *err) {
    struct expr_value family, qualifier, value;
    int64_t ts_ms;
    uint8_t type;
    int rc = take_type(m, c, &type, there, why, err);
    if (rc != 1 || !*there) return rc;
    *there = false;
    rc = take_content(m, c, type, &value, why, err);
    if (rc != 1 || !value.p) return rc;
    if ((rc = value_of(m, c->family, c->label, &family, why, err)) != 1 || !family.p) return rc;
    if ((rc = value_of(m, c->qualifier, c->label, &qualifier, why, err)) != 1 || !qualifier.p) return rc;
    if ((rc = take_ts(m, c->timestamp, f->ts_ms, &ts_ms, why, err)) != 1) return rc;
    if (!family.n || family.n > FAMILY_MAX_BYTES)
        return text_why(why, column_of(m, c->family), "%s: a family name of %zu bytes, 1 to %d are possible", c->label, family.n,
                        FAMILY_MAX_BYTES);
    if (cell_is_family_delete(type)) qualifier = expr_text(bytes_of("", 0));
    *there = true;
    out->family = bytes_of(family.p, family.n);
    out->cell = (struct cell){.qualifier = bytes_of(qualifier.p, qualifier.n),
                              .value = bytes_of(value.p, value.n),
                              .tags = f->tags,
                              .ts_ms = ts_ms,
                              .rank = f->rank,
                              .type = type};
    return 1;
}

/* Family, cell order; of equal ones the later rule first. */
static int loose_cmp(const struct loose_cell *a, const struct loose_cell *b) {
    int c = bytes_cmp(a->family, b->family);
    if (!c) c = cell_key_cmp(&a->cell, &b->cell);
    return c ? c : (a->order < b->order) - (a->order > b->order);
}

/* Records have few loose cells, and rules are mostly in order. */
static void insert_cell(struct loose_cell *sorted, uint32_t n, const struct loose_cell *c) {
    for (; n && loose_cmp(&sorted[n - 1], c) > 0; n--) sorted[n] = sorted[n - 1];
    sorted[n] = *c;
}

static int add_loose(struct record_mapper *m, const struct mapping_cell *rule, uint32_t order, const struct row_facts *f,
                     uint32_t *n, struct reason *why, struct err *err) {
    struct loose_cell c = {.order = order};
    bool there;
    int rc = take_loose(m, rule, f, &c, &there, why, err);
    if (rc == 1 && there) insert_cell(m->loose, (*n)++, &c);
    return rc;
}

/* Names the cell in what is wrong with its list. */
static int refuse_list(const struct record_mapper *m, const struct mapping_cell *rule, struct reason *why) {
    const struct reason of_list = *why;
    return text_why(why, column_of(m, rule->each), "%s: %s", rule->label, of_list.text);
}

/* A cell for each part of a list. */
static int add_each(struct record_mapper *m, const struct mapping_cell *rule, uint32_t order, const struct row_facts *f,
                    uint32_t *n, struct reason *why, struct err *err) {
    struct expr_value v;
    struct record_list list;
    bool there = true;
    int rc = value_of(m, rule->each, rule->label, &v, why, err);
    if (rc != 1 || !v.p) return rc;
    rc = record_list_begin(&list, &m->elements, bytes_of(v.p, v.n), rule->separator, why, err);
    while (rc == 1 && there) {
        rc = record_list_next(&list, &m->map->lists, rule->item, m->fields, m->map->met, &m->scratch, &there, why, err);
        if (rc == 1 && there && (rc = add_loose(m, rule, order, f, n, why, err)) != 1) return rc;
    }
    return rc ? rc : refuse_list(m, rule, why);
}

static int map_loose(struct record_mapper *m, const struct record_row *r, const struct row_facts *f, struct reason *why,
                     struct err *err) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_loose; i++) {
        int rc = r->loose[i]->each ? add_each(m, r->loose[i], i, f, &n, why, err) : add_loose(m, r->loose[i], i, f, &n, why, err);
        if (rc != 1) return rc;
    }
    for (uint32_t i = 0, j; i < n; i = j) {
        struct row_part part = {.row = f->row, .family = m->loose[i].family, .cells = m->cells + m->n_cells, .first = true};
        for (j = i; j < n && bytes_eq(m->loose[j].family, part.family); j++) m->cells[m->n_cells++] = m->loose[j].cell;
        part.n_cells = j - i;
        if (!add_part(m, &part, why)) return 0;
    }
    return 1;
}

static int map_row(struct record_mapper *m, uint32_t i, struct row_facts *f, struct reason *why, struct err *err) {
    const struct record_row *r = &m->map->rows[i];
    bool yes;
    int rc = test_condition(m, r->rule->when, "when", &yes, why, err);
    if (rc != 1 || !yes) return rc;
    m->n_rows++;
    if ((rc = make_row_key(m, r->rule->key, &f->row, why, err)) != 1) return rc;
    if ((rc = take_ts(m, r->rule->timestamp, m->map->default_ts_ms, &f->ts_ms, why, err)) != 1) return rc;
    if ((rc = take_ttl(m, r->rule->ttl, m->ttl_tags + i * TTL_TAG_BYTES, &f->tags, why, err)) != 1) return rc;
    if ((rc = map_groups(m, r, f, why, err)) != 1) return rc;
    return r->n_loose ? map_loose(m, r, f, why, err) : 1;
}

int record_mapper_run(struct record_mapper *m, uint64_t rank, struct reason *why, struct err *err) {
    expr_scratch_reset(&m->scratch);
    m->n_parts = m->n_rows = m->n_cells = 0;
    for (uint32_t i = 0; i < m->map->source->n_rows; i++) {
        struct row_facts f = {.rank = rank + i};
        int rc = map_row(m, i, &f, why, err);
        if (rc != 1) return rc;
    }
    return 1;
}
