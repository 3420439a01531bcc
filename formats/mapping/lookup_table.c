/* Tables for lookup(): a CSV file with a header, read once. Fields are unescaped in place, so a table takes its text, 16 bytes a
 * field and about 8 bytes a record; the file's size is limited, because all of it is held. */
#include "formats/mapping/expr_run.h"
#include "formats/mapping/lookup_table.h"

#include "base/buf.h"
#include "formats/mapping/expr_program.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <xxhash.h>

/* ---- CSV ---- */

struct lookup_scan {
    struct lookup_table *t;
    uint8_t *at, *end;
    size_t line;
    uint8_t delimiter;
    bool ends_record; /* the field that was read is the last of its record */
};

static int fail(const struct lookup_scan *s, struct err *err, const char *what) {
    return err_set(err, ERR_USAGE, "%s:%zu: %s", s->t->path, s->line, what);
}

/* Skips the end of a field: the delimiter, the end of the line or of the file. */
static int end_field(struct lookup_scan *s, struct err *err) {
    s->ends_record = true;
    if (s->at < s->end && *s->at == '\r') s->at++;
    if (s->at == s->end) return 0;
    if (*s->at == '\n') {
        s->line++;
        s->at++;
        return 0;
    }
    if (*s->at != s->delimiter) return fail(s, err, "text after a closing quote");
    s->ends_record = false;
    s->at++;
    return 0;
}

static int read_quoted(struct lookup_scan *s, struct bytes *out, struct err *err) {
    uint8_t *to = ++s->at;
    *out = bytes_of(to, 0);
    for (;; s->at++) {
        if (s->at == s->end) return fail(s, err, "a quote is not closed");
        if (*s->at == '"' && (++s->at == s->end || *s->at != '"')) break;
        s->line += *s->at == '\n';
        *to++ = *s->at;
    }
    out->n = (size_t)(to - out->p);
    return end_field(s, err);
}

static int read_field(struct lookup_scan *s, struct bytes *out, struct err *err) {
    if (s->at < s->end && *s->at == '"') return read_quoted(s, out, err);
    uint8_t *from = s->at;
    while (s->at < s->end && *s->at != s->delimiter && *s->at != '\n') s->at++;
    size_t n = (size_t)(s->at - from);
    if (n && from[n - 1] == '\r' && (s->at == s->end || *s->at == '\n')) n--;
    *out = bytes_of(from, n);
    return end_field(s, err);
}

/* One record; its fields are appended. */
static int read_record(struct lookup_scan *s, size_t *n_fields, struct err *err) {
    struct lookup_table *t = s->t;
    const size_t line = s->line;
    uint32_t n = 0;
    do {
        if (n == LOOKUP_COLUMNS_MAX) return fail(s, err, "more than 1024 fields");
        if (grow_array(&t->fields, *n_fields, sizeof *t->fields, "a table for lookup", err)) return -1;
        if (read_field(s, &t->fields[(*n_fields)++], err)) return -1;
        n++;
    } while (!s->ends_record);
    if (!t->n_records++) t->n_columns = n;
    if (n == t->n_columns) return 0;
    return err_set(err, ERR_USAGE, "%s:%zu: %u field%s, but the header has %u", t->path, line, n, n == 1 ? "" : "s",
                   t->n_columns);
}

static int read_records(struct lookup_table *t, char delimiter, struct err *err) {
    struct bytes text = bytes_without_mark(bytes_of(t->text, t->n_text));
    uint8_t *begin = t->text + (t->n_text - text.n);
    struct lookup_scan s = {.t = t, .at = begin, .end = t->text + t->n_text, .line = 1, .delimiter = (uint8_t)delimiter};
    size_t n_fields = 0;
    while (s.at < s.end)
        if (read_record(&s, &n_fields, err)) return -1;
    return t->n_records ? 0 : err_set(err, ERR_USAGE, "%s: the file is empty; a table for lookup has a header", t->path);
}

/* ---- keys ---- */

static struct bytes key_of(const struct lookup_table *t, uint32_t record) {
    return t->fields[(size_t)record * t->n_columns + t->key];
}

/* Returns where the key is, or the free place where it would be. */
static uint32_t *slot_of(const struct lookup_table *t, struct bytes key) {
    uint32_t i = (uint32_t)XXH3_64bits(key.p, key.n) & t->mask;
    while (t->slots[i] && !bytes_eq(key_of(t, t->slots[i]), key)) i = (i + 1) & t->mask;
    return &t->slots[i];
}

static int index_keys(struct lookup_table *t, struct err *err) {
    size_t n = 4;
    while (n < 2 * (size_t)t->n_records) n *= 2;
    t->mask = (uint32_t)n - 1;
    if (!(t->slots = calloc(n, sizeof *t->slots))) return err_nomem(err, n * sizeof *t->slots, "a table for lookup");
    for (uint32_t i = 1; i < t->n_records; i++) {
        char shown[EXPR_QUOTE_BYTES];
        uint32_t *slot = slot_of(t, key_of(t, i));
        if (*slot)
            return err_set(err, ERR_USAGE,
                           "%s: two records (%u and %u, without the header) have the key %s; keys of a table for "
                           "lookup must differ",
                           t->path, *slot, i, expr_quote(expr_text(key_of(t, i)), shown));
        *slot = i;
    }
    return 0;
}

/* ---- tables ---- */

int lookup_table_parse(struct lookup_table *t, const char *name, struct bytes text, char delimiter, struct bytes key,
                       struct err *err) {
    t->path = strdup(name);
    t->text = malloc(text.n + 1);
    if (!t->path || !t->text) return err_nomem(err, text.n, "a table for lookup");
    if (text.n) memcpy(t->text, text.p, text.n);
    t->n_text = text.n;
    if (read_records(t, delimiter, err)) return -1;
    if (lookup_table_column(t, key, &t->key)) return index_keys(t, err);
    return err_set(err, ERR_USAGE, "%s: the header has no column '%.*s'", t->path, (int)(key.n > 200 ? 200 : key.n),
                   (const char *)key.p);
}

bool lookup_table_column(const struct lookup_table *t, struct bytes name, uint32_t *column) {
    for (*column = 0; *column < t->n_columns; ++*column)
        if (bytes_eq(bytes_trim(t->fields[*column]), name)) return true;
    return false;
}

struct bytes lookup_table_get(const struct lookup_table *t, struct bytes key, uint32_t column) {
    const uint32_t record = *slot_of(t, key);
    return record ? t->fields[(size_t)record * t->n_columns + column] : (struct bytes){0};
}

size_t lookup_table_bytes(const struct lookup_table *t) {
    const size_t fields = (size_t)t->n_records * t->n_columns;
    return t->n_text + 2 * fields * sizeof *t->fields + ((size_t)t->mask + 1) * sizeof *t->slots;
}

void lookup_table_free(struct lookup_table *t) {
    free(t->path);
    free(t->text);
    free(t->fields);
    free(t->slots);
    *t = (struct lookup_table){0};
}

/* ---- lookup(table, key, column) ---- */

static int run_lookup(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    const struct lookup_use *use = op->data;
    const struct bytes found = lookup_table_get(use->table, bytes_of(args[1].p, args[1].n), use->column);
    (void)run;
    args[0] = found.p ? expr_text(found) : (struct expr_value){0};
    return 1;
}

static const struct expr_function list[] = {{.name = "lookup",
                                             .usage = "lookup('table', key, 'column')",
                                             .result = EXPR_TEXT,
                                             .min_args = 3,
                                             .max_args = 3,
                                             .args = {ARG_CONST, ARG_TEXT, ARG_CONST},
                                             .takes_table = true,
                                             .run = run_lookup}};
const struct expr_functions expr_lookup_functions = {list, countof(list)};
