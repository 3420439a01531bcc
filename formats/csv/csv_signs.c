/* Judges what csv_look.c has counted in an input, when all of it has been parsed: what single records show counts at once,
 * what is a matter of proportion where most of the sample agrees. All of it is only warned of, as data may look like that, too;
 * an option that says what the records are ends the warning. */
#include "formats/csv/csv_signs.h"
#include "formats/text/text_hint.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const uint8_t csv_rival_bytes[CSV_RIVALS] = {';', '|', '\t'};

enum { PLACE_BYTES = PATH_MAX + 64, LINE_BYTES = PATH_MAX + 700 };

struct csv_signs_sum *csv_signs_new(struct err *err) {
    struct csv_signs_sum *s = calloc(1, sizeof *s);
    if (!s) {
        err_nomem(err, sizeof *s, "signs of mistakes in a text");
        return NULL;
    }
    pthread_mutex_init(&s->lock, NULL);
    csv_signs_clear(&s->signs);
    return s;
}

void csv_signs_free(struct csv_signs_sum *s) {
    if (!s) return;
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void csv_signs_clear(struct csv_signs *s) {
    *s = (struct csv_signs){.cuts_least = UINT64_MAX};
    for (size_t i = 0; i < CSV_RIVALS; i++) s->rivals[i].least = UINT64_MAX;
}

/* ---- adding up ---- */

static uint64_t lesser(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t greater(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Copies what a sign notes about the first record that shows it. */
static void take_first(struct csv_signs *sum, const struct csv_signs *s, enum csv_sign sign) {
    if (sign == CSV_SIGN_JOINED) {
        sum->joined_lines = s->joined_lines;
        sum->joined_marks = s->joined_marks;
    }
    if (sign == CSV_SIGN_ESCAPE) sum->escape = s->escape;
    if (sign == CSV_SIGN_QUOTES) {
        sum->quote = s->quote;
        sum->quote_after_blank = s->quote_after_blank;
    }
}

static void add(struct csv_signs *sum, const struct csv_signs *s, const struct chunk *c, bool cr_ends) {
    for (unsigned i = 0; i < CSV_SIGNS; i++) {
        struct csv_sign_count *to = &sum->of[i];
        const struct csv_sign_count *from = &s->of[i];
        if (from->n && (!to->n || from->at < to->at)) {
            const struct bytes before = bytes_of(c->data.p, (size_t)(from->at - c->offset));
            to->at = from->at;
            to->line = c->line ? c->line + text_count_lines(before, cr_ends) : 0;
            take_first(sum, s, (enum csv_sign)i);
        }
        to->n += from->n;
    }
    sum->spans += s->spans;
    sum->joined_most = greater(sum->joined_most, s->joined_most);
    sum->other_escapes += s->other_escapes;
    sum->surely_quoted |= s->surely_quoted;
    sum->sampled += s->sampled;
    sum->headers += s->headers;
    sum->plain += s->plain;
    sum->in_quotes += s->in_quotes;
    sum->decimals += s->decimals;
    sum->cuts_least = lesser(sum->cuts_least, s->cuts_least);
    sum->cuts_most = greater(sum->cuts_most, s->cuts_most);
    for (size_t i = 0; i < CSV_RIVALS; i++) {
        sum->rivals[i].least = lesser(sum->rivals[i].least, s->rivals[i].least);
        sum->rivals[i].most = greater(sum->rivals[i].most, s->rivals[i].most);
        sum->rivals[i].apart += s->rivals[i].apart;
    }
}

void csv_signs_add(struct csv_signs_sum *sum, const struct csv_signs *s, const struct chunk *c, bool cr_ends) {
    pthread_mutex_lock(&sum->lock);
    add(&sum->signs, s, c, cr_ends);
    pthread_mutex_unlock(&sum->lock);
}

/* ---- judging ---- */

struct judged {
    const struct csv_reader *r;
    const struct csv_signs *s;
    struct buf *warnings;
    struct err *err;
};

/* "FILE:LINE", or the byte where the line is not known. */
static void print_place(const struct judged *j, const struct csv_sign_count *c, char out[PLACE_BYTES]) {
    const char *path = instream_path(j->r->base.text.in);
    if (c->line)
        snprintf(out, PLACE_BYTES, "%s:%llu", path, (unsigned long long)c->line);
    else
        snprintf(out, PLACE_BYTES, "%s, byte %llu", path, (unsigned long long)c->at);
}

__attribute__((format(printf, 4, 5))) static int warn(const struct judged *j, enum warning code, enum csv_sign sign,
                                                      const char *fmt, ...) {
    const struct csv_sign_count *c = &j->s->of[sign];
    char place[PLACE_BYTES], text[LINE_BYTES];
    va_list ap;
    print_place(j, c, place);
    const int n = snprintf(text, sizeof text, "%s: ", place);
    va_start(ap, fmt);
    vsnprintf(text + n, sizeof text - (size_t)n, fmt, ap);
    va_end(ap);
    return text_warn_into(j->warnings, code, c->n, text, j->err);
}

static unsigned long long count_of(const struct judged *j, enum csv_sign sign) {
    return j->s->of[sign].n;
}

/* Returns whether line ends are given, by somebody, not by the name of a dialect, and so that any other CR is content: a file may
 * have been converted since. */
static bool line_ends_are_said(const struct dialect *d) {
    return dialect_says(d, DIALECT_LINES) && (d->lines == DIALECT_LINES_LF || d->lines == DIALECT_LINES_CRLF);
}

static int judge_records(const struct judged *j) {
    const unsigned long long headers = count_of(j, CSV_SIGN_HEADER), marks = count_of(j, CSV_SIGN_BOM),
                             returns = count_of(j, CSV_SIGN_CR);
    if (headers &&
        warn(j, WARN_HEADER, CSV_SIGN_HEADER,
             "%llu record%s equal to the header, as where files were joined, and %s read as data; give the files one by "
             "one, or remove such lines but the first",
             headers, headers == 1 ? " is" : "s are", headers == 1 ? "is" : "are"))
        return -1;
    if (marks &&
        warn(j, WARN_MARK_INSIDE, CSV_SIGN_BOM,
             "%llu record%s with a byte order mark, as where files were joined: it becomes part of the first field; give "
             "the files one by one, or remove it (sed 's/^\\xef\\xbb\\xbf//')",
             marks, marks == 1 ? " begins" : "s begin"))
        return -1;
    if (!returns || line_ends_are_said(&j->r->dialect)) return 0;
    return warn(j, WARN_CR_KEPT, CSV_SIGN_CR,
                "values of %llu record%s end with CR, which becomes part of them; convert the line ends (tr -d '\\r') if it does "
                "not belong to them%s",
                returns, returns == 1 ? "" : "s",
                j->r->dialect.lines == DIALECT_LINES_LF ? ", or give lines=lf in the dialect if it does" : "");
}

/* Text of several lines may look like records by chance, but not most of it, and not over many lines. */
static int judge_joined(const struct judged *j) {
    enum { MANY = 32 };
    const unsigned long long n = count_of(j, CSV_SIGN_JOINED);
    if (!n || (2 * n <= j->s->spans && j->s->joined_most < MANY)) return 0;
    return warn(j, WARN_LINES_JOINED, CSV_SIGN_JOINED,
                "a quoted field spans %llu lines and holds %llu delimiters, as if it were records (%llu such record%s): a stray "
                "quote joins lines; correct it, or give %s if quotes are ordinary bytes",
                (unsigned long long)j->s->joined_lines, (unsigned long long)j->s->joined_marks, n, n == 1 ? "" : "s",
                j->r->source ? "\"quote\": null in the mapping" : "--quote none");
}

static int judge_nulls(const struct judged *j) {
    const unsigned long long words = count_of(j, CSV_SIGN_NULL_WORD);
    if (j->r->source || dialect_says(&j->r->dialect, DIALECT_NULL) || j->r->n_nulls) return 0;
    if (count_of(j, CSV_SIGN_NULL) &&
        warn(j, WARN_NULL_TEXT, CSV_SIGN_NULL,
             "a field is \\N, as MySQL and Hive write NULL, and becomes a value of two bytes; give --null '\\N'"))
        return -1;
    if (!words) return 0;
    return warn(
        j, WARN_NULL_TEXT, CSV_SIGN_NULL_WORD,
        "a field is NULL, without quotes, in %llu of %llu record%s sampled, and becomes a value of four bytes; give --null "
        "NULL",
        words, (unsigned long long)j->s->sampled, j->s->sampled == 1 ? "" : "s");
}

/* Text that a database has escaped has backslashes nowhere else. */
static int judge_escapes(const struct judged *j) {
    enum { FEW = 20 };
    const unsigned long long n = count_of(j, CSV_SIGN_ESCAPE);
    if (dialect_says(&j->r->dialect, DIALECT_ESCAPE) || j->r->dialect.escape >= 0) return 0;
    if (!n || j->s->other_escapes > n / FEW) return 0;
    return warn(
        j, WARN_ESCAPES_KEPT, CSV_SIGN_ESCAPE,
        "fields of %llu record%s hold backslash escapes, as MySQL, PostgreSQL and Hive write them for line ends, delimiters "
        "and backslashes: they are not decoded; give %s, or escape=none if they are no escapes",
        n, n == 1 ? "" : "s", j->r->source ? "\"dialect\" in the mapping" : "--dialect mysql, postgres or hive");
}

/* ---- what is a matter of proportion ---- */

static bool quote_was_chosen(const struct csv_reader *r) {
    return dialect_says(&r->dialect, DIALECT_QUOTE) && r->dialect.quote < 0;
}

static int judge_quotes(const struct judged *j) {
    const struct csv_signs *s = j->s;
    const unsigned long long n = count_of(j, CSV_SIGN_QUOTES);
    const bool own = s->quote == j->r->dialect.quote, double_quote = s->quote == '"', mapped = j->r->source != NULL;
    if (!n || quote_was_chosen(j->r) || (!s->surely_quoted && n <= s->plain)) return 0;
    if (!double_quote && !own && s->in_quotes > n) return 0; /* the text has other quotes */
    const char *remedy = own            ? "remove the blanks before quotes, as --dialect csv,trim=yes does"
                         : mapped       ? double_quote ? "give \"quote\": \"\\\"\" in the mapping, or null if it belongs to them"
                                                       : "give \"quote\": \"'\" in the mapping, or null if it belongs to them"
                         : double_quote ? "give --quote '\"', or --quote none if it belongs to them"
                                        : "give --quote \"'\", or --quote none if it belongs to them";
    return warn(j, WARN_QUOTES_KEPT, CSV_SIGN_QUOTES,
                "fields begin %sand end with %c, which becomes part of keys and values, as in %llu of %llu record%s sampled; %s",
                s->quote_after_blank ? "(after blanks) " : "", s->quote, n, (unsigned long long)s->sampled,
                s->sampled == 1 ? "" : "s", remedy);
}

/* Each record has this byte as often as the others, and so has the header; or, where there is none, it is in several fields, or
 * it is a semicolon and all commas stand between digits, as in 1,5. A key of parts (a|b) is not like that. */
static bool is_rival(const struct judged *j, size_t i, uint64_t records) {
    const struct csv_rival *v = &j->s->rivals[i];
    if (!v->most || v->least != v->most) return false;
    if (j->r->header.n) return csv_count(bytes_of(&csv_rival_bytes[i], 1), buf_bytes(&j->r->header)) == v->most;
    return v->apart == records || (csv_rival_bytes[i] == ';' && j->s->decimals == records);
}

static int judge_delimiter(const struct judged *j) {
    enum { FEWEST = 3 };
    const struct csv_signs *s = j->s;
    const uint64_t records = s->sampled - s->headers;
    const bool given = dialect_says(&j->r->dialect, DIALECT_DELIMITER) || dialect_is_named(&j->r->dialect);
    if (given || !bytes_eq(dialect_delimiter(&j->r->dialect), bytes_str(",")) || s->in_quotes || records < FEWEST) return 0;
    for (size_t i = 0; i < CSV_RIVALS; i++) {
        char guess[TEXT_GUESS_BYTES];
        const uint8_t byte = csv_rival_bytes[i];
        if (!is_rival(j, i, records)) continue;
        text_guess_delimiter(bytes_of(&byte, 1), 2, j->r->source != NULL, guess);
        return warn(j, WARN_DELIMITER, CSV_SIGN_DELIMITER,
                    "each of %llu sampled records was cut at ',', but holds %s %llu time%s%s", (unsigned long long)records,
                    byte == '\t'  ? "TAB"
                    : byte == ';' ? "';'"
                                  : "'|'",
                    (unsigned long long)s->rivals[i].most, s->rivals[i].most == 1 ? "" : "s", guess);
    }
    return 0;
}

/* Cut alike inside of the quotes. One comma is in many names; then the header must have it, too. */
static int judge_wrapped(const struct judged *j) {
    const struct csv_signs *s = j->s;
    const unsigned long long n = count_of(j, CSV_SIGN_WRAPPED);
    const uint64_t in_header = csv_count(dialect_delimiter(&j->r->dialect), buf_bytes(&j->r->header));
    if (2 * n <= s->sampled || s->cuts_least != s->cuts_most || quote_was_chosen(j->r)) return 0;
    if (j->r->header.n ? in_header != s->cuts_most : s->cuts_most < 2) return 0;
    return warn(j, WARN_RECORD_IN_QUOTES, CSV_SIGN_WRAPPED,
                "%llu of %llu record%s sampled stand%s in one pair of quotes as a whole; remove it (sed 's/^\"//; s/\"$//; "
                "s/\"\"/\"/g')",
                n, (unsigned long long)s->sampled, s->sampled == 1 ? "" : "s", s->sampled == 1 ? "s" : "");
}

static int judge_wide(const struct judged *j) {
    const unsigned long long n = count_of(j, CSV_SIGN_WIDE);
    return n ? warn(j, WARN_UTF_16, CSV_SIGN_WIDE,
                    "every second byte of %llu record%s is NUL: text in UTF-16; convert it (iconv -f UTF-16LE -t UTF-8, or "
                    "UTF-16BE)",
                    n, n == 1 ? "" : "s")
             : 0;
}

static int judge_dates(const struct judged *j) {
    int rc = 0;
    for (int i = 0; !rc && i < 2; i++) {
        const unsigned long long n = count_of(j, CSV_SIGN_SKIPPED + i);
        const char *s = n == 1 ? "" : "s";
        if (n && i) rc = warn(j, WARN_CLOCK_CHANGE, CSV_SIGN_REPEATED, TEXT_HOUR_REPEATED, n, s);
        if (n && !i) rc = warn(j, WARN_CLOCK_CHANGE, CSV_SIGN_SKIPPED, TEXT_HOUR_SKIPPED, n, s);
    }
    return rc;
}

int csv_signs_judge(const struct csv_reader *r, struct err *err) {
    const struct judged j = {r, &r->signs->signs, r->warnings, err};
    return judge_records(&j) || judge_joined(&j) || judge_nulls(&j) || judge_escapes(&j) || judge_quotes(&j) ||
                   judge_delimiter(&j) || judge_wrapped(&j) || judge_wide(&j) || judge_dates(&j)
               ? -1
               : 0;
}
