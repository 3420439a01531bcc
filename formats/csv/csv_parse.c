/* Parses chunks of text into records: the part of a CSV reader that every byte goes through.
 *
 * Fields are borrowed from the chunk; only fields with doubled quotes are copied, into the scratch of the call. */
#include "formats/csv/csv.h"

#include "formats/csv/csv_general.h"
#include "formats/csv/csv_scan.h"
#include "formats/csv/csv_shape.h"
#include "formats/csv/csv_signs.h"

#include "base/text.h"
#include "formats/mapping/expr_run.h"
#include "formats/mapping/record_mapper.h"
#include "formats/text/text_number.h"

#include <stdlib.h>

/* One call of parse: everything is allocated here, once per chunk. */
struct csv_parsing {
    const struct csv_reader *r;
    const struct chunk *c;
    struct emit *e;
    uint32_t input;
    struct csv_scan scan;
    struct csv_record rec;
    struct csv_field *fields;    /* map.n_columns */
    struct cell *cells;          /* a slot each; all but value, ts, rank and tags stay */
    struct cell *present;        /* the same without nulls */
    struct row_part *parts;      /* map.n_families */
    struct record_mapper mapper; /* --map: instead of cells, present and parts */
    bool spare;                  /* values of cells are followed by VALUE_SPARE_BYTES of the chunk, or of what is unquoted */
    uint8_t *unquoted;           /* room for the chunk, allocated at the first doubled quote */
    size_t unquoted_n;
    const uint8_t *counted; /* lines up to here … */
    uint64_t line;          /* … make this the line number there */
    uint64_t skipped;
    uint8_t ttl_tag[TTL_TAG_BYTES];
    uint8_t *key;                  /* a row key given in hex: room for the longest */
    struct expr_value *key_fields; /* --key: of its expression */
    struct expr_scratch scratch;
    struct csv_look look;
};

static uint64_t lines_between(const struct csv_parsing *x, const uint8_t *from, const uint8_t *to) {
    return text_count_lines(bytes_of(from, (size_t)(to - from)), csv_cr_ends(&x->r->dialect));
}

/* Line numbers are wanted for bad records only: counted from the last one on. */
static uint64_t record_line(struct csv_parsing *x) {
    if (!x->line) return 0; /* of a block somewhere in the file */
    x->line += lines_between(x, x->counted, x->rec.raw.p);
    x->counted = x->rec.raw.p;
    return x->line;
}

static uint64_t offset_at(const struct csv_parsing *x, const uint8_t *p) {
    return x->c->offset + (uint64_t)(p - x->c->data.p);
}

/* Doubled quotes are made single in the scratch, and escapes decoded; other fields stay where they are. */
static int unquote(struct csv_parsing *x, struct csv_field *f, struct err *err) {
    size_t room = x->c->data.n + VALUE_SPARE_BYTES;
    if (!x->unquoted && !(x->unquoted = malloc(room))) return err_nomem(err, room, "quoted fields");
    uint8_t *out = x->unquoted + x->unquoted_n;
    f->n = f->escaped ? csv_unescape(out, f, &x->r->dialect) : csv_unquote(out, f, (uint8_t)x->r->dialect.quote);
    f->p = out;
    f->quoted |= f->escaped; /* what is decoded is data: \\N is a value, though \N may be null */
    f->doubled = f->escaped = false;
    x->unquoted_n += f->n;
    return 0;
}

static inline bool is_null(const struct csv_reader *r, const struct csv_field *f) {
    for (uint32_t i = 0; i < r->n_nulls && !f->quoted; i++)
        if (bytes_eq(bytes_of(f->p, f->n), r->nulls[i])) return true;
    return false;
}

static int unquote_all(struct csv_parsing *x, struct err *err) {
    x->unquoted_n = 0;
    for (size_t i = 0; i < x->rec.n_fields && i < x->r->map.n_columns; i++) {
        struct csv_field *f = &x->fields[i];
        if ((f->doubled || (f->escaped && !is_null(x->r, f))) && unquote(x, f, err)) return -1;
    }
    return 0;
}

static bool take_row(const struct csv_parsing *x, struct bytes *row, struct reason *why) {
    const struct csv_field *f = &x->fields[x->r->map.row];
    uint32_t column = x->r->map.row + 1;
    *row = bytes_of(f->p, f->n);
    if (!f->n) return text_why(why, column, "empty row key");
    if (x->r->map.row_is_hex && !is_null(x->r, f)) {
        if (f->n / 2 > ROW_MAX_BYTES || !hex_read(x->key, *row))
            return text_why(why, column, "the row key is not pairs of hex digits, or of too many bytes");
        *row = bytes_of(x->key, f->n / 2);
        return true;
    }
    if (f->n > ROW_MAX_BYTES) return text_why(why, column, "row key of %zu bytes, at most %d are possible", f->n, ROW_MAX_BYTES);
    if (is_null(x->r, f)) return text_why(why, column, "row key is null");
    return true;
}

static int make_row(struct csv_parsing *x, struct bytes *row, struct reason *why, struct err *err) {
    const struct colmap_key *key = &x->r->map.key;
    struct expr_value v;
    struct expr_fault fault;
    uint32_t field;
    uint32_t column = expr_is_field(key->program, &field) ? key->columns[field] + 1 : 0;
    for (uint32_t i = 0; i < key->n_columns; i++) {
        const struct csv_field *f = &x->fields[key->columns[i]];
        bool null = key->columns[i] >= x->rec.n_fields || is_null(x->r, f);
        x->key_fields[i] = null ? (struct expr_value){0} : expr_text(bytes_of(f->p, f->n));
    }
    expr_scratch_reset(&x->scratch);
    int rc = expr_eval(key->program, x->key_fields, &x->scratch, &v, &fault, err);
    if (rc < 0) return -1;
    if (!rc) return text_why(why, fault.field == EXPR_NO_FIELD ? 0 : key->columns[fault.field] + 1, "row key: %s", fault.text);
    *row = bytes_of(v.p, v.n);
    csv_look_dates(&x->look, &x->rec, &x->scratch);
    if (!v.p) return text_why(why, column, "row key is null");
    if (!v.n) return text_why(why, column, "empty row key");
    return v.n <= ROW_MAX_BYTES || text_why(why, column, "row key of %zu bytes, at most %d are possible", v.n, ROW_MAX_BYTES);
}

/* Returns the byte between the numbers of a date, such as 2020-01-31, 31.01.2020 or 1/31/2020; 0: the field is no date. */
static char date_separator(const struct csv_field *f) {
    size_t i = 0, n = 0;
    while (i < f->n && f->p[i] >= '0' && f->p[i] <= '9') i++;
    if (!i || i > 4 || i == f->n || !memchr("-./", f->p[i], 3)) return 0;
    for (size_t k = i; k < f->n; k++) n += f->p[k] == f->p[i];
    return n == 2 ? (char)f->p[i] : 0;
}

static bool wrong_ts(const struct csv_field *f, uint32_t column, struct reason *why) {
    const char of = date_separator(f);
    if (!of) return text_why(why, column, "timestamp is not a whole number of 64 bits");
    return text_why(why, column,
                    "timestamp is a date, not a number of milliseconds; a mapping (--map) reads it with date(column, %s)",
                    of == '-'   ? "'iso'"
                    : of == '.' ? "'dd.MM.yyyy'"
                                : "'M/d/yyyy'");
}

static bool take_ts(const struct csv_parsing *x, int64_t *ts_ms, struct reason *why) {
    const struct csv_reader *r = x->r;
    *ts_ms = r->default_ts_ms;
    if (r->map.ts == COLMAP_NONE) return true;
    const struct csv_field *f = &x->fields[r->map.ts];
    int64_t v;
    if (is_null(r, f)) return true;
    if (!text_i64(bytes_of(f->p, f->n), &v)) return wrong_ts(f, r->map.ts + 1, why);
    if (v < 0) return text_why(why, r->map.ts + 1, "timestamp %lld is negative", (long long)v);
    if (v == INT64_MAX) return true;
    return text_time(v, r->unit, ts_ms) || text_why(why, r->map.ts + 1, "timestamp %lld s does not fit", (long long)v);
}

static bool take_ttl(struct csv_parsing *x, struct bytes *tags, struct reason *why) {
    *tags = bytes_of(NULL, 0);
    const struct csv_field *f = &x->fields[x->r->map.ttl];
    uint32_t column = x->r->map.ttl + 1;
    int64_t v;
    if (!f->n || is_null(x->r, f)) return true;
    if (!text_i64(bytes_of(f->p, f->n), &v)) return text_why(why, column, "TTL is not a whole number of milliseconds");
    if (v <= 0) return text_why(why, column, "TTL %lld is not above 0", (long long)v);
    cell_put_ttl_tag(x->ttl_tag, v);
    *tags = bytes_of(x->ttl_tag, sizeof x->ttl_tag);
    return true;
}

/* Values, timestamp and rank into the slots. The number of slots that stay empty; they get value.p == NULL. */
static uint32_t fill_cells(struct csv_parsing *x, int64_t ts_ms) {
    const struct csv_reader *r = x->r;
    const struct colmap_slot *slots = r->map.slots;
    uint64_t rank = rank_of(x->input, x->c->rank_base + offset_at(x, x->rec.raw.p));
    uint32_t nulls = 0;
    for (uint32_t i = 0; i < r->map.n_slots; i++) {
        const struct csv_field *f = &x->fields[slots[i].column];
        struct cell *c = &x->cells[i];
        bool null = slots[i].column >= x->rec.n_fields || (!f->n && r->skip_empty) || is_null(r, f);
        c->value = null ? bytes_of(NULL, 0) : bytes_of(f->p, f->n);
        c->ts_ms = ts_ms;
        c->rank = rank;
        nulls += null;
    }
    return nulls;
}

/* Parts over the slots; families without cells are left out. */
static uint32_t make_parts(struct csv_parsing *x, struct bytes row, bool nulls) {
    const struct colmap *m = &x->r->map;
    struct cell *to = x->present;
    uint32_t n_parts = 0;
    for (uint32_t i = 0; i < m->n_families; i++) {
        const struct colmap_family *f = &m->families[i];
        const struct cell *cells = x->cells + f->first;
        uint32_t n = f->n;
        if (nulls) {
            struct cell *start = to;
            for (uint32_t j = 0; j < f->n; j++)
                if (cells[j].value.p) *to++ = cells[j];
            cells = start;
            n = (uint32_t)(to - start);
        }
        if (!n) continue;
        x->parts[n_parts++] = (struct row_part){
            .row = row, .family = f->name, .cells = cells, .n_cells = n, .shape = f->shape, .first = true, .spare = x->spare};
    }
    return n_parts;
}

/* ---- OBKV_OP: what a record does ---- */

static bool take_op(const struct csv_parsing *x, uint8_t *type, struct reason *why) {
    const struct csv_field *f = &x->fields[x->r->map.op];
    struct bytes op = bytes_of(f->p, f->n);
    bool null = is_null(x->r, f);
    *type = CELL_PUT;
    if (null || !op.n) return text_why(why, x->r->map.op + 1, "OBKV_OP is %s", null ? "null" : "empty");
    if (op.n == 1 && (op.p[0] == 'I' || op.p[0] == 'U')) return true;
    if (op.n == 1 && op.p[0] == 'D') {
        *type = CELL_DELETE_FAMILY;
        return true;
    }
    return cell_type_named(op, type) ||
           text_why(why, x->r->map.op + 1,
                    "OBKV_OP '%.*s' is none of put, delete, delete_column, delete_family, delete_family_version, I, U and D",
                    (int)(op.n > 40 ? 40 : op.n), (const char *)op.p);
}

/* A marker for each family of the columns, or each column, whatever their values. */
static uint32_t make_markers(struct csv_parsing *x, struct bytes row, uint8_t type) {
    const struct colmap *m = &x->r->map;
    struct cell *to = x->present;
    for (uint32_t i = 0; i < m->n_families; i++) {
        const struct colmap_family *f = &m->families[i];
        uint32_t n = cell_is_family_delete(type) ? 1 : f->n;
        x->parts[i] = (struct row_part){.row = row, .family = f->name, .cells = to, .n_cells = n, .first = true};
        for (uint32_t k = 0; k < n; k++) {
            *to = x->cells[f->first + k];
            to->type = type;
            to->value = bytes_of("", 0);
            if (cell_is_family_delete(type)) to->qualifier = bytes_of("", 0);
            to++;
        }
    }
    return m->n_families;
}

static int reject_record(struct csv_parsing *x, const struct reason *why, struct err *err) {
    const uint8_t *p = x->rec.raw.p;
    return x->e->ops->reject(x->e, x->rec.raw, record_line(x), offset_at(x, p), why, err);
}

static int reject_shape(struct csv_parsing *x, struct reason *why, struct err *err) {
    csv_shape_why(x->r, &x->rec, x->fields, record_line(x), why);
    return reject_record(x, why, err);
}

static int put_record(struct csv_parsing *x, struct err *err) {
    struct reason why;
    struct bytes row = {0}, tags;
    int64_t ts_ms;
    uint8_t type = CELL_PUT;
    reason_clear(&why);
    if (!csv_shape_fits(x->r, &x->rec)) return reject_shape(x, &why, err);
    if (x->rec.doubled && unquote_all(x, err)) return -1;
    int made = x->r->map.key.program ? make_row(x, &row, &why, err) : take_row(x, &row, &why);
    if (made < 0) return -1;
    if (!made || !take_ts(x, &ts_ms, &why)) return reject_record(x, &why, err);
    if (x->r->map.op != COLMAP_NONE && !take_op(x, &type, &why)) return reject_record(x, &why, err);
    if (x->r->map.ttl != COLMAP_NONE) {
        if (!take_ttl(x, &tags, &why)) return reject_record(x, &why, err);
        for (uint32_t i = 0; i < x->r->map.n_slots; i++) x->cells[i].tags = tags;
    }
    uint32_t nulls = fill_cells(x, ts_ms);
    uint32_t n = type == CELL_PUT ? make_parts(x, row, nulls) : make_markers(x, row, type);
    int rc = x->e->ops->record(x->e, x->parts, n, &why, err);
    if (rc < 0) return -1;
    return rc == 0 ? reject_record(x, &why, err) : 0;
}

/* Fields that are missing or null are null to the expressions. */
static void fill_fields(struct csv_parsing *x) {
    const struct record_map *m = x->r->mapped;
    for (uint32_t i = 0; i < m->source->n_fields; i++) {
        const struct csv_field *f = &x->fields[m->columns[i]];
        bool null = m->columns[i] >= x->rec.n_fields || is_null(x->r, f);
        x->mapper.fields[i] = null ? (struct expr_value){0} : expr_text(bytes_of(f->p, f->n));
    }
}

static int put_mapped(struct csv_parsing *x, struct err *err) {
    struct reason why;
    reason_clear(&why);
    if (!csv_shape_fits(x->r, &x->rec)) return reject_shape(x, &why, err);
    if (x->rec.doubled && unquote_all(x, err)) return -1;
    fill_fields(x);
    int rc = record_mapper_run(&x->mapper, rank_of(x->input, x->c->rank_base + offset_at(x, x->rec.raw.p)), &why, err);
    if (rc == 1 && !x->mapper.n_rows) {
        x->skipped++;
        return 0;
    }
    if (rc == 1) rc = x->e->ops->record(x->e, x->mapper.parts, x->mapper.n_parts, &why, err);
    if (rc < 0) return -1;
    if (rc == 1) csv_look_dates(&x->look, &x->rec, &x->mapper.scratch);
    return rc == 0 ? reject_record(x, &why, err) : 0;
}

static int parse_records(struct csv_parsing *x, struct err *err) {
    if (x->c->offset == x->r->base.text.head_bytes) x->skipped = x->r->base.text.head_lines;
    while (csv_scan_record(&x->scan, x->fields, x->r->map.n_columns, &x->rec)) {
        const size_t stored = x->rec.n_fields < x->r->map.n_columns ? x->rec.n_fields : x->r->map.n_columns;
        const bool is_header = offset_at(x, x->rec.raw.p) < x->r->header_end;
        const bool is_passed = csv_is_passed(&x->rec);
        if (is_header && !is_passed) csv_look_header(&x->look, &x->rec, x->fields, stored);
        if (is_passed || is_header) {
            x->skipped++;
            continue;
        }
        csv_look_record(&x->look, &x->rec, x->fields, stored);
        if (x->r->mapped ? put_mapped(x, err) : put_record(x, err)) return -1;
    }
    if (x->look.is_on) csv_signs_add(x->r->signs, &x->look.signs, x->c, csv_cr_ends(&x->r->dialect));
    if (x->skipped) x->e->ops->skip(x->e, x->skipped);
    return 0;
}

int csv_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err) {
    const struct csv_reader *r = (const struct csv_reader *)base;
    const struct colmap *m = &r->map;
    size_t size = m->n_columns * sizeof(struct csv_field) + 2 * m->n_slots * sizeof(struct cell) +
                  m->n_families * sizeof(struct row_part) + m->key.n_columns * sizeof(struct expr_value) +
                  (m->row_is_hex ? ROW_MAX_BYTES : 0);
    struct csv_parsing x = {.r = r,
                            .c = c,
                            .e = e,
                            .input = input,
                            .counted = c->data.p,
                            .line = c->line,
                            .spare = c->data.cap - c->data.n >= VALUE_SPARE_BYTES,
                            .scratch.limit_bytes = r->max_result_bytes};
    if (!(x.cells = calloc(1, size))) return err_nomem(err, size, "parsing a chunk");
    x.present = x.cells + m->n_slots;
    x.parts = (struct row_part *)(x.present + m->n_slots);
    x.fields = (struct csv_field *)(x.parts + m->n_families);
    x.key_fields = (struct expr_value *)(x.fields + m->n_columns);
    x.key = (uint8_t *)(x.key_fields + m->key.n_columns);
    for (uint32_t i = 0; i < m->n_slots; i++) x.cells[i] = (struct cell){.qualifier = m->slots[i].qualifier, .type = CELL_PUT};
    if (r->header.n && e->ops->header) e->ops->header(e, buf_bytes(&r->header));
    csv_scan_init(&x.scan, &r->dialect, buf_bytes(&c->data));
    csv_look_begin(&x.look, r, c);
    int rc = r->mapped ? record_mapper_init(&x.mapper, r->mapped, err) : 0;
    if (!rc) rc = parse_records(&x, err);
    record_mapper_free(&x.mapper);
    expr_scratch_free(&x.scratch);
    free(x.cells);
    free(x.unquoted);
    return rc;
}
