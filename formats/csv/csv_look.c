/* Searches records as they pass for signs that they are not what their owner means. Most records cost some comparisons: whether
 * a chunk holds a CR, a quote or a backslash at all is asked once, and what is a matter of proportion is asked of a sample. The
 * sample depends on positions only, so that findings are the same in every run. */
#include "formats/csv/csv_header.h"
#include "formats/csv/csv_look.h"
#include "formats/csv/csv_scan.h"
#include "formats/csv/csv_signs.h"

#include <string.h>

static void note(struct csv_look *l, enum csv_sign sign, const struct csv_record *rec) {
    struct csv_sign_count *c = &l->signs.of[sign];
    if (c->n++) return;
    c->at = l->offset + (uint64_t)(rec->raw.p - l->begin);
}

static const uint8_t *find_byte(const uint8_t *p, const uint8_t *end, uint8_t byte) {
    const uint8_t *at = p < end ? memchr(p, byte, (size_t)(end - p)) : NULL;
    return at ? at : end;
}

/* Most chunks hold none of the three: then one pass over it says so. */
static bool holds_any(struct bytes data, const uint8_t bytes[3]) {
    csv_mask_fn *find = csv_mask_best();
    uint64_t masks[CSV_WINDOW], any = 0;
    while (data.n >= CSV_MASK_BYTES && !any) {
        const size_t left = data.n / CSV_MASK_BYTES, n = left < CSV_WINDOW ? left : CSV_WINDOW;
        find(data.p, n, bytes, masks);
        for (size_t i = 0; i < n; i++) any |= masks[i];
        data = bytes_of(data.p + n * CSV_MASK_BYTES, data.n - n * CSV_MASK_BYTES);
    }
    return any || csv_mask_of(find, data, bytes);
}

void csv_look_begin(struct csv_look *l, const struct csv_reader *r, const struct chunk *c) {
    const struct bytes data = buf_bytes(&c->data);
    const int quote = r->dialect.quote;
    *l = (struct csv_look){.r = r, .begin = data.p, .end = data.p + data.n, .offset = c->offset, .is_on = r->signs && data.n};
    if (!l->is_on) return;
    csv_signs_clear(&l->signs);
    l->backslash = l->end;
    if (holds_any(data, (const uint8_t[3]){'\\', '\r', quote >= 0 ? (uint8_t)quote : '\r'})) {
        l->backslash = find_byte(data.p, l->end, '\\');
        l->has_cr = find_byte(data.p, l->end, '\r') < l->end;
        l->has_quote = quote >= 0 && find_byte(data.p, l->end, (uint8_t)quote) < l->end;
    }
    struct csv_scan s;
    struct csv_record rec;
    if (!r->header.n) return;
    csv_scan_init(&s, &r->dialect, buf_bytes(&r->header));
    if (!csv_scan_record(&s, &l->header, 1, &rec)) l->header.p = NULL;
}

/* ---- the header again, byte order marks, CR ---- */

static struct bytes without_mark(struct bytes text) {
    return text.n >= 3 && !memcmp(text.p, "\xef\xbb\xbf", 3) ? bytes_of(text.p + 3, text.n - 3) : text;
}

/* Returns whether a record repeats the header, by its fields: quotes, and blanks around names, may differ. */
static bool is_header(const struct csv_look *l, const struct csv_record *rec) {
    struct csv_scan a, b;
    struct csv_record x, y;
    enum { FIELDS = 64 };
    struct csv_field f[FIELDS], g[FIELDS];
    csv_scan_init(&a, &l->r->dialect, buf_bytes(&l->r->header));
    csv_scan_init(&b, &l->r->dialect, without_mark(rec->raw));
    if (!csv_scan_record(&a, f, FIELDS, &x) || !csv_scan_record(&b, g, FIELDS, &y) || x.n_fields != y.n_fields) return false;
    for (size_t i = 0; i < x.n_fields && i < FIELDS; i++)
        if (!bytes_eq(bytes_trim(bytes_of(f[i].p, f[i].n)), bytes_trim(bytes_of(g[i].p, g[i].n)))) return false; /* as names */
    return x.n_fields <= FIELDS || bytes_eq(x.raw, without_mark(rec->raw));
}

/* Returns whether the last byte of a field that is not decoded yet is escaped. An escaped byte is meant. */
static bool is_end_escaped(const struct csv_field *f, int escape) {
    size_t n = 0;
    while (n + 1 < f->n && f->p[f->n - 2 - n] == escape) n++;
    return f->escaped && n % 2;
}

static bool has_cr_at_end(const struct csv_field *fields, size_t n, int escape) {
    for (size_t i = 0; i < n; i++)
        if (fields[i].n && fields[i].p[fields[i].n - 1] == '\r' && !is_end_escaped(&fields[i], escape)) return true;
    return false;
}

/* ---- lines that a quote joins ---- */

/* The field of this number in a line; false: it has none. */
static bool field_of_line(struct bytes line, struct bytes delimiter, size_t number, struct bytes *out) {
    const uint8_t *p = line.p, *end = line.p + line.n, *next;
    for (;; p = next + delimiter.n) {
        next = memmem(p, (size_t)(end - p), delimiter.p, delimiter.n);
        if (!number--) break;
        if (!next) return false;
    }
    *out = bytes_of(p, (size_t)((next ? next : end) - p));
    return true;
}

/* A record of n fields whose field number i has swallowed lines: its first line holds what belongs after that field, each
 * further one all delimiters of a record, and the last one those before the field. Text of several lines is not like that. As
 * this may be chance, a few lines must have keys that look like the record's. */
static bool holds_records(struct csv_look *l, const struct csv_record *rec, const struct csv_field *fields, size_t i) {
    enum { SURE = 4 };
    const struct bytes delimiter = dialect_delimiter(&l->r->dialect);
    const size_t n = rec->n_fields, key = l->r->map.row != COLMAP_NONE && l->r->map.row < n ? l->r->map.row : 0;
    const struct bytes own = bytes_of(fields[key].p, fields[key].n);
    struct bytes rest = bytes_of(fields[i].p, fields[i].n), line, other;
    uint64_t lines = 0, inside = 0;
    bool alike = key < i;
    if (n < 2) return false;
    for (bool last = false; !last; lines++) {
        const uint8_t *end = find_byte(rest.p, rest.p + rest.n, '\n');
        last = end == rest.p + rest.n;
        line = bytes_of(rest.p, (size_t)(end - rest.p));
        rest = last ? rest : bytes_of(end + 1, rest.n - line.n - 1);
        const uint64_t cuts = csv_count(delimiter, line);
        if (cuts != (!lines ? n - 1 - i : last ? i : n - 1)) return false;
        if (lines && !last) inside += cuts;
        if (lines && alike) alike = field_of_line(line, delimiter, key, &other) && csv_header_alike(other, own);
    }
    if (lines < 2 || (inside < SURE && !alike)) return false;
    if (!l->signs.of[CSV_SIGN_JOINED].n) {
        l->signs.joined_lines = lines;
        l->signs.joined_marks = (lines - 1) * (n - 1);
    }
    if (inside > l->signs.joined_most) l->signs.joined_most = inside;
    return true;
}

static void look_at_quoted(struct csv_look *l, const struct csv_record *rec, const struct csv_field *fields, size_t stored) {
    bool joined = false;
    if (find_byte(rec->raw.p, rec->raw.p + rec->raw.n, '\n') == rec->raw.p + rec->raw.n) return;
    for (size_t i = 0; i < stored; i++) {
        if (!fields[i].quoted || !memchr(fields[i].p, '\n', fields[i].n)) continue;
        l->signs.spans++;
        joined |= holds_records(l, rec, fields, i);
    }
    if (joined) note(l, CSV_SIGN_JOINED, rec);
}

/* ---- backslashes ---- */

static bool is_json(struct bytes f) {
    f = bytes_trim(f);
    return f.n > 1 && ((f.p[0] == '{' && f.p[f.n - 1] == '}') || (f.p[0] == '[' && f.p[f.n - 1] == ']') ||
                       (f.p[0] == '"' && f.p[f.n - 1] == '"'));
}

/* Returns whether a backslash stands before an apostrophe: once or twice, it comes from a program, and no database need have
 * written it. */
static bool is_before_apostrophe(const uint8_t *p, const uint8_t *end) {
    p += p + 1 < end && p[1] == '\\';
    return p + 1 < end && p[1] == '\'';
}

/* The backslash at p of a field: an escape, as databases write them? A drive has one at its end. */
static bool is_escape(const struct csv_look *l, const struct csv_field *f, const uint8_t *p) {
    const uint8_t *end = f->p + f->n;
    if (p + 1 == end) return p > f->p && p[-1] != ':' && p + 1 < l->end;
    return memchr("nrtbfvZ0\\\"\n", p[1], 11) ||
           csv_begins_with(dialect_delimiter(&l->r->dialect), bytes_of(p + 1, (size_t)(end - p - 1)));
}

static void look_at_backslashes(struct csv_look *l, const struct csv_record *rec, const struct csv_field *fields, size_t stored) {
    bool null = false, escape = false;
    for (size_t i = 0; i < stored; i++) {
        const struct csv_field *f = &fields[i];
        const uint8_t *end = f->p + f->n, *p = find_byte(f->p, end, '\\');
        if (p == end || is_json(bytes_of(f->p, f->n))) continue;
        if (f->n == 2 && p == f->p && p[1] == 'N') {
            null |= !f->quoted;
            continue;
        }
        for (; p < end; p = find_byte(p + 1 < end ? p + 2 : end, end, '\\')) {
            if (is_before_apostrophe(p, end)) continue;
            if (!is_escape(l, f, p)) {
                l->signs.other_escapes++;
                continue;
            }
            if (!escape && !l->signs.of[CSV_SIGN_ESCAPE].n) l->signs.escape = p[1];
            escape = true;
        }
    }
    if (null) note(l, CSV_SIGN_NULL, rec);
    if (escape) note(l, CSV_SIGN_ESCAPE, rec);
    l->backslash = find_byte(rec->raw.p + rec->raw.n, l->end, '\\');
}

/* ---- quotes that are kept ---- */

/* Returns whether programs that quote text leave the field as it is: numbers, times, nulls, empty fields. */
static bool is_never_quoted(struct bytes f) {
    size_t digits = 0;
    if (!f.n || bytes_eq(f, bytes_str("\\N")) || bytes_eq(f, bytes_str("NULL"))) return true;
    for (size_t i = 0; i < f.n; i++) {
        if (!memchr("0123456789+-.:/ TZeE", f.p[i], 20)) return false;
        digits += f.p[i] >= '0' && f.p[i] <= '9';
    }
    return digits > 0;
}

/* Returns whether the field is in a pair of this quote. Apostrophes inside are doubled, or after a backslash: it is text else.
 * *doubled: there are ", and all of them are doubled, as nothing but such files has it. */
static bool is_wrapped(struct bytes f, uint8_t quote, bool *doubled) {
    size_t pairs = 0;
    if (f.n < 2 || f.p[0] != quote || f.p[f.n - 1] != quote) return false;
    for (size_t i = 1; i + 1 < f.n; i++) {
        if (f.p[i] == '\\') i++;
        if (i + 1 >= f.n || f.p[i] != quote) continue;
        if (i + 2 >= f.n || f.p[i + 1] != quote) return quote == '"';
        pairs++;
        i++;
    }
    *doubled |= pairs && quote == '"';
    return true;
}

/* All fields but those that are never quoted are wrapped. A column of JSON strings beside a key of text is not. 1; 0: text is
 * not; -1: there is no text. */
static int is_kept(struct csv_look *l, const struct csv_field *fields, size_t n, uint8_t quote) {
    bool doubled = false, some = false, text = false, blank = false;
    for (size_t i = 0; i < n; i++) {
        const struct bytes all = bytes_of(fields[i].p, fields[i].n), f = bytes_trim(all);
        if (fields[i].quoted || is_never_quoted(f)) continue;
        const bool wrapped = is_wrapped(f, quote, &doubled);
        some |= wrapped;
        text |= !wrapped;
        blank |= wrapped && all.p[0] != quote;
    }
    if (text && !(some && doubled)) return 0;
    if (!some) return -1;
    l->signs.surely_quoted |= doubled;
    if (!l->signs.of[CSV_SIGN_QUOTES].n) {
        l->signs.quote = quote;
        l->signs.quote_after_blank = blank;
    }
    return 1;
}

static int look_for_quotes(struct csv_look *l, const struct csv_record *rec, const struct csv_field *fields, size_t stored) {
    const int is = is_kept(l, fields, stored, '"');
    const int other = is == 1 ? 0 : is_kept(l, fields, stored, '\'');
    if (is == 1 || other == 1) note(l, CSV_SIGN_QUOTES, rec);
    return is == 1 || other == 1 ? 1 : is;
}

/* Without quotes, each line end ends a record. A last field that begins with a quote, and a first field of a later record that
 * ends with one, neither of which has the other end, are one field in which the author meant the line ends. */
static void look_for_open_quote(struct csv_look *l, const struct csv_record *rec, const struct csv_field *fields, size_t stored) {
    const struct bytes quote = bytes_str("\""), first = bytes_of(fields[0].p, fields[0].n),
                       last = bytes_of(fields[stored - 1].p, fields[stored - 1].n);
    if (l->r->dialect.quote >= 0 || stored < rec->n_fields) return;
    const bool closes =
        l->quote_is_open && first.n > 1 && first.p[0] != '"' && first.p[first.n - 1] == '"' && csv_count(quote, first) % 2 == 1;
    if (closes && !l->signs.of[CSV_SIGN_QUOTES].n) l->signs.quote = '"';
    if (closes) note(l, CSV_SIGN_QUOTES, rec);
    l->signs.surely_quoted |= closes;
    if (memchr(rec->raw.p, '"', rec->raw.n)) l->quote_is_open = last.n && last.p[0] == '"' && csv_count(quote, last) % 2 == 1;
}

void csv_look_header(struct csv_look *l, const struct csv_record *rec, const struct csv_field *fields, size_t stored) {
    if (!l->is_on) return;
    l->signs.sampled++;
    l->signs.headers++;
    (void)look_for_quotes(l, rec, fields, stored);
}

/* ---- other delimiters, records in quotes, text of two bytes a character ---- */

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

static void look_for_rivals(struct csv_look *l, const struct csv_record *rec, const struct csv_field *fields, size_t stored) {
    const struct bytes raw = rec->raw;
    bool decimal = rec->n_fields > 1;
    for (size_t i = 0; i < CSV_RIVALS; i++) {
        struct csv_rival *rival = &l->signs.rivals[i];
        const uint64_t n = csv_count(bytes_of(&csv_rival_bytes[i], 1), raw);
        size_t holders = 0;
        for (size_t k = 0; n > 1 && k < stored; k++) holders += memchr(fields[k].p, csv_rival_bytes[i], fields[k].n) != NULL;
        if (n < rival->least) rival->least = n;
        if (n > rival->most) rival->most = n;
        rival->apart += holders > 1;
    }
    for (size_t i = 0; decimal && i < raw.n; i++)
        if (raw.p[i] == ',') decimal = i && i + 1 < raw.n && is_digit(raw.p[i - 1]) && is_digit(raw.p[i + 1]);
    l->signs.decimals += decimal;
    note(l, CSV_SIGN_DELIMITER, rec); /* whether it need not be shows when all have been seen */
}

/* The record begins and ends with a quote, and no field of it does. */
static bool is_in_one_pair(struct csv_look *l, const struct csv_record *rec, const struct csv_field *fields, size_t stored) {
    struct bytes inside = rec->raw;
    bool doubled = false;
    if (rec->n_fields == 1 ? !fields[0].quoted : stored < rec->n_fields) return false;
    if (inside.n < 3 || (inside.p[0] != '"' && inside.p[0] != '\'') || inside.p[inside.n - 1] != inside.p[0]) return false;
    for (size_t i = 0; i < stored && rec->n_fields > 1; i++)
        if (fields[i].quoted || is_wrapped(bytes_of(fields[i].p, fields[i].n), inside.p[0], &doubled)) return false;
    const uint64_t cuts = csv_count(dialect_delimiter(&l->r->dialect), inside);
    if (!cuts) return false;
    if (cuts < l->signs.cuts_least) l->signs.cuts_least = cuts;
    if (cuts > l->signs.cuts_most) l->signs.cuts_most = cuts;
    return true;
}

static bool is_wide(struct bytes text) {
    enum { FEWEST = 4 };
    size_t pairs = text.n / 2, halves = 0;
    for (size_t i = 0; i + 1 < text.n; i += 2) halves += !text.p[i] != !text.p[i + 1];
    return text.n >= FEWEST && halves * 10 > pairs * 9;
}

static void look_at_sample(struct csv_look *l, const struct csv_record *rec, const struct csv_field *fields, size_t stored) {
    bool quoted = false, null = false;
    l->signs.sampled++;
    for (size_t i = 0; i < stored; i++) {
        quoted |= fields[i].quoted;
        null |= !fields[i].quoted && bytes_eq(bytes_of(fields[i].p, fields[i].n), bytes_str("NULL"));
    }
    if (null) note(l, CSV_SIGN_NULL_WORD, rec);
    l->signs.in_quotes += quoted;
    l->signs.plain += look_for_quotes(l, rec, fields, stored) == 0;
    look_for_open_quote(l, rec, fields, stored);
    look_for_rivals(l, rec, fields, stored);
    if (is_in_one_pair(l, rec, fields, stored)) note(l, CSV_SIGN_WRAPPED, rec);
    if (is_wide(rec->raw)) note(l, CSV_SIGN_WIDE, rec);
}

void csv_look_closely(struct csv_look *l, const struct csv_record *rec, const struct csv_field *fields, size_t stored,
                      bool sample) {
    const uint8_t *end = rec->raw.p + rec->raw.n;
    const bool marked = without_mark(rec->raw).n < rec->raw.n;
    if (marked) note(l, CSV_SIGN_BOM, rec);
    if ((marked || csv_look_begins_alike(l, fields)) && l->header.p && is_header(l, rec)) note(l, CSV_SIGN_HEADER, rec);
    if (rec->fault) return;
    if (l->has_cr && has_cr_at_end(fields, stored, l->r->dialect.escape)) note(l, CSV_SIGN_CR, rec);
    if (l->has_quote) look_at_quoted(l, rec, fields, stored);
    if (end > l->backslash) look_at_backslashes(l, rec, fields, stored);
    if (sample) look_at_sample(l, rec, fields, stored);
}
