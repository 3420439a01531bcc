/* Splits text of dialects that csv_scan.c's masks do not know: delimiters of several bytes, escapes, blanks around fields, lines
 * that are no records, line ends of one kind alone. A byte at a time, by a table of what each byte may begin.
 *
 * An escape and the byte after it are content, whatever the byte is: a delimiter, a quote, a line end. Fields are cut here and
 * decoded by csv_unescape. t_dialect.c compares with a naive parser, fuzz_dialect.c with csv_scan.c where both read a dialect. */
#include "formats/csv/csv.h"
#include "formats/csv/csv_general.h"

enum { PLAIN, LINE_END, DELIMITER, ESCAPE };

void csv_general_init(struct csv_scan *s, const struct dialect *d) {
    s->dialect = d;
    memset(s->kinds, PLAIN, sizeof s->kinds);
    if (d->lines != DIALECT_LINES_CRLF) s->kinds['\n'] = LINE_END;
    if (d->lines == DIALECT_LINES_ANY || d->lines == DIALECT_LINES_CRLF) s->kinds['\r'] = LINE_END;
    s->kinds[d->delimiter[0]] = DELIMITER;
    if (d->escape >= 0) s->kinds[d->escape] = ESCAPE;
}

static bool begins_delimiter(const struct csv_scan *s, const uint8_t *p) {
    const struct dialect *d = s->dialect;
    return (size_t)(s->end - p) >= d->n_delimiter && !memcmp(p, d->delimiter, d->n_delimiter);
}

/* CRLF alone: a CR without an LF is content. */
static bool begins_line_end(const struct csv_scan *s, const uint8_t *p) {
    return s->dialect->lines != DIALECT_LINES_CRLF || (p + 1 < s->end && p[1] == '\n');
}

static bool is_blank(const struct csv_scan *s, uint8_t c) {
    return (c == ' ' || c == '\t') && !memchr(s->dialect->delimiter, c, s->dialect->n_delimiter);
}

/* Moves from p on to a delimiter, a line end or the end; *hold: after the last escaped byte, which is never cut off as blank or
 * CR. */
static const uint8_t *find_end(const struct csv_scan *s, const uint8_t *p, const uint8_t **hold, bool *escaped) {
    for (;;) {
        while (p < s->end && s->kinds[*p] == PLAIN) p++;
        if (p == s->end) return p;
        if (s->kinds[*p] == ESCAPE) {
            *escaped = true;
            p += p + 1 < s->end ? 2 : 1;
            *hold = p;
        } else if (s->kinds[*p] == DELIMITER ? begins_delimiter(s, p) : begins_line_end(s, p)) {
            return p;
        } else {
            p++;
        }
    }
}

/* The quote that closes the field whose content begins at p; NULL: none does. */
static const uint8_t *find_closing(const struct csv_scan *s, const uint8_t *p, struct csv_field *f) {
    const int quote = s->dialect->quote, escape = s->dialect->escape;
    for (; p < s->end; p++) {
        if (*p == escape && escape != quote) {
            f->escaped = true;
            p++;
        } else if (*p == quote) {
            if (p + 1 == s->end || p[1] != quote) return p;
            f->doubled = true;
            p++;
        }
    }
    return NULL;
}

static void set_fault(struct csv_record *r, enum csv_fault fault, const uint8_t *at) {
    if (r->fault) return;
    r->fault = fault;
    r->fault_field = r->n_fields;
    r->fault_at = at;
}

/* Returns whether nothing that counts is left between the closing quote and the end of the field: blanks with trim, and the CR of
 * CRLF, do not. */
static bool is_rest(const struct csv_scan *s, const uint8_t *q, const uint8_t *e) {
    while (s->dialect->trim && q < e && is_blank(s, *q)) q++;
    const bool crlf = e == q + 1 && *q == '\r' && s->dialect->lines != DIALECT_LINES_LF && (e == s->end || *e == '\n');
    return q == e || crlf;
}

static const uint8_t *take_quoted(const struct csv_scan *s, const uint8_t *p, struct csv_field *f, struct csv_record *r) {
    bool escaped = false;
    *f = (struct csv_field){.p = p + 1, .quoted = true};
    const uint8_t *q = find_closing(s, f->p, f), *hold = q;
    r->doubled |= f->doubled || f->escaped;
    if (!q) {
        set_fault(r, CSV_OPEN_QUOTE, p);
        f->n = (size_t)(s->end - f->p);
        return s->end;
    }
    f->n = (size_t)(q - f->p);
    const uint8_t *e = find_end(s, q + 1, &hold, &escaped);
    if (!is_rest(s, q + 1, e)) set_fault(r, CSV_AFTER_QUOTE, q + 1);
    return e;
}

/* Takes a plain field, without the CR of a CRLF, and without blanks at its end. */
static const uint8_t *take_plain(const struct csv_scan *s, const uint8_t *p, struct csv_field *f, struct csv_record *r) {
    const uint8_t *hold = p, *e, *stop;
    *f = (struct csv_field){.p = p};
    stop = e = find_end(s, p, &hold, &f->escaped);
    r->doubled |= f->escaped;
    const bool ends_line = e == s->end || *e == '\n';
    if (ends_line && s->dialect->lines != DIALECT_LINES_LF && stop > hold && stop[-1] == '\r') stop--;
    while (s->dialect->trim && stop > hold && is_blank(s, stop[-1])) stop--;
    f->n = (size_t)(stop - p);
    return e;
}

/* The line end at e, or none at the end of data. */
static void end_record(struct csv_scan *s, const uint8_t *e, const struct csv_field *last, struct csv_record *r) {
    const uint8_t *start = s->at, *stop = e;
    const bool cr = e < s->end && *e == '\r', open = last->quoted && last->p + last->n == stop;
    s->at = e < s->end ? e + 1 : e;
    if (cr && s->at < s->end && *s->at == '\n') s->at++;
    r->complete = e < s->end && !(cr && s->at == s->end); /* an LF may follow in bytes not seen yet */
    const bool content =
        s->dialect->lines == DIALECT_LINES_LF || open || (last->escaped && !last->quoted && last->p + last->n == stop);
    if (stop > start && stop[-1] == '\r' && !cr && !content) stop--;
    r->raw = bytes_of(start, (size_t)(stop - start));
}

/* A line that is no record ends at its line end, whatever is in it. */
static void take_comment(struct csv_scan *s, struct csv_record *r) {
    const struct csv_field none = {.p = s->end, .n = 1};
    const uint8_t *e = s->at;
    while (e < s->end && !(s->kinds[*e] == LINE_END && begins_line_end(s, e))) e++;
    end_record(s, e, &none, r);
    r->passed = true;
}

/* One delimiter ends the record, or none of its empty fields at the end is one. */
static void end_fields(struct csv_scan *s, size_t used, const struct csv_field *last, struct csv_record *r) {
    if (s->dialect->trailing == DIALECT_TRAILING_ANY) {
        r->passed = !used && !r->fault;
        r->n_used = used ? used : 1;
    }
    if (s->dialect->trailing == DIALECT_TRAILING_YES) csv_end_trailing(r, last);
}

bool csv_general_record(struct csv_scan *s, struct csv_field *fields, size_t max, struct csv_record *r) {
    const uint8_t *p = s->at;
    size_t used = 0;
    if (p == s->end) return false;
    *r = (struct csv_record){0};
    if (s->dialect->comments.n && dialect_begins(&s->dialect->comments, bytes_of(p, (size_t)(s->end - p)))) {
        take_comment(s, r);
        return true;
    }
    for (;;) {
        struct csv_field spare, *f = r->n_fields < max ? &fields[r->n_fields] : &spare;
        while (s->dialect->trim && p < s->end && is_blank(s, *p)) p++;
        const bool quoted = p < s->end && *p == s->dialect->quote;
        const uint8_t *e = quoted ? take_quoted(s, p, f, r) : take_plain(s, p, f, r);
        r->n_fields++;
        if (f->n || f->quoted) used = r->n_fields;
        if (e == s->end || s->kinds[*e] == LINE_END) {
            const struct csv_field last = *f;
            end_record(s, e, &last, r);
            end_fields(s, used, &last, r);
            return true;
        }
        p = e + s->dialect->n_delimiter;
    }
}

/* ---- decoding ---- */

static int digit_of(uint8_t c, int base) {
    int v = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : base;
    return v < base ? v : -1;
}

/* Digits of the base, at most so many, from *p on: as a byte. */
static uint8_t take_digits(const uint8_t **p, const uint8_t *end, int base, int most) {
    unsigned v = 0;
    for (int i = 0; i < most && *p < end && digit_of(**p, base) >= 0; i++)
        v = v * (unsigned)base + (unsigned)digit_of(*(*p)++, base);
    return (uint8_t)v;
}

/* Returns the byte that the bytes from *p on, after an escape, stand for, and moves *p past them. */
static uint8_t decode(enum dialect_escapes escapes, const uint8_t **p, const uint8_t *end) {
    static const struct {
        const char *letters, *meant;
    } sets[] = {[DIALECT_ESCAPES_MYSQL] = {"0bnrtZ", "\0\b\n\r\t\032"},
                [DIALECT_ESCAPES_POSTGRES] = {"bfnrtv", "\b\f\n\r\t\v"},
                [DIALECT_ESCAPES_HIVE] = {"nr", "\n\r"}};
    if (escapes == DIALECT_ESCAPES_POSTGRES) {
        if (digit_of(**p, 8) >= 0) return take_digits(p, end, 8, 3);
        if (**p == 'x' && *p + 1 < end && digit_of((*p)[1], 16) >= 0) {
            ++*p;
            return take_digits(p, end, 16, 2);
        }
    }
    const uint8_t c = *(*p)++;
    const char *at = c ? strchr(sets[escapes].letters, c) : NULL;
    return at ? (uint8_t)sets[escapes].meant[at - sets[escapes].letters] : c;
}

size_t csv_unescape(uint8_t *out, const struct csv_field *f, const struct dialect *d) {
    const uint8_t *p = f->p, *end = p + f->n;
    size_t n = 0;
    while (p < end) {
        const uint8_t c = *p++;
        if (c == d->escape && p < end) {
            out[n++] = decode(d->escapes, &p, end);
            continue;
        }
        out[n++] = c;
        if (f->quoted && c == d->quote && p < end && *p == c) p++;
    }
    return n;
}
