/* The first record of CSV and TSV as names of columns: one that was announced (--header, a source of a mapping), and one that was
 * not but looks like it. What looks like a header: it names what its columns become, or the row key as people call it, or
 * a column that holds numbers everywhere else. It is only warned of, as data may look like that, too. */
#include "formats/csv/csv.h"

#include "base/warning.h"
#include "formats/csv/csv_general.h"
#include "formats/csv/csv_header.h"
#include "formats/csv/csv_scan.h"
#include "formats/mapping/colmap_header.h"
#include "formats/text/text_hint.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LATER_RECORDS = 20, FEWEST_LATER = 3, NAME_MAX_BYTES = 64 };

int csv_header_alloc(struct csv_header *h, struct err *err) {
    h->fields = calloc(CSV_HEADER_MAX_FIELDS, sizeof *h->fields);
    h->names = calloc(CSV_HEADER_MAX_FIELDS, sizeof *h->names);
    h->unquoted = malloc(CSV_HEADER_MAX_BYTES);
    return h->fields && h->names && h->unquoted ? 0 : err_nomem(err, CSV_HEADER_MAX_FIELDS * sizeof *h->fields, "the header");
}

void csv_header_free(struct csv_header *h) {
    free(h->fields);
    free(h->names);
    free(h->unquoted);
}

static int bad_quote(const struct csv_reader *r, const struct csv_record *rec, const char *path, struct err *err) {
    char guess[TEXT_GUESS_BYTES] = "";
    if (rec->fault == CSV_AFTER_QUOTE) text_guess_delimiter(bytes_of(rec->fault_at, 1), 2, r->source != NULL, guess);
    return err_set(err, ERR_INPUT, "%s: the header has a bad quote in column %zu%s", path, rec->fault_field + 1, guess);
}

int csv_header_take(struct csv_header *h, struct csv_reader *r, struct bytes head, struct err *err) {
    const char *path = instream_path(r->base.text.in);
    struct csv_scan s;
    struct csv_record rec = {0};
    uint8_t *out = h->unquoted;
    csv_scan_init(&s, &r->dialect, head);
    while (csv_scan_record(&s, h->fields, CSV_HEADER_MAX_FIELDS, &rec) && csv_is_passed(&rec)) {
    }
    if (csv_is_passed(&rec) && head.n < CSV_HEADER_MAX_BYTES) return 0;
    if (rec.n_fields > CSV_HEADER_MAX_FIELDS || (!rec.complete && head.n == CSV_HEADER_MAX_BYTES))
        return err_set(err, ERR_LIMIT, "%s: no header within %d bytes and %d columns", path, CSV_HEADER_MAX_BYTES,
                       CSV_HEADER_MAX_FIELDS);
    if (rec.fault == CSV_NOT_ENDED)
        return err_set(err, ERR_INPUT, "%s: the header does not end with the delimiter, as trailing=yes has it", path);
    if (rec.fault) return bad_quote(r, &rec, path, err);
    if (rec.n_used) rec.n_fields = rec.n_used;
    for (size_t i = 0; i < rec.n_fields; i++) {
        struct csv_field *f = &h->fields[i];
        if (f->doubled || f->escaped) {
            f->n = f->escaped ? csv_unescape(out, f, &r->dialect) : csv_unquote(out, f, (uint8_t)r->dialect.quote);
            f->p = out;
            out += f->n;
        }
        h->names[i] = bytes_of(f->p, f->n);
    }
    h->n = rec.n_fields;
    r->header_end = r->base.text.offset + (uint64_t)(s.at - head.p);
    r->header.n = 0;
    if (buf_put(&r->header, rec.raw.p, (size_t)(s.at - rec.raw.p), err)) return -1;
    return rec.complete ? 0 : buf_put_byte(&r->header, '\n', err);
}

/* ---- a header that nobody announced ---- */

static bool equal_names(struct bytes a, struct bytes b) {
    return a.n && a.n == b.n && !strncasecmp((const char *)a.p, (const char *)b.p, a.n);
}

static bool is_letter(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

static bool is_name(struct bytes f) {
    if (!f.n || f.n > NAME_MAX_BYTES || !is_letter(f.p[0])) return false;
    for (size_t i = 1; i < f.n; i++)
        if (!is_letter(f.p[i]) && !is_digit(f.p[i]) && !memchr(" -.:$#/()", f.p[i], 9)) return false;
    return true;
}

static bool is_number(struct bytes f) {
    size_t digits = 0, dots = 0;
    for (size_t i = f.n && f.p[0] == '-'; i < f.n; i++) {
        digits += is_digit(f.p[i]);
        dots += f.p[i] == '.';
        if (!is_digit(f.p[i]) && f.p[i] != '.') return false;
    }
    return digits && dots <= 1;
}

/* Returns whether people would give a row key this name. */
static bool names_a_key(struct bytes name) {
    static const char *const keys[] = {"id", "key", "row", "rowkey", "row_key", "row-key", "hbase_row_key", "uuid", "pk"};
    for (size_t i = 0; i < countof(keys); i++)
        if (equal_names(name, bytes_str(keys[i]))) return true;
    return name.n > 3 && (equal_names(bytes_of(name.p + name.n - 3, 3), bytes_str("_id")) ||
                          equal_names(bytes_of(name.p + name.n - 3, 3), bytes_str("key")));
}

static bool are_names(const struct csv_header *h) {
    for (size_t i = 0; i < h->n; i++) {
        if (!is_name(h->names[i]) || h->n > NAME_MAX_BYTES) return false;
        for (size_t j = 0; j < i; j++)
            if (equal_names(h->names[i], h->names[j])) return false;
    }
    return h->n > 1;
}

static bool is_hex(struct bytes f) {
    enum { FEWEST = 8 };
    size_t digits = 0;
    for (size_t i = 0; i < f.n; i++) {
        if (!is_digit(f.p[i]) && f.p[i] != '-' && !(f.p[i] >= 'a' && f.p[i] <= 'f') && !(f.p[i] >= 'A' && f.p[i] <= 'F'))
            return false;
        digits += is_digit(f.p[i]);
    }
    return digits && f.n >= FEWEST;
}

static size_t count_digits(struct bytes f, size_t at) {
    size_t n = 0;
    while (at + n < f.n && is_digit(f.p[at + n])) n++;
    return n;
}

bool csv_header_alike(struct bytes a, struct bytes b) {
    size_t i = 0, j = 0, digits = 0;
    if (a.n == b.n && is_hex(a) && is_hex(b)) return true;
    while (i < a.n && j < b.n) {
        size_t x = count_digits(a, i), y = count_digits(b, j);
        if (!x != !y || (!x && a.p[i] != b.p[j])) return false;
        digits += x;
        i += x ? x : 1;
        j += y ? y : 1;
    }
    return digits && i == a.n && j == b.n;
}

/* Counts of the records after the first one. */
struct later {
    uint32_t n;
    uint32_t alike;         /* whose key is like that of the first */
    bool same_key, numbers; /* numbers: a column has nothing else */
};

static struct later look_on(const struct csv_reader *r, const struct csv_header *h, struct bytes head) {
    struct csv_field f[NAME_MAX_BYTES];
    struct csv_record rec;
    struct csv_scan s;
    struct later l = {0};
    uint64_t others = 0; /* columns with what is no number */
    size_t first = (size_t)(r->header_end - r->base.text.offset);
    csv_scan_init(&s, &r->dialect, bytes_of(head.p + first, head.n - first));
    if (h->n > countof(f)) return l;
    while (l.n < LATER_RECORDS && csv_scan_record(&s, f, countof(f), &rec) && rec.complete) {
        if (csv_is_passed(&rec) || rec.n_fields != h->n) continue;
        uint32_t key = r->map.row != COLMAP_NONE && r->map.row < h->n ? r->map.row : 0;
        l.n++;
        l.same_key |= equal_names(bytes_of(f[key].p, f[key].n), h->names[key]);
        l.alike += csv_header_alike(bytes_of(f[key].p, f[key].n), h->names[key]);
        for (size_t i = 0; i < h->n; i++)
            if (!is_number(bytes_of(f[i].p, f[i].n))) others |= UINT64_C(1) << i;
    }
    for (size_t i = 0; i < h->n; i++) l.numbers |= !(others >> i & 1);
    l.numbers &= l.n >= FEWEST_LATER;
    return l;
}

/* Counts the fields of the first record that have the names of what their columns become. */
static uint32_t named_alike(const struct csv_reader *r, const struct csv_header *h) {
    uint32_t alike = 0;
    for (uint32_t i = 0; i < r->map.n_slots; i++)
        if (r->map.slots[i].column < h->n) alike += equal_names(r->map.slots[i].qualifier, h->names[r->map.slots[i].column]);
    for (uint32_t i = 0; r->source && i < r->source->n_columns && i < h->n; i++)
        alike += equal_names(r->source->columns[i], h->names[i]);
    return alike;
}

static bool looks_like_header(const struct csv_reader *r, const struct csv_header *h, struct bytes head) {
    bool by_column = r->map.row != COLMAP_NONE && !r->source;
    if (by_column && r->map.row >= h->n) return false;
    uint32_t alike = named_alike(r, h), columns = r->source ? r->source->n_columns : r->map.n_slots;
    bool names_key = by_column && names_a_key(h->names[r->map.row]);
    if (alike > columns / 2 || (alike && names_key)) return true;
    if (!are_names(h)) return false;
    struct later l = look_on(r, h, head);
    return l.n && !l.same_key && (names_key || l.numbers);
}

/* ---- records that are passed over, files with other columns ---- */

/* Numbers that nobody calls a column: years and positions are short. NULL: none. */
static const struct bytes *find_figure(const struct csv_header *h) {
    enum { SHORT = 4 };
    for (size_t i = 0; i < h->n; i++) {
        const struct bytes *f = &h->names[i];
        if (is_number(*f) && (f->n > SHORT || f->p[0] == '-' || memchr(f->p, '.', f->n))) return f;
    }
    return NULL;
}

static int put_names(const struct csv_header *h, struct buf *out, struct err *err) {
    for (size_t i = 0; i < h->n; i++) {
        struct bytes name = bytes_trim(h->names[i]);
        if (buf_put(out, name.p, name.n, err) || buf_put_byte(out, '\n', err)) return -1;
    }
    return 0;
}

/* Warns once in a run: which of further files are unlike the others depends on the one that is read first. */
static int warn_of_header(struct first_header *first, const struct read_opts *o, const char *line, struct err *err) {
    first->doubt = warning_hash(bytes_str(line)) | 1;
    return text_warn_once(o, WARN_HEADER, line, err);
}

/* Returns a field of the first record that shows it to be data: a number, or a key that looks like those of all records after it.
 * NULL: it may well be a header. */
static const struct bytes *find_data(const struct csv_reader *r, const struct csv_header *h, struct bytes head) {
    const struct bytes *figure = find_figure(h);
    if (figure) return figure;
    struct later l = look_on(r, h, head);
    if (l.n < FEWEST_LATER || l.alike < l.n) return NULL;
    return &h->names[r->map.row != COLMAP_NONE && r->map.row < h->n ? r->map.row : 0];
}

/* A record may be passed over as a header. */
static int doubt_first(const struct csv_reader *r, const struct read_opts *o, const struct csv_header *h, struct bytes head,
                       struct err *err) {
    char line[PATH_MAX + 300];
    struct first_header *first = o->text.first_header;
    const struct bytes *data = find_data(r, h, head);
    const bool is_auto = !r->source && colmap_is_auto(o->text.columns); /* columns have names: those of others may differ */
    if (buf_printf(&first->path, err, "%s", instream_path(r->base.text.in)) ||
        put_names(h, is_auto ? &first->columns : &first->names, err))
        return -1;
    if (!data) return 0;
    snprintf(line, sizeof line, "%s: the first record, %s, looks like data: it holds %.*s; leave out --header if it is a record",
             instream_path(r->base.text.in), is_auto ? "which names the columns as the header" : "passed over as the header",
             data->n < 40 ? (int)data->n : 40, (const char *)data->p);
    return warn_of_header(first, o, line, err);
}

/* Columns would become others, or a record is passed over as a header. */
static int compare_headers(const struct csv_reader *r, const struct read_opts *o, const struct csv_header *h, struct err *err) {
    char line[2 * PATH_MAX + 200];
    struct first_header *first = o->text.first_header;
    struct buf names = {0};
    int rc = put_names(h, &names, err);
    if (!rc && !bytes_eq(buf_bytes(&names), buf_bytes(&first->names))) {
        snprintf(line, sizeof line, "%s: the first record, passed over as the header, is another one than that of %.*s; %s",
                 instream_path(r->base.text.in), (int)first->path.n, (const char *)first->path.p,
                 r->source ? "give columns by name, and \"header\" only if each file has one"
                           : "give columns by name (NAME=FAMILY:QUALIFIER), and --header only if each file has one");
        rc = warn_of_header(first, o, line, err);
    }
    buf_free(&names);
    return rc;
}

/* Returns whether a column has a name that one of the first input has. */
static bool shares_name(const struct csv_header *h, struct bytes names) {
    for (size_t i = 0; i < h->n; i++) {
        const struct bytes name = bytes_trim(h->names[i]);
        for (struct bytes rest = names, line; rest.n;) {
            line = text_take_line(&rest);
            if (bytes_eq(line, name)) return true;
        }
    }
    return false;
}

/* The first record of a further file becomes the names of columns: it is data where it shares none of the first file's names. */
static int doubt_further(const struct csv_reader *r, const struct read_opts *o, const struct csv_header *h, struct err *err) {
    enum { SHOWN = 40 };
    char line[PATH_MAX + 300];
    struct first_header *first = o->text.first_header;
    const int shown = h->names[0].n < SHOWN ? (int)h->names[0].n : SHOWN;
    if (shares_name(h, buf_bytes(&first->columns))) return 0;
    snprintf(line, sizeof line,
             "%s: the first record, '%.*s' …, is the header of its columns, and has no name of that of %.*s; if only the first "
             "input has a header, give header=first in the dialect",
             instream_path(r->base.text.in), shown, (const char *)h->names[0].p, (int)first->path.n, (const char *)first->path.p);
    return warn_of_header(first, o, line, err);
}

/* Returns whether the only source of a mapping finds all of its columns without the names of a header. */
static bool is_by_place(const struct mapping *m) {
    const struct mapping_source *s = m->sources;
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (!s->fields[i].is_item && s->fields[i].column == UINT32_MAX) return false;
    return m->n_sources == 1;
}

int csv_header_check(const struct csv_reader *r, const struct read_opts *o, const struct csv_header *h, struct bytes head,
                     struct err *err) {
    const bool all = head.n < CSV_HEADER_MAX_BYTES && r->header_end - r->base.text.offset == head.n;
    const struct first_header *first = o->text.first_header;
    const bool is_auto = !r->source && colmap_is_auto(o->text.columns);
    const bool by_position = r->source ? is_by_place(o->text.mapping) : !strchr(o->text.columns, '=');
    if ((!h->n || all) && text_warn_empty(&r->base.text, o, err)) return -1;
    if (!h->n || !by_position || !first || first->doubt || !o->warnings) return 0;
    if (!first->path.n) return doubt_first(r, o, h, head, err);
    return is_auto ? doubt_further(r, o, h, err) : compare_headers(r, o, h, err);
}

int csv_header_doubt(struct csv_reader *r, const struct read_opts *o, struct csv_header *h, struct bytes head, struct err *err) {
    char line[PATH_MAX + 100];
    struct err none = {0};
    bool first = o->warnings && !o->text.part.begin; /* else the first part of the file warns of it */
    bool taken = first && !csv_header_take(h, r, head, &none), alike = taken && h->n && looks_like_header(r, h, head);
    r->header_end = r->header.n = 0;
    if (taken && !h->n) return text_warn_empty(&r->base.text, o, err);
    if (!alike) return 0;
    snprintf(line, sizeof line, "%s: the first record looks like a header, but is read as data; give %s if it is one",
             instream_path(r->base.text.in), r->source ? "\"header\": true in the mapping" : "--header");
    return text_warn_once(o, WARN_HEADER, line, err);
}

/* ---- nobody said what the columns become ---- */

/* Proposes options by the names of the columns, of which one is perhaps the key. */
static int propose(const struct csv_header *h, const struct read_opts *o, const char *path, struct err *err) {
    const struct table *t = o->table;
    const char *family = t && t->n_families ? t->families[0].name : "FAMILY";
    char key[NAME_MAX_BYTES + 16] = "";
    for (size_t i = 0; i < h->n && !key[0]; i++)
        if (names_a_key(h->names[i])) snprintf(key, sizeof key, "%.*s", (int)h->names[i].n, (const char *)h->names[i].p);
    return err_set(err, ERR_USAGE,
                   "%s: say what its columns become. Its header names %zu, from %.*s to %.*s: --columns '%s=HBASE_ROW_KEY,*=%s' "
                   "makes cells of family %s of all but the row key%s; or give --map FILE",
                   path, h->n, (int)h->names[0].n, (const char *)h->names[0].p, (int)h->names[h->n - 1].n,
                   (const char *)h->names[h->n - 1].p, key[0] ? key : "COLUMN", family, family,
                   t && t->n_families > 1 ? " (NAME=FAMILY:QUALIFIER for one column)" : "");
}

int csv_header_propose(struct csv_reader *r, const struct read_opts *o, struct err *err) {
    const char *path = instream_path(r->base.text.in);
    struct csv_header h = {0};
    struct bytes head;
    struct err none = {0};
    int rc = -1;
    if (!csv_header_alloc(&h, err) && !instream_peek(r->base.text.in, CSV_HEADER_MAX_BYTES, &head, err))
        rc = !csv_header_take(&h, r, head, &none) && are_names(&h)
                 ? propose(&h, o, path, err)
                 : err_set(err, ERR_USAGE, "%s: text needs --columns, such as HBASE_ROW_KEY,family:qualifier, or --map FILE",
                           path);
    csv_header_free(&h);
    return rc;
}
