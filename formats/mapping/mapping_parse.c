/* A mapping file, from JSON to struct mapping. The walk carries its place along, so that every message names the line and path of
 * what is wrong; expressions are compiled on the way, constants and types are checked before any record is read. */
#include "base/warning.h"
#include "formats/mapping/expr_run.h"
#include "formats/mapping/expr_template.h"
#include "formats/mapping/mapping.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/json.h"
#include "cell/cell.h"
#include "formats/mapping/mapping_columns.h"
#include "formats/mapping/mapping_parse.h"
#include "formats/mapping/mapping_tables.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FILE_MAX_BYTES = 16 << 20 };

struct parser {
    struct mapping *m;
    const struct mapping_defaults *defaults;
    bool skip_empty;            /* of the source */
    struct mapping_names names; /* of the expression being compiled */
    struct err *err;
};

/* ---- messages ---- */

__attribute__((format(printf, 3, 4))) static int fail(struct parser *p, const struct json_place *at, const char *fmt, ...) {
    char text[800];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return mapping_error(p->m, at, p->err, "%s", text);
}

/* ---- simple values ---- */

static int take_text(struct parser *p, const json_t *object, const struct json_place *at, const char *key, const char **out) {
    const json_t *v = json_object_get(object, key);
    struct json_place here = json_place_key(at, key);
    if (!v) return 0;
    if (!json_is_string(v) || strlen(json_string_value(v)) != json_string_length(v))
        return fail(p, &here, "expected text without NUL");
    *out = json_string_value(v);
    return 0;
}

static int take_bool(struct parser *p, const json_t *object, const struct json_place *at, const char *key, bool *out) {
    const json_t *v = json_object_get(object, key);
    struct json_place here = json_place_key(at, key);
    if (!v) return 0;
    if (!json_is_boolean(v)) return fail(p, &here, "expected true or false");
    *out = json_is_true(v);
    return 0;
}

static int take_byte(struct parser *p, const json_t *object, const struct json_place *at, const char *key, int *out) {
    const json_t *v = json_object_get(object, key);
    struct json_place here = json_place_key(at, key);
    if (!v) return 0;
    if (!json_is_string(v) || json_string_length(v) != 1) return fail(p, &here, "expected one byte, such as \",\" or \"\\t\"");
    *out = (unsigned char)json_string_value(v)[0];
    return 0;
}

/* ---- expressions ---- */

static int warn_joined(struct parser *p, const struct json_place *at) {
    struct err place = {0};
    mapping_error(p->m, at, &place,
                  "+ joins the digits of numbers, so 1 + 1 is 11; use add(a, b) for the sum, concat(a, b) to join");
    return warning_add(&p->m->warnings, WARN_NUMBERS_JOINED, 1, p->err, "%s", place.text);
}

/* A failed compilation becomes the error. */
static int check_compiled(struct parser *p, const struct json_place *at, const struct expr *e, const struct err *bad) {
    if (e) return expr_joins_numbers(e) ? warn_joined(p, at) : 0;
    if (p->err->code || bad->code != ERR_USAGE) {
        err_keep(p->err, bad);
        return -1;
    }
    return fail(p, at, "%s", bad->text);
}

static struct expr_names names_at(struct parser *p, const struct json_place *at) {
    p->names.at = at;
    return (struct expr_names){.find = mapping_find_name, .arg = &p->names, .table = mapping_find_table};
}

static int compile_text(struct parser *p, struct bytes text, const struct json_place *at, enum expr_type want,
                        struct expr **out) {
    const struct expr_names names = names_at(p, at);
    struct err bad = {0};
    *out = expr_compile(text, want, &names, &bad);
    return check_compiled(p, at, *out, &bad);
}

static int compile_template(struct parser *p, struct bytes text, size_t from, const struct json_place *at, struct expr **out) {
    const struct expr_names names = names_at(p, at);
    struct err bad = {0};
    *out = expr_compile_template(text, from, &names, &bad);
    return check_compiled(p, at, *out, &bad);
}

/* A number stands for itself, so that "timestamp": 5 does what it says. */
static int compile_value(struct parser *p, const json_t *v, const struct json_place *at, enum expr_type want, struct expr **out) {
    char number[24];
    if (json_is_string(v)) return compile_text(p, bytes_of(json_string_value(v), json_string_length(v)), at, want, out);
    if (!json_is_integer(v)) return fail(p, at, "expected an expression, as text");
    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(v));
    return compile_text(p, bytes_str(number), at, want, out);
}

static int compile_key(struct parser *p, const json_t *object, const struct json_place *at, const char *key, enum expr_type want,
                       struct expr **out) {
    const json_t *v = json_object_get(object, key);
    struct json_place here = json_place_key(at, key);
    return v ? compile_value(p, v, &here, want, out) : 0;
}

/* ---- cells ---- */

/* Returns where the family's part of "family:qualifier" ends: the first colon outside of braces. */
static size_t family_length(struct bytes column) {
    size_t depth = 0;
    for (size_t i = 0; i < column.n; i++) {
        if (column.p[i] == ':' && !depth) return i;
        depth += column.p[i] == '{';
        depth -= column.p[i] == '}' && depth;
    }
    return column.n;
}

static int compile_column(struct parser *p, struct bytes column, const struct json_place *at, struct mapping_cell *c) {
    size_t n = family_length(column);
    if (!n) return fail(p, at, "a column is written family:qualifier");
    if (compile_template(p, bytes_of(column.p, n), 0, at, &c->family)) return -1;
    return compile_template(p, column, n < column.n ? n + 1 : n, at, &c->qualifier);
}

static int finish_cell(struct parser *p, struct mapping_cell *c, struct bytes label, const struct json_place *at) {
    struct expr_value v;
    enum { FAMILY_BYTES_MAX = 127 };
    c->fixed_family = expr_is_constant(c->family, &v);
    if (c->fixed_family && (!v.p || !v.n || v.n > FAMILY_BYTES_MAX))
        return fail(p, at, "a family name has 1 to %d bytes", FAMILY_BYTES_MAX);
    if (c->fixed_family) c->family_name = bytes_of(v.p, v.n);
    c->fixed = expr_is_constant(c->qualifier, &v) && v.p && c->fixed_family;
    if (c->fixed) c->column_name = bytes_of(v.p, v.n);
    c->label = strndup(label.p ? (const char *)label.p : "cell", label.p ? label.n : 4);
    return c->label ? 0 : err_nomem(p->err, label.n, "a mapping");
}

/* "type": the name of one, or an expression that yields it. A cell with a type may be a marker, which needs no value. */
static int compile_type(struct parser *p, const json_t *v, const struct json_place *at, struct mapping_cell *c) {
    const json_t *type = json_object_get(v, "type");
    const struct json_place here = json_place_key(at, "type");
    uint8_t code;
    if (!type) return 0;
    const char *text = json_string_value(type);
    bool name = text && cell_type_named(bytes_str(text), &code);
    json_t *quoted = name ? json_sprintf("'%s'", text) : NULL;
    int rc = compile_value(p, name ? quoted : type, &here, EXPR_TEXT, &c->type);
    json_decref(quoted);
    if (rc || c->value) return rc;
    json_t *none = json_string("''");
    rc = none ? compile_value(p, none, &here, EXPR_TEXT, &c->value) : err_nomem(p->err, 0, "a mapping");
    json_decref(none);
    return rc;
}

/* "each": a list in one field; its parts are `item` in the other expressions of the cell. */
static int compile_each(struct parser *p, const json_t *v, const struct json_place *at, struct mapping_cell *c) {
    int separator = ',';
    if (compile_key(p, v, at, "each", EXPR_TEXT, &c->each) || take_byte(p, v, at, "separator", &separator)) return -1;
    if (!c->each) return json_object_get(v, "separator") ? fail(p, at, "\"separator\" is that of \"each\", which is missing") : 0;
    c->separator = (uint8_t)separator;
    p->names.at = at;
    p->names.has_item = true;
    return mapping_add_item(&p->names, &c->item);
}

static int parse_cell(struct parser *p, const char *column, const json_t *v, const struct json_place *at,
                      struct mapping_cell *c) {
    const char *own = column;
    p->names.has_item = false;
    c->skip_empty = p->skip_empty;
    if (column && !json_is_object(v)) {
        if (compile_column(p, bytes_str(column), at, c) || compile_value(p, v, at, EXPR_TEXT, &c->value)) return -1;
        return finish_cell(p, c, bytes_str(column), at);
    }
    if (!json_is_object(v)) return fail(p, at, "expected an object");
    if (mapping_check_keys(p->m, v, at,
                           column ? "value timestamp type when skip_empty each separator"
                                  : "column family qualifier value timestamp type when skip_empty each separator",
                           p->err))
        return -1;
    if (compile_each(p, v, at, c)) return -1;
    if (!column && take_text(p, v, at, "column", &own)) return -1;
    struct json_place place = json_place_key(at, "column");
    if (own && compile_column(p, bytes_str(own), column ? at : &place, c)) return -1;
    if (own && (json_object_get(v, "family") || json_object_get(v, "qualifier")))
        return fail(p, at, "\"column\" gives family and qualifier; leave out \"family\" and \"qualifier\"");
    if (!own &&
        (compile_key(p, v, at, "family", EXPR_TEXT, &c->family) || compile_key(p, v, at, "qualifier", EXPR_TEXT, &c->qualifier)))
        return -1;
    if (!c->family || !c->qualifier) return fail(p, at, "\"column\" is missing (or \"family\" and \"qualifier\")");
    if (compile_key(p, v, at, "value", EXPR_TEXT, &c->value)) return -1;
    if (compile_type(p, v, at, c)) return -1;
    if (!c->value) return fail(p, at, "\"value\" is missing");
    if (compile_key(p, v, at, "timestamp", EXPR_NUMBER, &c->timestamp) || compile_key(p, v, at, "when", EXPR_BOOL, &c->when) ||
        take_bool(p, v, at, "skip_empty", &c->skip_empty))
        return -1;
    return finish_cell(p, c, own ? bytes_str(own) : bytes_of(NULL, 0), at);
}

/* A list of objects, or one object {"family:qualifier": expression or object}. */
static int parse_cells(struct parser *p, const json_t *v, const struct json_place *at, struct mapping_row *r) {
    size_t n = json_is_array(v) ? json_array_size(v) : json_object_size(v), i;
    const char *key;
    json_t *item;
    if (!json_is_array(v) && !json_is_object(v)) return fail(p, at, "expected a list of cells, or an object of columns");
    if (!n || n > MAPPING_CELLS_MAX) return fail(p, at, "%zu cells, expected 1 to %d", n, MAPPING_CELLS_MAX);
    if (!(r->cells = calloc(n, sizeof *r->cells))) return err_nomem(p->err, n * sizeof *r->cells, "a mapping");
    if (json_is_array(v)) {
        json_array_foreach(v, i, item) {
            struct json_place here = json_place_item(at, i);
            if (parse_cell(p, NULL, item, &here, &r->cells[r->n_cells++])) return -1;
        }
        return 0;
    }
    json_object_foreach((json_t *)v, key, item) {
        struct json_place here = json_place_key(at, key);
        if (parse_cell(p, key, item, &here, &r->cells[r->n_cells++])) return -1;
    }
    return 0;
}

/* ---- rows, sources ---- */

static int parse_row(struct parser *p, const json_t *v, const struct json_place *at, struct mapping_row *r) {
    const json_t *cells = json_object_get(v, "cells");
    struct json_place here = json_place_key(at, "cells");
    if (compile_key(p, v, at, "row", EXPR_TEXT, &r->key)) return -1;
    if (!r->key) return fail(p, at, "\"row\" is missing: the expression of the row key");
    if (compile_key(p, v, at, "timestamp", EXPR_NUMBER, &r->timestamp) || compile_key(p, v, at, "ttl", EXPR_NUMBER, &r->ttl) ||
        compile_key(p, v, at, "when", EXPR_BOOL, &r->when))
        return -1;
    if (!cells) return fail(p, at, "\"cells\" is missing");
    return parse_cells(p, cells, &here, r);
}

#define ROW_KEYS "row timestamp ttl when cells"
#define SOURCE_KEYS "files format dialect header delimiter quote null skip_empty columns rows " ROW_KEYS

static int parse_rows(struct parser *p, const json_t *v, const struct json_place *at) {
    struct mapping_source *s = p->names.source;
    const json_t *rows = json_object_get(v, "rows");
    struct json_place list = json_place_key(at, "rows");
    const bool one = !rows || json_is_string(rows);
    size_t n = one ? 1 : json_array_size(rows);
    if (json_is_string(rows) && mapping_take_rows_at(p->m, s, rows, &list, p->err)) return -1;
    if (!one && (!json_is_array(rows) || !n || n > MAPPING_ROWS_MAX))
        return fail(p, &list, "expected a list of 1 to %d rows, or a path such as $.data", MAPPING_ROWS_MAX);
    if (!(s->rows = calloc(n, sizeof *s->rows))) return err_nomem(p->err, n * sizeof *s->rows, "a mapping");
    if (one) return parse_row(p, v, at, &s->rows[s->n_rows++]);
    if (json_object_get(v, "row") || json_object_get(v, "cells"))
        return fail(p, at, "give \"row\" and \"cells\" in each of \"rows\", or leave out \"rows\"");
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(rows, i);
        struct json_place here = json_place_item(&list, i);
        if (!json_is_object(item)) return fail(p, &here, "expected an object");
        if (mapping_check_keys(p->m, item, &here, ROW_KEYS, p->err) || parse_row(p, item, &here, &s->rows[s->n_rows++]))
            return -1;
    }
    return 0;
}

static int parse_files(struct parser *p, const json_t *v, const struct json_place *at) {
    const json_t *files = json_object_get(v, "files");
    struct json_place list = json_place_key(at, "files");
    size_t n = json_is_array(files) ? json_array_size(files) : 1;
    if (!files) return 0;
    if (!n) return fail(p, &list, "the list is empty; to mean all files, leave out \"files\"");
    if (!(p->names.source->files = calloc(n, sizeof *p->names.source->files))) return err_nomem(p->err, n, "a mapping");
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_is_array(files) ? json_array_get(files, i) : files;
        struct json_place here = json_place_item(&list, i);
        if (!json_is_string(item) || !json_string_length(item))
            return fail(p, json_is_array(files) ? &here : &list, "expected a file name or pattern");
        p->names.source->files[p->names.source->n_files++] = (char *)json_string_value(item);
    }
    return 0;
}

static int refuse_columns(struct parser *p, const json_t *v, const struct json_place *at) {
    static const char *const keys[] = {"dialect", "header", "columns", "delimiter", "quote", "null"};
    for (size_t i = 0; i < countof(keys); i++) {
        struct json_place here = json_place_key(at, keys[i]);
        if (json_object_get(v, keys[i])) return fail(p, &here, "this applies to csv and tsv, but the source is jsonl");
    }
    return 0;
}

static int parse_dialect(struct parser *p, const json_t *v, const struct json_place *at) {
    struct mapping_source *s = p->names.source;
    struct json_place format = json_place_key(at, "format");
    p->skip_empty = p->defaults->skip_empty;
    if (take_text(p, v, at, "format", &s->format) || take_bool(p, v, at, "skip_empty", &p->skip_empty)) return -1;
    bool json = s->format && !strcmp(s->format, "jsonl");
    if (s->format && !json && strcmp(s->format, "csv") != 0 && strcmp(s->format, "tsv") != 0)
        return fail(p, &format, "expected csv, tsv or jsonl");
    return json ? refuse_columns(p, v, at) : mapping_take_dialect(p->m, v, at, &s->dialect, p->err);
}

/* Decides on a header. Where the source does not say whether there is one, the options do, or names that expressions use. */
static void plan_header(struct parser *p, struct mapping_source *s) {
    const bool by_name = p->names.uses_names && !s->n_columns, said = dialect_says(p->defaults->dialect, DIALECT_HEADER);
    if (dialect_says(&s->dialect, DIALECT_HEADER)) return;
    if (said || by_name) s->dialect.header = said ? p->defaults->dialect->header : DIALECT_HEADER_EACH;
    if (by_name && s->dialect.header == DIALECT_HEADER_NONE) s->dialect.header = DIALECT_HEADER_EACH;
    s->dialect.given |= 1u << DIALECT_HEADER;
}

static int parse_source(struct parser *p, const json_t *v, const struct json_place *at, struct mapping_source *s) {
    p->names.source = s;
    p->names.uses_names = false;
    if (parse_files(p, v, at) || parse_dialect(p, v, at) || mapping_take_columns(&p->names, p->m, v, at) || parse_rows(p, v, at))
        return -1;
    plan_header(p, s);
    const bool header = s->dialect.header != DIALECT_HEADER_NONE;
    for (uint32_t i = 0; i < s->n_fields && !header && (!s->format || strcmp(s->format, "jsonl") != 0); i++)
        if (s->fields[i].column == UINT32_MAX && !s->fields[i].is_item)
            return fail(p, mapping_place(&s->fields[i]),
                        "column '%.*s' by name: without a header, \"columns\" must list the names", (int)s->fields[i].name.n,
                        (const char *)s->fields[i].name.p);
    s->met = calloc(s->n_fields + 1, sizeof *s->met);
    return s->met ? 0 : err_nomem(p->err, s->n_fields, "a mapping");
}

static int parse_document(struct parser *p, const json_t *root) {
    const struct json_place at = {0};
    const json_t *sources = json_object_get(root, "sources"), *schema = json_object_get(root, "$schema");
    struct json_place list = json_place_key(&at, "sources");
    size_t n = sources ? json_array_size(sources) : 1;
    if (!json_is_object(root)) return fail(p, &at, "expected an object");
    if (mapping_check_keys(p->m, root, &at,
                           sources ? "$schema description sources tables" : "$schema description sources tables " SOURCE_KEYS,
                           p->err))
        return -1;
    if (schema && !json_is_string(schema)) return fail(p, &at, "\"$schema\" is text");
    if (sources && (!json_is_array(sources) || !n || n > MAPPING_SOURCES_MAX))
        return fail(p, &list, "expected a list of 1 to %d sources", MAPPING_SOURCES_MAX);
    if (!(p->m->sources = calloc(n, sizeof *p->m->sources))) return err_nomem(p->err, n * sizeof *p->m->sources, "a mapping");
    if (!sources) return parse_source(p, root, &at, &p->m->sources[p->m->n_sources++]);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(sources, i);
        struct json_place here = json_place_item(&list, i);
        if (!json_is_object(item)) return fail(p, &here, "expected an object");
        if (mapping_check_keys(p->m, item, &here, "description " SOURCE_KEYS, p->err) ||
            parse_source(p, item, &here, &p->m->sources[p->m->n_sources++]))
            return -1;
    }
    return 0;
}

struct mapping *mapping_parse(const char *name, struct bytes text, const struct mapping_defaults *d, struct err *err) {
    json_error_t bad;
    struct mapping *m = calloc(1, sizeof *m);
    if (!m) {
        err_nomem(err, sizeof *m, "a mapping");
        return NULL;
    }
    struct parser p = {.m = m, .defaults = d, .names = {.mapping = m, .err = err}, .err = err};
    uint8_t *copy = malloc(text.n + 1);
    m->path = strdup(name);
    int rc = copy && m->path ? 0 : err_nomem(err, text.n, "a mapping");
    if (copy && text.n) memcpy(copy, text.p, text.n);
    m->text = bytes_of(copy, text.n);
    if (!rc && !(m->json = json_loadb((const char *)text.p, text.n, JSON_REJECT_DUPLICATES, &bad)))
        rc = err_set(err, ERR_USAGE, "%s:%d: column %d: %s", name, bad.line, bad.column, bad.text);
    if (!rc && json_is_object(m->json)) rc = mapping_take_tables(m, d, err);
    if (!rc) rc = parse_document(&p, m->json);
    if (!rc) return m;
    mapping_free(m);
    return NULL;
}

struct mapping *mapping_load(const char *path, const struct mapping_defaults *d, struct err *err) {
    size_t n;
    char *text = fs_read_text(path, FILE_MAX_BYTES, &n, err);
    if (!text) return NULL;
    struct mapping_defaults file = *d;
    file.reads_files = true;
    const size_t mark = n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0; /* as editors of Windows write it */
    struct mapping *m = mapping_parse(path, bytes_of(text + mark, n - mark), &file, err);
    free(text);
    return m;
}
