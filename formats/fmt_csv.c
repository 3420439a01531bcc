/* CSV (RFC 4180 quotes) and TSV (HBase ImportTsv's rules): one reader, two dialects.
 *
 * csv: LF or CRLF, quotes, every record has exactly the mapped number of fields.
 * tsv: LF, CRLF or CR, no quotes unless asked for; trailing fields may be missing, but a line without a delimiter is bad.
 *
 * Fields are borrowed from the chunk; only fields with doubled quotes are copied, into the scratch of the call. */
#include "formats/colmap.h"
#include "formats/csv_scan.h"
#include "formats/format.h"
#include "formats/record_map.h"
#include "formats/text.h"

#include <stdlib.h>

enum { HEADER_MAX_BYTES = 65536, HEADER_MAX_FIELDS = 16384 };

struct csv_reader {
    struct reader base;
    struct text_input text;
    struct csv_dialect dialect;
    struct colmap map; /* --columns */
    const struct mapping_source *source;
    struct record_map *mapped; /* --map; NULL: --columns. Then n_columns and needed are all that map tells */
    bool strict;               /* csv: a record has exactly map.n_columns fields */
    bool open_ended;           /* it may have more */
    uint64_t header_end;       /* records that begin before this offset are the header */
    struct bytes null_text;
    bool has_null_text, skip_empty;
    int64_t default_ts_ms;
};

/* One call of parse: everything is allocated here, once per chunk. */
struct csv_parse {
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
    uint8_t *unquoted;           /* room for the chunk, allocated at the first doubled quote */
    size_t unquoted_n;
    const uint8_t *counted; /* lines up to here … */
    uint64_t line;          /* … make this the line number there */
    uint64_t skipped;
    uint8_t ttl_tag[TTL_TAG_BYTES];
};

static uint64_t lines_between(const struct csv_parse *x, const uint8_t *from, const uint8_t *to) {
    return text_count_lines(bytes_of(from, (size_t)(to - from)), x->r->dialect.cr_ends);
}

/* Line numbers are wanted for bad records only: counted from the last one on. */
static uint64_t record_line(struct csv_parse *x) {
    if (!x->line) return 0; /* of a block somewhere in the file */
    x->line += lines_between(x, x->counted, x->rec.raw.p);
    x->counted = x->rec.raw.p;
    return x->line;
}

static uint64_t offset_at(const struct csv_parse *x, const uint8_t *p) {
    return x->c->offset + (uint64_t)(p - x->c->data.p);
}

/* Doubled quotes are made single in the scratch; other fields stay where they are. */
static int unquote(struct csv_parse *x, struct csv_field *f, struct err *err) {
    if (!x->unquoted && !(x->unquoted = malloc(x->c->data.n))) return err_nomem(err, x->c->data.n, "quoted fields");
    uint8_t *out = x->unquoted + x->unquoted_n;
    f->n = csv_unquote(out, f, (uint8_t)x->r->dialect.quote);
    f->p = out;
    f->doubled = false;
    x->unquoted_n += f->n;
    return 0;
}

static int unquote_all(struct csv_parse *x, struct err *err) {
    x->unquoted_n = 0;
    for (size_t i = 0; i < x->rec.n_fields && i < x->r->map.n_columns; i++)
        if (x->fields[i].doubled && unquote(x, &x->fields[i], err)) return -1;
    return 0;
}

static inline bool is_null(const struct csv_reader *r, const struct csv_field *f) {
    return r->has_null_text && !f->quoted && bytes_eq(bytes_of(f->p, f->n), r->null_text);
}

static bool check_shape(struct csv_parse *x, struct reason *why) {
    const struct csv_reader *r = x->r;
    const struct csv_record *rec = &x->rec;
    uint32_t column = (uint32_t)rec->fault_field + 1;
    if (rec->fault == CSV_OPEN_QUOTE && !x->line) return text_why(why, column, "a quote is never closed");
    if (rec->fault == CSV_OPEN_QUOTE)
        return text_why(why, column, "the quote opened in line %llu is never closed",
                        (unsigned long long)(record_line(x) + lines_between(x, rec->raw.p, rec->fault_at)));
    if (rec->fault == CSV_AFTER_QUOTE) return text_why(why, column, "text after the closing quote");
    if (rec->n_fields > r->map.n_columns && !r->open_ended)
        return text_why(why, r->map.n_columns + 1, "%zu fields, but %u columns are mapped", rec->n_fields, r->map.n_columns);
    if (r->strict && rec->n_fields < r->map.n_columns)
        return text_why(why, 0, "%zu fields, but %u columns are mapped", rec->n_fields, r->map.n_columns);
    if (rec->n_fields == 1 && !r->mapped) return text_why(why, 0, "no delimiter");
    if (rec->n_fields < r->map.needed)
        return text_why(why, 0, "%zu fields, but column %u is needed", rec->n_fields, r->map.needed);
    return true;
}

static bool take_row(const struct csv_parse *x, struct bytes *row, struct reason *why) {
    const struct csv_field *f = &x->fields[x->r->map.row];
    uint32_t column = x->r->map.row + 1;
    *row = bytes_of(f->p, f->n);
    if (!f->n) return text_why(why, column, "empty row key");
    if (f->n > ROW_MAX_BYTES) return text_why(why, column, "row key of %zu bytes, at most %d are possible", f->n, ROW_MAX_BYTES);
    if (is_null(x->r, f)) return text_why(why, column, "row key is null");
    return true;
}

static bool take_ts(const struct csv_parse *x, int64_t *ts_ms, struct reason *why) {
    const struct csv_reader *r = x->r;
    *ts_ms = r->default_ts_ms;
    if (r->map.ts == COLMAP_NONE) return true;
    const struct csv_field *f = &x->fields[r->map.ts];
    int64_t v;
    if (is_null(r, f)) return true;
    if (!text_i64(bytes_of(f->p, f->n), &v)) return text_why(why, r->map.ts + 1, "timestamp is not a whole number of 64 bits");
    if (v < 0) return text_why(why, r->map.ts + 1, "timestamp %lld is negative", (long long)v);
    if (v != INT64_MAX) *ts_ms = v;
    return true;
}

static bool take_ttl(struct csv_parse *x, struct bytes *tags, struct reason *why) {
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
static uint32_t fill_cells(struct csv_parse *x, int64_t ts_ms) {
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
static uint32_t make_parts(struct csv_parse *x, struct bytes row, bool nulls) {
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
        x->parts[n_parts++] =
            (struct row_part){.row = row, .family = f->name, .cells = cells, .n_cells = n, .shape = f->shape, .first = true};
    }
    return n_parts;
}

static int refuse(struct csv_parse *x, const struct reason *why, struct err *err) {
    const uint8_t *p = x->rec.raw.p;
    return x->e->ops->reject(x->e, x->rec.raw, record_line(x), offset_at(x, p), why, err);
}

static int put_record(struct csv_parse *x, struct err *err) {
    struct reason why;
    struct bytes row, tags;
    int64_t ts_ms;
    reason_clear(&why);
    if (!check_shape(x, &why)) return refuse(x, &why, err);
    if (x->rec.doubled && unquote_all(x, err)) return -1;
    if (!take_row(x, &row, &why) || !take_ts(x, &ts_ms, &why)) return refuse(x, &why, err);
    if (x->r->map.ttl != COLMAP_NONE) {
        if (!take_ttl(x, &tags, &why)) return refuse(x, &why, err);
        for (uint32_t i = 0; i < x->r->map.n_slots; i++) x->cells[i].tags = tags;
    }
    uint32_t nulls = fill_cells(x, ts_ms);
    uint32_t n = make_parts(x, row, nulls);
    int rc = x->e->ops->record(x->e, x->parts, n, &why, err);
    if (rc < 0) return -1;
    return rc == 0 ? refuse(x, &why, err) : 0;
}

/* Fields that are missing or null are null to the expressions. */
static void fill_fields(struct csv_parse *x) {
    const struct record_map *m = x->r->mapped;
    for (uint32_t i = 0; i < m->source->n_fields; i++) {
        const struct csv_field *f = &x->fields[m->columns[i]];
        bool null = m->columns[i] >= x->rec.n_fields || is_null(x->r, f);
        x->mapper.fields[i] = null ? (struct expr_value){0} : expr_text(bytes_of(f->p, f->n));
    }
}

static int put_mapped(struct csv_parse *x, struct err *err) {
    struct reason why;
    reason_clear(&why);
    if (!check_shape(x, &why)) return refuse(x, &why, err);
    if (x->rec.doubled && unquote_all(x, err)) return -1;
    fill_fields(x);
    int rc = record_mapper_run(&x->mapper, rank_of(x->input, x->c->rank_base + offset_at(x, x->rec.raw.p)), &why, err);
    if (rc == 1 && !x->mapper.n_rows) return x->skipped++, 0;
    if (rc == 1) rc = x->e->ops->record(x->e, x->mapper.parts, x->mapper.n_parts, &why, err);
    if (rc < 0) return -1;
    return rc == 0 ? refuse(x, &why, err) : 0;
}

static int parse_records(struct csv_parse *x, struct err *err) {
    while (csv_scan_record(&x->scan, x->fields, x->r->map.n_columns, &x->rec)) {
        if (!x->rec.raw.n || offset_at(x, x->rec.raw.p) < x->r->header_end)
            x->skipped++;
        else if (x->r->mapped ? put_mapped(x, err) : put_record(x, err))
            return -1;
    }
    if (x->skipped) x->e->ops->skip(x->e, x->skipped);
    return 0;
}

static int csv_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err) {
    const struct csv_reader *r = (const struct csv_reader *)base;
    const struct colmap *m = &r->map;
    size_t size =
        m->n_columns * sizeof(struct csv_field) + 2 * m->n_slots * sizeof(struct cell) + m->n_families * sizeof(struct row_part);
    struct csv_parse x = {.r = r, .c = c, .e = e, .input = input, .counted = c->data.p, .line = c->line};
    if (!(x.cells = calloc(1, size))) return err_nomem(err, size, "parsing a chunk");
    x.present = x.cells + m->n_slots;
    x.parts = (struct row_part *)(x.present + m->n_slots);
    x.fields = (struct csv_field *)(x.parts + m->n_families);
    for (uint32_t i = 0; i < m->n_slots; i++) x.cells[i] = (struct cell){.qualifier = m->slots[i].qualifier, .type = CELL_PUT};
    csv_scan_init(&x.scan, &r->dialect, buf_bytes(&c->data));
    int rc = r->mapped ? record_mapper_init(&x.mapper, r->mapped, err) : 0;
    if (!rc) rc = parse_records(&x, err);
    record_mapper_free(&x.mapper);
    free(x.cells);
    free(x.unquoted);
    return rc;
}

static int csv_next(struct reader *base, struct chunk *c, struct err *err) {
    struct csv_reader *r = (struct csv_reader *)base;
    if (r->text.blocks.of) return text_next_block(&r->text, c, err);
    return text_next(&r->text, csv_cut, &r->dialect, c, err);
}

/* Records whose quotes are all around whole fields without a line end inside. A block that begins inside quotes cannot look like
 * that: the closing quote would stand in it. */
static bool block_is_plain(struct csv_reader *r, const struct chunk *c, struct csv_field *fields) {
    struct csv_scan scan;
    struct csv_record rec;
    csv_scan_init(&scan, &r->dialect, buf_bytes(&c->data));
    while (csv_scan_record(&scan, fields, r->map.n_columns, &rec)) {
        if (rec.fault || (r->strict && !r->open_ended && rec.raw.n && rec.n_fields != r->map.n_columns)) return false;
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
    if (r->text.fd < 0) return text_why(why, 0, "it is compressed");
    if (r->dialect.quote < 0) return 1;
    if (!(fields = calloc(r->map.n_columns + 1, sizeof *fields))) return err_nomem(err, 0, "fields");
    bool plain = true;
    while (plain && (more = text_next_block(&r->text, &c, err)) == 1) plain = block_is_plain(r, &c, fields);
    if (!plain)
        text_why(why, 0, "line ends may stand inside quotes, or records are not whole, about byte %llu",
                 (unsigned long long)c.offset);
    free(fields);
    buf_free(&c.data);
    return more < 0 ? -1 : plain;
}

static uint64_t csv_input_bytes(const struct reader *base) {
    const struct csv_reader *r = (const struct csv_reader *)base;
    if (r->text.blocks.of) return r->text.offset;
    return instream_input_bytes(((const struct csv_reader *)base)->text.in);
}

static void csv_checksum(const struct reader *base, char hex[17]) {
    instream_checksum(((const struct csv_reader *)base)->text.in, hex);
}

static void csv_close(struct reader *base) {
    struct csv_reader *r = (struct csv_reader *)base;
    text_close(&r->text);
    colmap_free(&r->map);
    record_map_free(r->mapped);
    free(r);
}

/* The first record that is not blank, as names for the column map; lives while the reader is opened. */
struct header {
    struct csv_field *fields;
    struct bytes *names;
    uint8_t *unquoted;
    size_t n;
};

static int header_alloc(struct header *h, struct err *err) {
    h->fields = calloc(HEADER_MAX_FIELDS, sizeof *h->fields);
    h->names = calloc(HEADER_MAX_FIELDS, sizeof *h->names);
    h->unquoted = malloc(HEADER_MAX_BYTES);
    return h->fields && h->names && h->unquoted ? 0 : err_nomem(err, HEADER_MAX_FIELDS * sizeof *h->fields, "the header");
}

static void header_free(struct header *h) {
    free(h->fields);
    free(h->names);
    free(h->unquoted);
}

/* n stays 0 when there is nothing but blank lines. */
static int header_take(struct header *h, struct csv_reader *r, struct bytes head, struct err *err) {
    const char *path = instream_path(r->text.in);
    struct csv_scan s;
    struct csv_record rec = {0};
    uint8_t *out = h->unquoted;
    csv_scan_init(&s, &r->dialect, head);
    while (csv_scan_record(&s, h->fields, HEADER_MAX_FIELDS, &rec) && !rec.raw.n) {
    }
    if (!rec.raw.n && head.n < HEADER_MAX_BYTES) return 0;
    if (rec.n_fields > HEADER_MAX_FIELDS || (!rec.complete && head.n == HEADER_MAX_BYTES))
        return err_set(err, ERR_LIMIT, "%s: no header within %d bytes and %d columns", path, HEADER_MAX_BYTES, HEADER_MAX_FIELDS);
    if (rec.fault) return err_set(err, ERR_INPUT, "%s: the header has a bad quote in column %zu", path, rec.fault_field + 1);
    for (size_t i = 0; i < rec.n_fields; i++) {
        struct csv_field *f = &h->fields[i];
        if (f->doubled) {
            f->n = csv_unquote(out, f, (uint8_t)r->dialect.quote);
            f->p = out;
            out += f->n;
        }
        h->names[i] = bytes_of(f->p, f->n);
    }
    h->n = rec.n_fields;
    r->header_end = r->text.offset + (uint64_t)(s.at - head.p);
    return 0;
}

/* h == NULL: there is none. */
static int plan_columns(struct csv_reader *r, const struct read_opts *o, const struct header *h, struct err *err) {
    struct colmap_opts co = {.columns = o->columns, .table = o->table, .open_families = o->open_families, .shapes = o->shapes};
    if (h) {
        co.header = h->names;
        co.n_header = (uint32_t)h->n;
        co.empty_input = h->n == 0;
    }
    return colmap_parse(&r->map, &co, err);
}

static int plan_mapping(struct csv_reader *r, const struct read_opts *o, const struct header *h, struct err *err) {
    struct record_map_opts mo = {.mapping = o->mapping,
                                 .source = r->source,
                                 .path = instream_path(r->text.in),
                                 .table = o->table,
                                 .open_families = o->open_families,
                                 .shapes = o->shapes,
                                 .default_ts_ms = o->default_ts_ms,
                                 .max_result_bytes = o->max_cell_bytes};
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

static int plan(struct csv_reader *r, const struct read_opts *o, struct err *err) {
    int (*make)(struct csv_reader *, const struct read_opts *, const struct header *, struct err *) =
        r->source ? plan_mapping : plan_columns;
    if (!(r->source ? r->source->header : o->header)) return make(r, o, NULL, err);
    struct header h = {0};
    struct bytes head;
    int rc = header_alloc(&h, err) || instream_peek(r->text.in, HEADER_MAX_BYTES, &head, err) || header_take(&h, r, head, err);
    if (!rc) rc = make(r, o, &h, err);
    header_free(&h);
    return rc ? -1 : 0;
}

static int check_dialect(const struct csv_reader *r, const struct read_opts *o, struct err *err) {
    const struct csv_dialect *d = &r->dialect;
    if (o->mapping && !r->source)
        return err_set(err, ERR_USAGE, "%s: no source of %s has a pattern in \"files\" that this name fits",
                       instream_path(r->text.in), o->mapping->path);
    if (!o->columns && !r->source)
        return err_set(err, ERR_USAGE, "%s: text needs --columns, such as HBASE_ROW_KEY,family:qualifier, or --map FILE",
                       instream_path(r->text.in));
    if (d->delimiter == '\n' || d->delimiter == '\r' || d->quote == '\n' || d->quote == '\r')
        return err_set(err, ERR_USAGE, "--delimiter and --quote cannot be a line end");
    if (d->quote == d->delimiter) return err_set(err, ERR_USAGE, "--delimiter and --quote are the same byte");
    return 0;
}

/* d: the format's own; options beat it, and a source of a mapping beats both. */
static void set_dialect(struct csv_reader *r, const struct read_opts *o, struct csv_dialect d) {
    const struct mapping_source *s = r->source;
    int delimiter = s && s->delimiter >= 0 ? s->delimiter : o->delimiter;
    int quote = s && s->quote != -1 ? s->quote : o->quote;
    const char *null_text = s && s->null_text ? s->null_text : o->null_text;
    if (delimiter >= 0) d.delimiter = (uint8_t)delimiter;
    if (quote >= 0 || quote == -2) d.quote = quote >= 0 ? quote : -1;
    r->dialect = d;
    r->has_null_text = null_text != NULL;
    r->null_text = bytes_str(null_text ? null_text : "");
}

static struct reader *open_dialect(struct instream *in, const struct read_opts *o, struct csv_dialect d, bool strict,
                                   struct err *err) {
    static const struct reader_ops ops = {.next = csv_next,
                                          .parse = csv_parse,
                                          .input_bytes = csv_input_bytes,
                                          .checksum = csv_checksum,
                                          .by_blocks = csv_by_blocks,
                                          .close = csv_close};
    struct csv_reader *r = calloc(1, sizeof *r);
    if (!r) {
        err_nomem(err, sizeof *r, "a reader");
        instream_close(in);
        return NULL;
    }
    r->base.ops = &ops;
    r->strict = strict;
    r->skip_empty = o->skip_empty;
    r->default_ts_ms = o->default_ts_ms;
    if (o->mapping) r->source = mapping_source_of(o->mapping, instream_path(in));
    set_dialect(r, o, d);
    if (text_open(&r->text, in, o, d.cr_ends, err) == 0 && check_dialect(r, o, err) == 0 && plan(r, o, err) == 0) return &r->base;
    csv_close(&r->base);
    return NULL;
}

static struct reader *csv_open(struct instream *in, const struct read_opts *o, struct err *err) {
    return open_dialect(in, o, (struct csv_dialect){.delimiter = ',', .quote = '"'}, true, err);
}

static struct reader *tsv_open(struct instream *in, const struct read_opts *o, struct err *err) {
    return open_dialect(in, o, (struct csv_dialect){.delimiter = '\t', .quote = -1, .cr_ends = true}, false, err);
}

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

/* How often the byte stands in the first line; -1: what is there is not text. */
static int in_first_line(struct bytes head, uint8_t byte) {
    int n = 0;
    for (size_t i = 0; i < head.n && head.p[i] != '\n'; i++) {
        if (!head.p[i]) return -1;
        n += head.p[i] == byte;
    }
    return n;
}

enum { BITS_ENDING = 24, BITS_DELIMITER = 8 };

static int csv_sniff(struct bytes head, const char *path) {
    int commas = in_first_line(head, ',');
    if (commas < 0) return 0;
    return (has_ending(path, ".csv") ? BITS_ENDING : 0) + (commas > 0 ? BITS_DELIMITER : 0);
}

static int tsv_sniff(struct bytes head, const char *path) {
    int tabs = in_first_line(head, '\t');
    if (tabs < 0) return 0;
    return (has_ending(path, ".tsv") || has_ending(path, ".tab") ? BITS_ENDING : 0) + (tabs > 0 ? BITS_DELIMITER : 0);
}

const struct format fmt_csv = {.name = "csv",
                               .about = "text with delimiters and RFC 4180 quotes; needs --columns or --map",
                               .sniff = csv_sniff,
                               .open = csv_open,
                               .is_text = true};
const struct format fmt_tsv = {.name = "tsv",
                               .about = "text with TABs, HBase ImportTsv's rules; needs --columns or --map",
                               .sniff = tsv_sniff,
                               .open = tsv_open,
                               .is_text = true};
