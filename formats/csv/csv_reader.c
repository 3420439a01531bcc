/* The reader of CSV and TSV: one for both, they differ in their dialect. What the columns mean is decided once, when it is
 * opened, by the header (csv_header.c) where there is one; chunks are then parsed by any thread (csv_parse.c). */
#include "formats/csv/csv.h"

#include "formats/csv/csv_cut.h"
#include "formats/csv/csv_head.h"
#include "formats/csv/csv_header.h"
#include "formats/csv/csv_reader.h"
#include "formats/csv/csv_scan.h"
#include "formats/csv/csv_signs.h"

#include "base/warning.h"
#include "formats/mapping/expr_template.h"
#include "formats/text/dialect_bytes.h"
#include "formats/text/dialect_describe.h"
#include "formats/text/text_hint.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the columns mean ---- */

static void plan_dialect(struct csv_reader *r, const struct read_opts *o, const char *name) {
    r->dialect = *dialect_named(name);
    r->dialect.name[0] = 0; /* nobody named it */
    dialect_resolve(&r->dialect, o->text.dialect, r->source ? &r->source->dialect : NULL);
    r->n_nulls = r->dialect.nulls.n;
    for (uint32_t i = 0; i < r->n_nulls; i++) r->nulls[i] = dialect_text(&r->dialect.nulls, i);
    r->strict = r->dialect.exact;
}

static int check_dialect(struct csv_reader *r, const struct read_opts *o, struct err *err) {
    if (o->text.mapping && !r->source)
        return err_set(err, ERR_USAGE, "%s: no source of %s has a pattern in \"files\" that matches this name",
                       instream_path(r->base.text.in), o->text.mapping->path);
    return o->text.columns || r->source ? dialect_check(&r->dialect, err) : csv_header_propose(r, o, err);
}

/* h == NULL: no header. */
static int by_columns(struct csv_reader *r, const struct read_opts *o, const struct csv_header *h, struct err *err) {
    struct colmap_opts co = {.columns = o->text.columns,
                             .key = o->text.key,
                             .path = instream_path(r->base.text.in),
                             .table = o->table,
                             .open_families = o->open_families,
                             .selection = o->selection,
                             .shapes = o->shapes};
    if (h) {
        co.header = h->names;
        co.n_header = (uint32_t)h->n;
        co.empty_input = h->n == 0;
    }
    if (colmap_parse(&r->map, &co, err)) return -1;
    if (!r->map.key.program || !expr_joins_numbers(r->map.key.program)) return 0;
    return text_warn_once(o, WARN_NUMBERS_JOINED,
                          "--key: + joins the digits of numbers, so 1 + 1 is 11; use add(a, b) for the sum, "
                          "concat(a, b) to join",
                          err);
}

static int by_mapping(struct csv_reader *r, const struct read_opts *o, const struct csv_header *h, struct err *err) {
    struct record_map_opts mo = record_map_opts_of(o, r->source, instream_path(r->base.text.in));
    if (h) {
        mo.header = h->names;
        mo.n_header = (uint32_t)h->n;
        mo.empty_input = h->n == 0;
    }
    if (!(r->mapped = record_map_new(&mo, err))) return -1;
    r->map.n_columns = r->mapped->n_columns;
    r->open_ended = !r->mapped->exact;
    r->map.needed = r->open_ended && r->strict ? r->map.n_columns : 0;
    return 0;
}

typedef int make_columns(struct csv_reader *, const struct read_opts *, const struct csv_header *, struct err *);

/* Notes what was found in the file, for people who did not say it. */
static int note_delimiter(const struct csv_reader *r, const struct read_opts *o, char delimiter, struct err *err) {
    struct buf line = {0}, *notes = o->text.notes;
    if (!notes || o->text.part.begin) return 0;
    int rc = buf_printf(&line, err, "%s: the names of the columns fit if ", instream_path(r->base.text.in)) ||
                     dialect_put_bytes(&line, bytes_of(&delimiter, 1), err) ||
                     buf_printf(&line, err, " is the delimiter, so it is\n")
                 ? -1
                 : 0;
    if (!rc && !(notes->n && memmem(notes->p, notes->n, line.p, line.n))) rc = buf_put(notes, line.p, line.n, err);
    buf_free(&line);
    return rc;
}

/* Makes columns of the header. If its names do not fit, and nobody said what the delimiter is, another one is tried where the
 * header is a single field. */
static int by_header(struct csv_reader *r, const struct read_opts *o, make_columns *make, struct csv_header *h, struct bytes head,
                     struct err *err) {
    struct err first = {0}, second = {0};
    if (csv_header_take(h, r, head, err)) return -1;
    if (!make(r, o, h, &first)) return 0;
    const struct dialect usual = r->dialect;
    const bool said = dialect_says(o->text.dialect, DIALECT_DELIMITER) || dialect_is_named(&usual) ||
                      (r->source && dialect_says(&r->source->dialect, DIALECT_DELIMITER));
    const char other = h->n == 1 && !said ? text_usual_delimiter(h->names[0], 2) : 0;
    r->dialect.delimiter[0] = (uint8_t)other;
    if (other && !csv_header_take(h, r, head, &second) && !make(r, o, h, &second)) return note_delimiter(r, o, other, err);
    r->dialect = usual;
    err_keep(err, &first);
    return -1;
}

/* Finds out what the columns mean, with r->base.text open. ERR_USAGE; ERR_INPUT or ERR_LIMIT for a bad header. */
static int read_columns(struct csv_reader *r, const struct read_opts *o, struct err *err) {
    make_columns *make = r->source ? by_mapping : by_columns;
    if (check_dialect(r, o, err)) return -1;
    const bool has = r->dialect.header != DIALECT_HEADER_NONE;
    if (!has && make(r, o, NULL, err)) return -1;
    struct csv_header h = {0};
    struct bytes head;
    int rc = csv_header_alloc(&h, err) || instream_peek(r->base.text.in, CSV_HEADER_MAX_BYTES, &head, err);
    if (!rc && r->first) {
        struct csv_reader from;
        rc = csv_head_borrow(r, o, &h, &from, err) || make(r, o, &h, err);
        csv_head_return(&from);
    } else if (!rc && has)
        rc = by_header(r, o, make, &h, head, err) || csv_header_check(r, o, &h, head, err) ? -1 : 0;
    if (!rc && !has) rc = csv_header_doubt(r, o, &h, head, err);
    if (!rc) rc = csv_evidence(r, o, &h, head, err);
    csv_header_free(&h);
    return rc ? -1 : 0;
}

/* Returns whether an input other than the first of several is to have a header of its own. */
static bool is_further(const struct csv_reader *r, const struct read_opts *o) {
    const struct text_set *set = o->text.set;
    return r->dialect.header == DIALECT_HEADER_EACH && set && set->n > 1 && strcmp(set->paths[0], instream_path(r->base.text.in));
}

static int plan_columns(struct csv_reader *r, const struct read_opts *o, struct err *err) {
    struct bytes head = {0};
    struct err ignored = {0};
    if (read_columns(r, o, err) == 0) return 0;
    if (err->code != ERR_LIMIT && !instream_peek(r->base.text.in, FORMAT_SNIFF_BYTES, &head, &ignored))
        err_append(err, "%s", text_hint_json(head));
    if (err->code == ERR_USAGE && head.n && memchr(head.p, '\r', head.n) && !memchr(head.p, '\n', head.n) &&
        !strstr(err->text, "CR alone"))
        err_append(err, "; its lines end with CR alone: give lines=any in the dialect");
    if (err->code == ERR_USAGE && is_further(r, o))
        err_append(err, "; if only the first input has a header, give --dialect csv,header=first");
    return -1;
}

/* ---- the reader ---- */

static int csv_next(struct reader *base, struct chunk *c, struct err *err) {
    struct csv_reader *r = (struct csv_reader *)base;
    if (r->base.text.blocks.of) return text_next_block(&r->base.text, c, err);
    return text_next(&r->base.text, csv_cut, &r->dialect, c, err);
}

/* Records whose quotes are all around whole fields without a line end inside. A block that begins inside quotes cannot look like
 * that: the closing quote would be in it. */
static bool block_is_plain(struct csv_reader *r, const struct chunk *c, struct csv_field *fields) {
    struct csv_scan scan;
    struct csv_record rec;
    csv_scan_init(&scan, &r->dialect, buf_bytes(&c->data));
    while (csv_scan_record(&scan, fields, r->map.n_columns, &rec)) {
        if (rec.fault || (r->strict && !r->open_ended && !csv_is_passed(&rec) && rec.n_fields != r->map.n_columns)) return false;
        if (rec.n_fields > r->map.n_columns && memchr(rec.raw.p, r->dialect.quote, rec.raw.n)) return false;
        for (size_t i = 0; i < rec.n_fields && i < r->map.n_columns; i++) {
            const struct csv_field *f = &fields[i];
            if (f->quoted ? memchr(f->p, '\n', f->n) != NULL : f->n && memchr(f->p, r->dialect.quote, f->n)) return false;
        }
    }
    return true;
}

static int csv_by_blocks(struct reader *base, struct reason *why, struct err *err) {
    struct csv_reader *r = (struct csv_reader *)base;
    struct chunk c = {0};
    struct csv_field *fields = NULL;
    int more = 0;
    if (r->base.text.fd < 0) return text_why(why, 0, "it is compressed");
    if (r->dialect.escape >= 0) return text_why(why, 0, "line ends may be escaped");
    if (r->dialect.lines == DIALECT_LINES_CRLF) return text_why(why, 0, "an LF alone ends no line");
    if (r->dialect.quote < 0) return 1;
    if (!(fields = calloc(r->map.n_columns + 1, sizeof *fields))) return err_nomem(err, 0, "fields");
    bool plain = true;
    while (plain && (more = text_next_block(&r->base.text, &c, err)) == 1) plain = block_is_plain(r, &c, fields);
    if (!plain)
        text_why(why, 0, "line ends may be inside quotes, or records may not be whole, near byte %llu",
                 (unsigned long long)c.offset);
    free(fields);
    buf_free(&c.data);
    return more < 0 ? -1 : plain;
}

static int csv_finish(struct reader *base, struct err *err) {
    const struct csv_reader *r = (const struct csv_reader *)base;
    return r->signs ? csv_signs_judge(r, err) : 0;
}

static void csv_close(struct reader *base) {
    struct csv_reader *r = (struct csv_reader *)base;
    text_close(&r->base.text);
    buf_free(&r->header);
    colmap_free(&r->map);
    record_map_free(r->mapped);
    csv_signs_free(r->signs);
    free(r);
}

/* Returns whether each LF is the end of a record, wherever reading begins. */
static bool is_by_lines(const struct dialect *d) {
    return d->quote < 0 && d->escape < 0 && d->lines != DIALECT_LINES_CRLF;
}

struct reader *csv_open_dialect(struct instream *in, const struct read_opts *o, const char *name, struct err *err) {
    static const struct reader_ops ops = {.next = csv_next,
                                          .parse = csv_parse,
                                          .finish = csv_finish,
                                          .input_bytes = text_reader_input_bytes,
                                          .checksum = text_reader_checksum,
                                          .by_blocks = csv_by_blocks,
                                          .close = csv_close};
    struct csv_reader *r = text_reader_new(sizeof *r, &ops, in, err);
    if (!r) return NULL;
    r->skip_empty = o->text.skip_empty;
    r->default_ts_ms = o->default_ts_ms;
    r->unit = o->text.unit;
    r->max_result_bytes = o->memory.max_cell;
    if (o->text.mapping) r->source = mapping_source_of(o->text.mapping, instream_path(in));
    plan_dialect(r, o, name);
    r->warnings = o->warnings;
    if (text_open(&r->base.text, in, o, csv_cr_ends(&r->dialect), err) == 0 &&
        (!o->warnings || (r->signs = csv_signs_new(err))) && csv_head_find(r, o, err) == 0 && csv_head_pass(r, err) == 0 &&
        plan_columns(r, o, err) == 0) {
        if (is_by_lines(&r->dialect)) text_reader_by_lines(&r->base);
        return &r->base.reader;
    }
    csv_close(&r->base.reader);
    return NULL;
}

/* ---- whose text it is ---- */

enum { BITS_ENDING = 24, BITS_DELIMITER = 8 };

/* `.csv`, also before a compressor's ending. */
static bool has_ending(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    for (const char *p = path; n >= m && (p = strstr(p, ending)); p++) {
        char after = p[m];
        if (!after) return true;
        if (after == '.' && strlen(p + m) <= 5 && !strchr(p + m, '/')) return true;
    }
    return false;
}

/* Returns how often the byte occurs in the first line; -1: it is not text. */
static int in_first_line(struct bytes head, uint8_t byte) {
    int n = 0;
    for (size_t i = 0; i < head.n && head.p[i] != '\n'; i++) {
        if (!head.p[i]) return -1;
        n += head.p[i] == byte;
    }
    return n;
}

int csv_sniff_text(struct bytes head, const char *path, uint8_t delimiter, const char *ending, const char *other) {
    int n = in_first_line(head, delimiter);
    if (n < 0) return 0;
    return (has_ending(path, ending) || has_ending(path, other) ? BITS_ENDING : 0) + (n > 0 ? BITS_DELIMITER : 0);
}
