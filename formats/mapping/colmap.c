/* --columns, ImportTsv's notation, compiled into a plan: which column of the text is key, timestamp or TTL, and which goes to
 * which family and qualifier. Cells of a family get a shape, so that its qualifiers are stored once. */

#include "formats/mapping/colmap.h"
#include "formats/mapping/colmap_header.h"
#include "formats/mapping/colmap_key.h"
#include "select/selection_make.h"

#include <stdlib.h>

struct item {
    struct bytes name;   /* p == NULL: by position */
    struct bytes target; /* "-", HBASE_…, family[:qualifier] */
    uint32_t column;
};

/* A plan while it is put together; freed when the plan is complete. */
struct draft {
    const struct colmap_opts *o;
    struct item *items;
    uint32_t n_items;
    bool by_name;
    struct bytes rest; /* the family of "*=family", which takes all other columns; p == NULL: none */
    struct column {
        struct bytes family, qualifier;
        uint32_t column;
    } * columns;
    uint32_t n_columns;
};

#define SHOW(b) (int)((b).n > 200 ? 200 : (b).n), (const char *)(b).p

/* Cuts b at the first `at`; *head and *tail lack it. false: not there. */
static bool cut_at(struct bytes b, uint8_t at, struct bytes *head, struct bytes *tail) {
    const uint8_t *p = b.n ? memchr(b.p, at, b.n) : NULL;
    if (!p) return false;
    *head = bytes_of(b.p, (size_t)(p - b.p));
    *tail = bytes_of(p + 1, b.n - head->n - 1);
    return true;
}

static int split_items(struct draft *d, struct err *err) {
    struct bytes rest = bytes_trim(bytes_str(d->o->columns));
    if (!rest.n) return err_set(err, ERR_USAGE, "--columns is empty; give HBASE_ROW_KEY,family:qualifier,…");
    if (colmap_is_auto(d->o->columns) && !d->o->header) return err_set(err, ERR_USAGE, "--columns auto needs --header");
    uint32_t n = 1;
    for (size_t i = 0; i < rest.n; i++) n += rest.p[i] == ',';
    if (!(d->items = calloc((size_t)n + d->o->n_header, sizeof *d->items)))
        return err_nomem(err, n * sizeof *d->items, "--columns");
    if (colmap_is_auto(d->o->columns)) return colmap_auto_family(d->o, &d->rest, err);
    for (struct bytes item = rest, tail; n; n--) {
        struct item *it = &d->items[d->n_items++];
        bool more = cut_at(rest, ',', &item, &tail);
        if (!more) item = rest;
        it->column = d->n_items - 1;
        it->target = bytes_trim(item);
        if (!it->target.n) return err_set(err, ERR_USAGE, "--columns: item %u is empty (a column to skip is \"-\")", d->n_items);
        rest = tail;
        if (!more) break;
    }
    return 0;
}

/* "*=family" is no item any more. */
static int take_rest(struct draft *d, uint32_t i, struct err *err) {
    struct item *it = &d->items[i];
    if (d->rest.p) return err_set(err, ERR_USAGE, "--columns: * appears twice");
    if (memchr(it->target.p, ':', it->target.n))
        return err_set(err, ERR_USAGE, "--columns: \"*=%.*s\": write *=FAMILY, the qualifiers are the names of the columns",
                       SHOW(it->target));
    d->rest = it->target;
    memmove(it, it + 1, (--d->n_items - i) * sizeof *it);
    return 0;
}

/* Resolves names. With a header any '=' parts name and target; without, it may only be part of a qualifier. */
static int resolve_names(struct draft *d, struct err *err) {
    uint32_t named = 0;
    for (uint32_t i = 0; i < d->n_items; i++) {
        struct item *it = &d->items[i];
        struct bytes name, target, family, qualifier;
        if (!cut_at(it->target, '=', &name, &target)) continue;
        if (!d->o->header) {
            if (cut_at(it->target, ':', &family, &qualifier) && family.n < name.n) continue;
            return err_set(err, ERR_USAGE, "--columns: \"%.*s\" picks a column by name, which only a header says",
                           SHOW(it->target));
        }
        it->name = bytes_trim(name);
        it->target = bytes_trim(target);
        if (!it->name.n || !it->target.n)
            return err_set(err, ERR_USAGE, "--columns: item %u: expected name=family:qualifier", i + 1);
        if (bytes_eq(it->name, bytes_str("*"))) {
            if (take_rest(d, i--, err)) return -1;
            continue;
        }
        if (!d->o->empty_input && colmap_find_header(d->o, "--columns", it->name, &it->column, err)) return -1;
        named++;
    }
    d->by_name = named || d->rest.p;
    if (!d->by_name || named == d->n_items) return 0;
    for (uint32_t i = 0; i < d->n_items; i++) {
        struct bytes of, family;
        if (!d->items[i].name.n && cut_at(d->items[i].target, ':', &of, &family) && bytes_eq(of, bytes_str("auto")))
            return err_set(err, ERR_USAGE,
                           "--columns: auto:%.*s stands alone; beside other items, *=%.*s stands for all other columns",
                           SHOW(family), SHOW(family));
    }
    return err_set(err, ERR_USAGE, "--columns: either all items pick columns by name (name=family:qualifier) or none does");
}

static int check_twice(const struct draft *d, struct err *err) {
    for (uint32_t i = 0; i < d->n_items; i++)
        for (uint32_t j = 0; j < i && d->items[i].name.p; j++)
            if (d->items[i].column == d->items[j].column)
                return err_set(err, ERR_USAGE, "--columns: column \"%.*s\" is mapped twice", SHOW(d->items[i].name));
    return 0;
}

static int check_family(struct draft *d, struct bytes family, struct err *err) {
    if (!family.n || family.n > FAMILY_MAX_BYTES)
        return err_set(err, ERR_USAGE, "--columns: a family name has 1 to %d bytes, not %zu", FAMILY_MAX_BYTES, family.n);
    struct bytes now;
    if (!selection_family(d->o->selection, family, &now)) return 0;
    if (!d->o->table || table_family(d->o->table, now) >= 0) return 0;
    if (d->o->open_families) return table_add_family(d->o->table, now, err);
    return table_lacks_family(d->o->table, now, "--columns", err);
}

static int set_once(uint32_t *column, const struct item *it, struct err *err) {
    if (*column != COLMAP_NONE) return err_set(err, ERR_USAGE, "--columns: %.*s appears twice", SHOW(it->target));
    *column = it->column;
    return 0;
}

static int refuse_special(struct bytes target, struct err *err) {
    if (bytes_eq(target, bytes_str("HBASE_ATTRIBUTES_KEY")))
        return err_set(err, ERR_USAGE,
                       "--columns: HBASE_ATTRIBUTES_KEY is not supported: operation attributes are for a running server, "
                       "cell files do not hold them; use \"-\" to skip the column");
    if (bytes_eq(target, bytes_str("HBASE_CELL_VISIBILITY")))
        return err_set(err, ERR_USAGE,
                       "--columns: HBASE_CELL_VISIBILITY is not supported: OceanBase has no visibility labels, so "
                       "everyone could read the cells; use \"-\" to skip the column");
    return err_set(
        err, ERR_USAGE,
        "--columns: unknown \"%.*s\"; known are HBASE_ROW_KEY, HBASE_ROW_KEY:hex, HBASE_TS_KEY, HBASE_CELL_TTL and OBKV_OP",
        SHOW(target));
}

static int add_cell(struct draft *d, const struct item *it, struct err *err) {
    struct column *c = &d->columns[d->n_columns++];
    c->column = it->column;
    if (!cut_at(it->target, ':', &c->family, &c->qualifier)) {
        c->family = it->target;
        c->qualifier = bytes_of("", 0);
    }
    if (c->qualifier.n > ROW_MAX_BYTES)
        return err_set(err, ERR_USAGE, "--columns: a qualifier of %zu bytes is too long", c->qualifier.n);
    return check_family(d, c->family, err);
}

static int take_item(struct colmap *m, struct draft *d, const struct item *it, struct err *err) {
    struct bytes t = it->target, prefix = bytes_str("HBASE_");
    if (bytes_eq(t, bytes_str("-"))) return 0;
    if (bytes_eq(t, bytes_str("HBASE_ROW_KEY"))) return set_once(&m->row, it, err);
    if (bytes_eq(t, bytes_str("HBASE_ROW_KEY:hex"))) {
        m->row_is_hex = true;
        return set_once(&m->row, it, err);
    }
    if (bytes_eq(t, bytes_str("OBKV_OP"))) return set_once(&m->op, it, err);
    if (bytes_eq(t, bytes_str("HBASE_TS_KEY"))) return set_once(&m->ts, it, err);
    if (bytes_eq(t, bytes_str("HBASE_CELL_TTL"))) return set_once(&m->ttl, it, err);
    if (t.n > prefix.n && !memcmp(t.p, prefix.p, prefix.n) && !memchr(t.p, ':', t.n)) return refuse_special(t, err);
    return add_cell(d, it, err);
}

/* The columns that no item names become cells of one family; with auto, those called HBASE_… or OBKV_OP what they are called. */
static int add_rest(struct colmap *m, struct draft *d, struct err *err) {
    const struct colmap_opts *o = d->o;
    const char *const special[] = {"HBASE_ROW_KEY", "HBASE_ROW_KEY:hex", "HBASE_TS_KEY", "HBASE_CELL_TTL", "OBKV_OP"};
    uint32_t n_items = d->n_items;
    if (check_family(d, d->rest, err)) return -1;
    for (uint32_t c = 0; c < o->n_header && !o->empty_input; c++) {
        struct item it = {.column = c, .target = bytes_trim(o->header[c])};
        bool named = false, is_special = false;
        for (uint32_t i = 0; i < n_items && !named; i++) named = d->items[i].column == c;
        if (named) continue;
        if (colmap_check_rest(o, c, err)) return -1;
        for (size_t i = 0; i < countof(special); i++) is_special |= bytes_eq(it.target, bytes_str(special[i]));
        if (is_special && colmap_is_auto(o->columns)) {
            if (take_item(m, d, &it, err)) return -1;
        } else {
            d->columns[d->n_columns++] = (struct column){.family = d->rest, .qualifier = it.target, .column = c};
        }
    }
    return 0;
}

/* The row key is one column, or an expression. */
static int check_key(const struct colmap *m, const struct draft *d, struct err *err) {
    if (d->o->key && m->row != COLMAP_NONE)
        return err_set(err, ERR_USAGE, "--key and HBASE_ROW_KEY both say what the row key is: give one of them");
    if (d->o->key || m->row != COLMAP_NONE || (d->o->empty_input && d->rest.p)) return 0;
    return err_set(err, ERR_USAGE,
                   "--columns: one item must be HBASE_ROW_KEY, unless --key or a mapping (--map) builds the row key");
}

/* HFile order; of equal columns the later one first, because it is the newer one. */
static int column_cmp(const void *va, const void *vb) {
    const struct column *a = va, *b = vb;
    int c = bytes_cmp(a->family, b->family);
    if (!c) c = bytes_cmp(a->qualifier, b->qualifier);
    return c ? c : (a->column < b->column) - (a->column > b->column);
}

/* One family: the n columns at `c`. names has room for them. */
static int add_family(struct colmap *m, const struct draft *d, const struct column *c, uint32_t n, struct bytes *names,
                      struct err *err) {
    struct colmap_family *f = &m->families[m->n_families++];
    for (uint32_t i = 0; i < n; i++) names[i] = c[i].qualifier;
    if (shape_add(d->o->shapes, c->family, names, n, &f->shape, err)) return -1;
    const struct shape *shape = shape_get(d->o->shapes, f->shape);
    f->name = shape->family;
    f->first = m->n_slots;
    f->n = n;
    for (uint32_t i = 0; i < n; i++)
        m->slots[m->n_slots++] = (struct colmap_slot){.column = c[i].column, .qualifier = shape->qualifiers[i]};
    return 0;
}

static int lay_out(struct colmap *m, struct draft *d, struct err *err) {
    uint32_t n = d->n_columns;
    struct bytes *names = calloc(n + 1, sizeof *names);
    m->slots = calloc(n + 1, sizeof *m->slots);
    m->families = calloc(n + 1, sizeof *m->families);
    int rc = names && m->slots && m->families ? 0 : err_nomem(err, n * sizeof *m->slots, "--columns");
    if (!rc) qsort(d->columns, n, sizeof *d->columns, column_cmp);
    for (uint32_t i = 0, j; !rc && i < n; i = j) {
        for (j = i + 1; j < n && bytes_eq(d->columns[i].family, d->columns[j].family);) j++;
        rc = add_family(m, d, d->columns + i, j - i, names, err);
    }
    free(names);
    return rc;
}

static int compile_columns(struct colmap *m, struct draft *d, struct err *err) {
    if (split_items(d, err) || resolve_names(d, err) || check_twice(d, err)) return -1;
    size_t most = (size_t)d->n_items + d->o->n_header;
    if (!(d->columns = calloc(most + 1, sizeof *d->columns))) return err_nomem(err, most * sizeof *d->columns, "--columns");
    for (uint32_t i = 0; i < d->n_items; i++)
        if (take_item(m, d, &d->items[i], err)) return -1;
    if (d->rest.p && add_rest(m, d, err)) return -1;
    if (check_key(m, d, err)) return -1;
    if (!d->n_columns && !(d->rest.p && d->o->empty_input))
        return err_set(err, ERR_USAGE, "--columns: no item names a family:qualifier");
    m->n_columns = d->by_name && !d->o->empty_input ? d->o->n_header : d->n_items;
    uint32_t special[] = {m->row, m->ts, m->ttl, m->op};
    for (size_t i = 0; i < countof(special); i++)
        if (special[i] != COLMAP_NONE && special[i] >= m->needed) m->needed = special[i] + 1;
    if (d->o->header && !d->o->empty_input && d->o->n_header != m->n_columns)
        return err_set(err, ERR_USAGE, "--columns has %u item%s, but the header has %u column%s", m->n_columns,
                       m->n_columns == 1 ? "" : "s", d->o->n_header, d->o->n_header == 1 ? "" : "s");
    if (lay_out(m, d, err)) return -1;
    return d->o->key ? colmap_key_compile(m, d->o, err) : 0;
}

int colmap_parse(struct colmap *m, const struct colmap_opts *o, struct err *err) {
    struct draft d = {.o = o};
    *m = (struct colmap){.row = COLMAP_NONE, .ts = COLMAP_NONE, .ttl = COLMAP_NONE, .op = COLMAP_NONE};
    int rc = compile_columns(m, &d, err);
    free(d.items);
    free(d.columns);
    if (rc) colmap_free(m);
    return rc;
}

void colmap_free(struct colmap *m) {
    free(m->slots);
    free(m->families);
    colmap_key_free(&m->key);
    *m = (struct colmap){0};
}
