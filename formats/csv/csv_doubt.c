/* Fields at the beginning of a file that are perhaps not meant as they are read: nulls as MySQL and Hive write them, and quotes
 * where none are expected. They would become values, or part of them. It is only warned of, as data may look like that, too;
 * an option that says what they are ends the warning. Later parts of a file are not searched, so it costs next to nothing. */
#include "formats/csv/csv.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* A field that is \N and nothing else would become a value of two bytes. Mappings may have their own way with it. */
static int doubt_null_text(const struct csv_reader *r, const struct read_opts *o, struct bytes head, struct err *err) {
    char line[PATH_MAX + 200];
    if (r->source || r->n_nulls) return 0;
    for (const uint8_t *at = head.p, *end = head.p + head.n; (at = memmem(at, (size_t)(end - at), "\\N", 2)); at += 2) {
        const bool begins = at == head.p || at[-1] == r->dialect.delimiter[0] || at[-1] == '\n';
        const bool ends =
            at + 2 == end ? head.n < CSV_HEADER_MAX_BYTES : at[2] == r->dialect.delimiter[0] || at[2] == '\n' || at[2] == '\r';
        if (!begins || !ends) continue;
        snprintf(line, sizeof line,
                 "%s: a field is \\N, as MySQL and Hive write NULL, and becomes a value of two bytes; give --null '\\N'",
                 instream_path(r->base.text.in));
        return text_warn_once(o, WARN_NULL_TEXT, line, err);
    }
    return 0;
}

/* ---- quotes ---- */

/* What programs that quote text leave as it is: numbers, times, nulls, empty fields. */
static bool is_never_quoted(struct bytes f) {
    size_t digits = 0;
    if (!f.n || bytes_eq(f, bytes_str("\\N")) || bytes_eq(f, bytes_str("NULL"))) return true;
    for (size_t i = 0; i < f.n; i++) {
        if (!memchr("0123456789+-.:/ TZeE", f.p[i], 20)) return false;
        digits += f.p[i] >= '0' && f.p[i] <= '9';
    }
    return digits > 0;
}

static bool is_wrapped(struct bytes f) {
    return f.n > 1 && f.p[0] == '"' && f.p[f.n - 1] == '"';
}

/* Quotes inside are all doubled, and there are some: nothing else but such files has that. */
static bool holds_doubled(struct bytes f) {
    size_t pairs = 0;
    for (size_t i = 1; i + 1 < f.n; i++) {
        if (f.p[i] != '"') continue;
        if (i + 2 >= f.n || f.p[i + 1] != '"') return false;
        pairs++;
        i++;
    }
    return pairs > 0;
}

enum looks { NEITHER, PLAIN, QUOTED, SURELY_QUOTED };

/* Quoted: all fields but those that are never quoted are wrapped. A column of JSON strings beside a key of text is not. */
static enum looks look_at(const struct csv_field *fields, size_t n) {
    enum looks looks = NEITHER;
    for (size_t i = 0; i < n; i++) {
        const struct bytes f = bytes_of(fields[i].p, fields[i].n);
        const bool wrapped = is_wrapped(f);
        if (wrapped && holds_doubled(f)) return SURELY_QUOTED;
        if (!wrapped && !is_never_quoted(f)) looks = PLAIN;
        if (wrapped && looks == NEITHER) looks = QUOTED;
    }
    return looks;
}

struct quoted {
    uint64_t records, n, plain, first_line; /* n: of the records, those that look quoted; plain: without a header */
    bool surely;
};

static struct quoted count_quoted(const struct csv_reader *r, struct csv_field *fields, struct bytes head) {
    struct quoted q = {0};
    struct csv_record rec;
    struct csv_scan s;
    csv_scan_init(&s, &r->dialect, head);
    while (csv_scan_record(&s, fields, CSV_HEADER_MAX_FIELDS, &rec) && (rec.complete || head.n < CSV_HEADER_MAX_BYTES)) {
        if (csv_is_passed(&rec)) continue;
        size_t n = rec.n_fields < CSV_HEADER_MAX_FIELDS ? rec.n_fields : CSV_HEADER_MAX_FIELDS;
        enum looks looks = look_at(fields, n);
        q.records++;
        q.surely |= looks == SURELY_QUOTED;
        q.plain += looks == PLAIN && !(r->header.n && q.records == 1);
        if (looks < QUOTED || q.n++) continue;
        q.first_line = 1 + text_count_lines(bytes_of(head.p, (size_t)(rec.raw.p - head.p)), csv_cr_ends(&r->dialect));
    }
    return q;
}

/* By a quote that the dialect does not have, though nobody said so. */
static int doubt_quotes(const struct csv_reader *r, const struct read_opts *o, struct csv_field *fields, struct bytes head,
                        struct err *err) {
    char line[PATH_MAX + 300];
    if (dialect_says(&r->dialect, DIALECT_QUOTE) || r->dialect.quote == '"' || !memchr(head.p, '"', head.n)) return 0;
    const struct quoted q = count_quoted(r, fields, head);
    if (!q.surely && q.n <= q.plain) return 0;
    snprintf(
        line, sizeof line,
        "%s:%llu: fields begin and end with \", which becomes part of keys and values, as in %llu of the first %llu record%s; "
        "give %s if it belongs to them",
        instream_path(r->base.text.in), (unsigned long long)q.first_line, (unsigned long long)q.n, (unsigned long long)q.records,
        q.records == 1 ? "" : "s", r->source ? "\"quote\": \"\\\"\" in the mapping, or null" : "--quote '\"', or --quote none");
    return text_warn_once(o, WARN_QUOTES_KEPT, line, err);
}

int csv_doubt_fields(const struct csv_reader *r, const struct read_opts *o, struct csv_header *h, struct bytes head,
                     struct err *err) {
    if (!o->warnings || o->text.part.begin || !head.n) return 0; /* else the first part of the file warns of it */
    return doubt_null_text(r, o, head, err) || doubt_quotes(r, o, h->fields, head, err) ? -1 : 0;
}
