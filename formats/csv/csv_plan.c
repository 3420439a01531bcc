#include "formats/csv/csv_reader.h"

#include <stdlib.h>

enum { HEADER_MAX_BYTES = 65536, HEADER_MAX_FIELDS = 16384 };

void csv_plan_dialect(struct csv_reader *r, const struct read_opts *o, struct csv_dialect d) {
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
static int by_columns(struct csv_reader *r, const struct read_opts *o, const struct header *h, struct err *err) {
    struct colmap_opts co = {.columns = o->columns, .table = o->table, .open_families = o->open_families, .shapes = o->shapes};
    if (h) {
        co.header = h->names;
        co.n_header = (uint32_t)h->n;
        co.empty_input = h->n == 0;
    }
    return colmap_parse(&r->map, &co, err);
}

static int by_mapping(struct csv_reader *r, const struct read_opts *o, const struct header *h, struct err *err) {
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

int csv_plan(struct csv_reader *r, const struct read_opts *o, struct err *err) {
    int (*make)(struct csv_reader *, const struct read_opts *, const struct header *, struct err *) =
        r->source ? by_mapping : by_columns;
    if (check_dialect(r, o, err)) return -1;
    if (!(r->source ? r->source->header : o->header)) return make(r, o, NULL, err);
    struct header h = {0};
    struct bytes head;
    int rc = header_alloc(&h, err) || instream_peek(r->text.in, HEADER_MAX_BYTES, &head, err) || header_take(&h, r, head, err);
    if (!rc) rc = make(r, o, &h, err);
    header_free(&h);
    return rc ? -1 : 0;
}
