/* Lists the evidence in the beginning of a file for and against the dialect by which it is read, for people who look before they
 * import (--preview, --dry-run). Nothing is decided by it. A line each: `=` and the dialect with its file, `+` for it, `-`
 * against it. */
#include "formats/csv/csv.h"
#include "formats/csv/csv_scan.h"
#include "formats/text/dialect_bytes.h"
#include "formats/text/dialect_describe.h"

#include <stdio.h>

struct evidence {
    uint64_t records, fit, faults, fields, nulls, quoted, escaped, wrapped, slashes, padded, crs;
    uint64_t others[4];
    bool uneven[4]; /* the other delimiter is not as often in each record */
};
static const char others[] = {',', ';', '\t', '|'};

static uint64_t count_byte(struct bytes b, uint8_t byte) {
    uint64_t n = 0;
    for (size_t i = 0; i < b.n; i++) n += b.p[i] == byte;
    return n;
}

static void look_at_field(const struct csv_reader *r, const struct csv_field *f, struct evidence *e) {
    const struct bytes b = bytes_of(f->p, f->n);
    const bool null = !f->quoted && dialect_has_text(&r->dialect.nulls, b);
    e->fields++;
    e->nulls += null;
    e->quoted += f->quoted;
    e->escaped += f->escaped && !null;
    e->wrapped += !f->quoted && b.n > 1 && (b.p[0] == '"' || b.p[0] == '\'') && b.p[b.n - 1] == b.p[0];
    e->slashes += !f->escaped && !null && b.n && memchr(b.p, '\\', b.n);
    e->padded += !f->quoted && b.n && (b.p[0] == ' ' || b.p[b.n - 1] == ' ');
}

static void look_at(const struct csv_reader *r, const struct csv_record *rec, const struct csv_field *fields,
                    struct evidence *e) {
    const uint64_t n = rec->n_used && rec->n_fields > r->map.n_columns
                           ? (rec->n_used > r->map.n_columns ? rec->n_used : r->map.n_columns)
                           : rec->n_fields;
    const bool many = n > r->map.n_columns && !r->open_ended, few = r->strict && !r->open_ended && n < r->map.n_columns;
    e->fit += !rec->fault && !many && !few;
    e->faults += rec->fault != CSV_FINE;
    e->crs += rec->raw.n && rec->raw.p[rec->raw.n - 1] == '\r';
    for (size_t i = 0; i < rec->n_fields && i < CSV_HEADER_MAX_FIELDS; i++) look_at_field(r, &fields[i], e);
    for (size_t k = 0; k < countof(others); k++) {
        const uint64_t count = count_byte(rec->raw, (uint8_t)others[k]);
        if (e->records && count != e->others[k]) e->uneven[k] = true;
        e->others[k] = count;
    }
    e->records++;
}

static struct evidence gather(const struct csv_reader *r, struct csv_field *fields, struct bytes head) {
    enum { RECORDS_MAX = 1000 };
    struct evidence e = {0};
    struct csv_record rec;
    struct csv_scan s;
    csv_scan_init(&s, &r->dialect, head);
    while (e.records < RECORDS_MAX && csv_scan_record(&s, fields, CSV_HEADER_MAX_FIELDS, &rec)) {
        if (!rec.complete && head.n >= CSV_HEADER_MAX_BYTES) break;
        const uint64_t at = r->base.text.offset + (uint64_t)(rec.raw.p - head.p);
        if (!csv_is_passed(&rec) && at >= r->header_end) look_at(r, &rec, fields, &e);
    }
    return e;
}

/* "+ 3 of …": where there are any. */
static int put_count(struct buf *out, char sign, uint64_t n, uint64_t of, const char *what, struct err *err) {
    return n ? buf_printf(out, err, "%c%llu of the first %llu %s\n", sign, (unsigned long long)n, (unsigned long long)of, what)
             : 0;
}

static int put_others(const struct csv_reader *r, const struct evidence *e, struct buf *out, struct err *err) {
    for (size_t k = 0; k < countof(others); k++) {
        const uint8_t other = (uint8_t)others[k];
        if (e->uneven[k] || !e->others[k] || e->records < 2 || memchr(r->dialect.delimiter, other, r->dialect.n_delimiter))
            continue;
        if (buf_printf(out, err, "-each of them holds %llu ", (unsigned long long)e->others[k]) ||
            dialect_put_bytes(out, bytes_of(&other, 1), err) || buf_printf(out, err, ", as a delimiter would be\n"))
            return -1;
    }
    return 0;
}

static int put_evidence(const struct csv_reader *r, const struct evidence *e, struct buf *out, struct err *err) {
    const struct dialect *d = &r->dialect;
    if (!e->records) return buf_printf(out, err, "-there are no records to judge by\n");
    if (put_count(out, '+', e->fit, e->records, "records have as many fields as there are columns", err) ||
        put_count(out, '+', e->nulls, e->fields, "fields are null", err) ||
        put_count(out, '+', e->quoted, e->fields, "fields are in quotes", err) ||
        put_count(out, '+', e->escaped, e->fields, "fields hold escapes, which are decoded", err))
        return -1;
    if (put_count(out, '-', e->records - e->fit, e->records, "records do not fit the columns", err) ||
        put_count(out, '-', e->faults, e->records, "records have a quote that is not closed, or text after it", err) ||
        put_count(out, '-', e->wrapped, e->fields, "fields keep the quotes around them", err) ||
        (d->escape < 0 && put_count(out, '-', e->slashes, e->fields, "fields hold a backslash, which stays", err)) ||
        (!d->trim && put_count(out, '-', e->padded, e->fields, "fields begin or end with a blank, which stays", err)) ||
        put_count(out, '-', e->crs, e->records, "records end in CR, which stays", err))
        return -1;
    return put_others(r, e, out, err);
}

/* Adds the evidence once for each dialect: what holds for the first of many files holds for the others, or --preview would be all
 * about this. */
int csv_evidence(const struct csv_reader *r, const struct read_opts *o, struct csv_header *h, struct bytes head,
                 struct err *err) {
    struct buf line = {0}, *out = o->text.dialects;
    const char *path = instream_path(r->base.text.in), *slash = strrchr(path, '/');
    if (!out || o->text.part.begin) return 0;
    int rc = buf_printf(&line, err, "=") || dialect_describe(&r->dialect, &line, err) || buf_printf(&line, err, " (") ? -1 : 0;
    if (!rc && !(out->n && memmem(out->p, out->n, line.p, line.n))) {
        const struct evidence e = gather(r, h->fields, head);
        rc = buf_put(out, line.p, line.n, err) || buf_printf(out, err, "%s)\n", slash ? slash + 1 : path) ||
                     put_evidence(r, &e, out, err)
                 ? -1
                 : 0;
    }
    buf_free(&line);
    return rc;
}
