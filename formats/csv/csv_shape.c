/* Checks that a record has the fields that are mapped; and says why it has not, as its author may have meant it: cut at another
 * byte, or with other quotes. */
#include "formats/csv/csv.h"
#include "formats/csv/csv_shape.h"
#include "formats/text/text_hint.h"

/* Returns whether all of it is this byte. */
static bool is_all(struct bytes text, uint8_t byte) {
    return text.n && text.p[0] == byte && !memcmp(text.p, text.p + 1, text.n - 1);
}

/* Returns whether the author meant this byte as a quote: a field begins with it, and a later one ends with it. */
static bool is_cut_in_quotes(const struct csv_reader *r, struct bytes raw, uint8_t quote) {
    const struct bytes d = dialect_delimiter(&r->dialect);
    bool open = false;
    for (size_t at = 0; at < raw.n;) {
        const uint8_t *stop = memmem(raw.p + at, raw.n - at, d.p, d.n);
        const size_t n = (stop ? (size_t)(stop - raw.p) : raw.n) - at;
        const bool begins = n && raw.p[at] == quote, closes = n && raw.p[at + n - 1] == quote && (n > 1 || !begins);
        if (open && closes && !begins) return true;
        open = (open && !closes) || (begins && !closes);
        at += n + d.n;
    }
    return false;
}

/* Returns what else than its fields is wrong with a record; "" where nothing shows. */
static const char *hint_bytes(const struct csv_reader *r, struct bytes raw) {
    const int quote = r->dialect.quote;
    const bool lone_cr = r->dialect.lines != DIALECT_LINES_ANY && raw.n && memchr(raw.p, '\r', raw.n - 1);
    if (is_all(raw, 0)) return "; it consists of NUL bytes, as where a file was not written to its end, or is damaged";
    if (is_all(raw, 0x1a)) return "; it is Ctrl-Z, the end mark of DOS: remove it (tr -d '\\032')";
    if (lone_cr && !memchr(raw.p, '\n', raw.n)) return "; it holds CR: if that ends lines, give lines=any in the dialect";
    if (quote != '"' && is_cut_in_quotes(r, raw, '"')) return "; are fields in quotes? Give quote=\" in the dialect";
    if (quote != '\'' && is_cut_in_quotes(r, raw, '\'')) return "; are fields in quotes? Give quote=' in the dialect";
    return text_hint_json(raw);
}

/* A record of one field may have been cut at another byte than the one that its author meant; so may one whose closing quote is
 * followed by a byte that delimits elsewhere. */
static const char *guess_delimiter(const struct csv_reader *r, const struct csv_record *rec, size_t least,
                                   char out[TEXT_GUESS_BYTES]) {
    const char *other = rec->fault ? text_hint_json(rec->raw) : hint_bytes(r, rec->raw);
    out[0] = 0;
    if (*other) return other;
    if (rec->fault == CSV_AFTER_QUOTE) return text_guess_delimiter(bytes_of(rec->fault_at, 1), 2, r->mapped != NULL, out);
    return rec->n_fields == 1 ? text_guess_delimiter(rec->raw, least, r->mapped != NULL, out) : out;
}

/* Guesses what is wrong with quotes by the byte after the closing one, and the one before it. */
static const char *guess_quotes(const struct csv_reader *r, const struct csv_record *rec, char guess[TEXT_GUESS_BYTES]) {
    const uint8_t *after = rec->fault_at, *end = rec->raw.p + rec->raw.n;
    const char *other = guess_delimiter(r, rec, 2, guess);
    if (*other) return other;
    if (after - rec->raw.p > 2 && after[-2] == '\\') return "; a backslash does not escape a quote here, a second quote does";
    while (after < end && *after == ' ') after++;
    if (after == end || csv_begins_with(dialect_delimiter(&r->dialect), bytes_of(after, (size_t)(end - after))))
        return "; remove the blanks after it";
    return r->mapped ? "; give \"quote\": null in the mapping if quotes are ordinary bytes"
                     : "; give --quote none if quotes are ordinary bytes, or escape=\\ in --dialect if backslashes escape them";
}

/* Counts lines, with one that does not end. */
static uint64_t count_begun_lines(struct bytes text, bool cr_ends) {
    const uint8_t last = text.n ? text.p[text.n - 1] : '\n';
    return text_count_lines(text, cr_ends) + !(last == '\n' || (cr_ends && last == '\r'));
}

/* line: of the record; 0 = not known. */
static bool bad_quote(const struct csv_reader *r, const struct csv_record *rec, uint64_t line, struct reason *why) {
    const uint32_t column = (uint32_t)rec->fault_field + 1;
    if (rec->fault == CSV_NOT_ENDED) return text_why(why, column, "the record does not end with the delimiter");
    const char *const what = rec->fault == CSV_OPEN_QUOTE ? "a quote is never closed" : "text after the closing quote";
    const struct bytes before = bytes_of(rec->raw.p, (size_t)(rec->fault_at - rec->raw.p));
    const uint64_t here = line + text_count_lines(before, csv_cr_ends(&r->dialect));
    char guess[TEXT_GUESS_BYTES];
    const unsigned long long inside = count_begun_lines(rec->raw, csv_cr_ends(&r->dialect));
    if (rec->fault == CSV_OPEN_QUOTE && line && inside > 1)
        return text_why(why, column,
                        "the quote opened in line %llu is never closed: all %llu lines to the end are in this record",
                        (unsigned long long)here, inside);
    if (rec->fault == CSV_OPEN_QUOTE && line)
        return text_why(why, column, "the quote opened in line %llu is never closed", (unsigned long long)here);
    if (rec->fault == CSV_OPEN_QUOTE) return text_why(why, column, "%s", what);
    if (!line || here == line) return text_why(why, column, "%s%s", what, guess_quotes(r, rec, guess));
    return text_why(why, column, "%s, in line %llu%s", what, (unsigned long long)here, guess_quotes(r, rec, guess));
}

static const char hint_trailing[] =
    "; the line ends with the delimiter: give --dialect csv,trailing=yes or trailing=any, or add - "
    "to --columns";

/* Returns whether all fields after the last column are empty. */
static bool ends_empty(const struct csv_reader *r, const struct csv_record *rec) {
    const struct bytes d = dialect_delimiter(&r->dialect);
    struct bytes raw = rec->raw;
    for (size_t more = rec->n_fields - r->map.n_columns; more; more--, raw.n -= d.n)
        if (raw.n < d.n || memcmp(raw.p + raw.n - d.n, d.p, d.n) != 0) return false;
    return true;
}

/* "1,Ann,x": its only field holds delimiters enough. */
static bool is_in_one_pair(const struct csv_reader *r, const struct csv_record *rec, const struct csv_field *fields) {
    const uint64_t n = 1 + csv_count(dialect_delimiter(&r->dialect), bytes_of(fields->p, fields->n));
    return rec->n_fields == 1 && fields->quoted && n >= r->map.n_columns && n > 1;
}

bool csv_shape_fits(const struct csv_reader *r, struct csv_record *rec) {
    if (rec->n_used && rec->n_fields > r->map.n_columns)
        rec->n_fields = rec->n_used > r->map.n_columns ? rec->n_used : r->map.n_columns;
    const size_t n = rec->n_fields;
    if (rec->fault || (n > r->map.n_columns && !r->open_ended) || n < r->map.needed) return false;
    return !(r->strict && n < r->map.n_columns) && !(n == 1 && !r->mapped && r->map.n_columns > 1);
}

bool csv_shape_why(const struct csv_reader *r, const struct csv_record *rec, const struct csv_field *fields, uint64_t line,
                   struct reason *why) {
    char guess[TEXT_GUESS_BYTES];
    if (rec->fault) return bad_quote(r, rec, line, why);
    if (rec->n_fields > r->map.n_columns)
        return text_why(why, r->map.n_columns + 1, "%zu fields, but %u column%s mapped%s", rec->n_fields, r->map.n_columns,
                        r->map.n_columns == 1 ? " is" : "s are", ends_empty(r, rec) ? hint_trailing : hint_bytes(r, rec->raw));
    if (is_in_one_pair(r, rec, fields))
        return text_why(why, 0, "the whole record is in one pair of quotes; remove it (sed 's/^\"//; s/\"$//; s/\"\"/\"/g')");
    if (r->strict && rec->n_fields < r->map.n_columns)
        return text_why(why, 0, "%zu field%s, but %u columns are mapped%s", rec->n_fields, rec->n_fields == 1 ? "" : "s",
                        r->map.n_columns, guess_delimiter(r, rec, r->map.n_columns, guess));
    if (rec->n_fields == 1 && !r->mapped) return text_why(why, 0, "no delimiter%s", guess_delimiter(r, rec, 2, guess));
    return text_why(why, 0, "%zu field%s, but column %u is needed%s", rec->n_fields, rec->n_fields == 1 ? "" : "s", r->map.needed,
                    guess_delimiter(r, rec, r->map.needed, guess));
}
