/* The named dialects, and how what was said of one becomes the one that holds. The names stand for what the programs of that name
 * write by default; docs/formats/csv.md lists them. */
#include "formats/text/dialect.h"

#include "base/near_name.h"
#include "formats/text/dialect_bytes.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const key_names[DIALECT_KEYS] = {"delimiter", "quote",   "escape", "null",     "skip",
                                                    "header",    "comment", "trim",   "trailing", "lines"};

#define DELIMITER(s) .delimiter = s, .n_delimiter = sizeof(s) - 1
#define TEXT(s) \
    { .n = 1, .lengths = {sizeof(s) - 1}, .bytes = s }
static const struct dialect all[] = {
    {.name = "csv", DELIMITER(","), .quote = '"', .escape = -1, .exact = true, .sep_line = true},
    {.name = "excel",
     DELIMITER(";"),
     .quote = '"',
     .escape = -1,
     .trailing = DIALECT_TRAILING_ANY,
     .exact = true,
     .sep_line = true},
    {.name = "tsv", DELIMITER("\t"), .quote = -1, .escape = -1, .lines = DIALECT_LINES_ANY},
    {.name = "mysql",
     DELIMITER("\t"),
     .quote = -1,
     .escape = '\\',
     .nulls = TEXT("\\N"),
     .lines = DIALECT_LINES_LF,
     .exact = true},
    {.name = "postgres",
     DELIMITER("\t"),
     .quote = -1,
     .escape = '\\',
     .nulls = TEXT("\\N"),
     .comments = TEXT("\\."),
     .escapes = DIALECT_ESCAPES_POSTGRES,
     .exact = true},
    {.name = "hive",
     DELIMITER("\001"),
     .quote = -1,
     .escape = -1,
     .nulls = TEXT("\\N"),
     .lines = DIALECT_LINES_ANY,
     .escapes = DIALECT_ESCAPES_HIVE},
    {.name = "tpch", DELIMITER("|"), .quote = -1, .escape = -1, .trailing = DIALECT_TRAILING_YES, .exact = true},
};
#undef TEXT
#undef DELIMITER

const struct dialect *dialect_named(const char *name) {
    for (size_t i = 0; i < countof(all); i++)
        if (!strcmp(all[i].name, name)) return &all[i];
    return NULL;
}

/* ---- texts ---- */

struct bytes dialect_text(const struct dialect_texts *t, size_t i) {
    size_t at = 0;
    for (size_t k = 0; k < i; k++) at += t->lengths[k];
    return bytes_of(t->bytes + at, t->lengths[i]);
}

bool dialect_has_text(const struct dialect_texts *t, struct bytes text) {
    const uint8_t *p = t->bytes;
    for (size_t i = 0; i < t->n; p += t->lengths[i++])
        if (bytes_eq(bytes_of(p, t->lengths[i]), text)) return true;
    return false;
}

bool dialect_begins(const struct dialect_texts *t, struct bytes text) {
    const uint8_t *p = t->bytes;
    for (size_t i = 0; i < t->n; p += t->lengths[i++])
        if (text.n >= t->lengths[i] && !memcmp(p, text.p, t->lengths[i])) return true;
    return false;
}

static int add_text(struct dialect_texts *t, const char *key, struct bytes v, struct err *err) {
    const struct bytes end = t->n ? dialect_text(t, t->n - 1u) : bytes_of(t->bytes, 0);
    const size_t at = (size_t)(end.p - t->bytes) + end.n;
    if (t->n == DIALECT_TEXTS || v.n > sizeof t->bytes - at || v.n > UINT8_MAX)
        return err_set(err, ERR_USAGE, "%s: at most %d texts, of %d bytes together", key, DIALECT_TEXTS, DIALECT_TEXT_BYTES);
    if (v.n) memcpy(t->bytes + at, v.p, v.n);
    t->lengths[t->n++] = (uint8_t)v.n;
    return 0;
}

/* ---- keys ---- */

static int set_byte(const char *key, struct bytes v, int *out, struct err *err) {
    uint8_t byte;
    *out = -1;
    if (bytes_eq(v, bytes_str("none"))) return 0;
    if (dialect_bytes(v, &byte, 1) != 1)
        return err_set(err, ERR_USAGE, "%s '%.*s': expected one byte, or none", key, (int)v.n, (const char *)v.p);
    *out = byte;
    return 0;
}

/* The place of the word in the list, which ends with NULL; what is empty is `yes`. */
static int set_word(const char *key, struct bytes v, const char *const *words, int *out, struct err *err) {
    char list[80] = "";
    for (int i = 0; words[i]; i++) {
        const bool yes = !v.n && !strcmp(words[i], "yes");
        *out = i;
        if (yes || bytes_eq(v, bytes_str(words[i]))) return 0;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? (words[i + 1] ? ", " : " or ") : "", words[i]);
    }
    return err_set(err, ERR_USAGE, "%s '%.*s': expected %s", key, (int)v.n, (const char *)v.p, list);
}

static int set_skip(struct bytes v, uint32_t *out, struct err *err) {
    uint32_t n = 0;
    bool good = v.n > 0 && v.n < 6;
    for (size_t i = 0; i < v.n && good; i++) {
        good = v.p[i] >= '0' && v.p[i] <= '9';
        n = n * 10 + (uint32_t)(v.p[i] - '0');
    }
    *out = n;
    if (good && n <= DIALECT_SKIP_MAX) return 0;
    return err_set(err, ERR_USAGE, "skip '%.*s': expected a number of lines, at most %d", (int)v.n, (const char *)v.p,
                   DIALECT_SKIP_MAX);
}

static int set_value(struct dialect *d, enum dialect_key key, struct bytes v, struct err *err) {
    static const char *const headers[] = {"none", "first", "each", NULL}, *const yes_no[] = {"no", "yes", NULL},
                             *const trailing[] = {"no", "yes", "any", NULL}, *const lines[] = {"auto", "lf", "crlf", "any", NULL};
    const char *name = key_names[key];
    int word = 0, rc = 0;
    switch (key) {
    case DIALECT_DELIMITER:
        d->n_delimiter = (uint8_t)dialect_bytes(v, d->delimiter, sizeof d->delimiter);
        if (bytes_eq(v, bytes_str("none"))) d->n_delimiter = 0; /* said of a quote, not of what is always there */
        return d->n_delimiter ? 0
                              : err_set(err, ERR_USAGE, "delimiter '%.*s': expected 1 to %d bytes", (int)v.n, (const char *)v.p,
                                        DIALECT_DELIMITER_BYTES);
    case DIALECT_QUOTE: return set_byte(name, v, &d->quote, err);
    case DIALECT_ESCAPE: return set_byte(name, v, &d->escape, err);
    case DIALECT_NULL: return add_text(&d->nulls, name, v, err);
    case DIALECT_COMMENT:
        return v.n ? add_text(&d->comments, name, v, err)
                   : err_set(err, ERR_USAGE, "comment: expected how the lines begin that are no records");
    case DIALECT_SKIP: return set_skip(v, &d->skip, err);
    case DIALECT_HEADER:
        rc = set_word(name, v, headers, &word, err);
        d->header = (enum dialect_header)word;
        return rc;
    case DIALECT_TRIM:
        rc = set_word(name, v, yes_no, &word, err);
        d->trim = word;
        return rc;
    case DIALECT_TRAILING:
        rc = set_word(name, v, trailing, &word, err);
        d->trailing = (enum dialect_trailing)word;
        return rc;
    case DIALECT_LINES:
        rc = set_word(name, v, lines, &word, err);
        d->lines = (enum dialect_lines)word;
        return rc;
    case DIALECT_KEYS: break;
    }
    return rc;
}

static int refuse_key(const char *key, struct err *err) {
    char meant[NEAR_NAME_MAX + 48];
    struct near_name near = near_name_to(bytes_str(key));
    for (size_t i = 0; i < DIALECT_KEYS; i++) near_name_offer(&near, bytes_str(key_names[i]));
    return err_set(err, ERR_USAGE,
                   "there is no key '%s'%s: delimiter, quote, escape, null, skip, header, comment, trim, trailing and lines are",
                   key, near_name_text(&near, "", meant));
}

int dialect_set(struct dialect *d, const char *key, struct bytes value, struct err *err) {
    size_t k = 0;
    while (k < DIALECT_KEYS && strcmp(key_names[k], key)) k++;
    if (k == DIALECT_KEYS) return refuse_key(key, err);
    const bool several = k == DIALECT_NULL || k == DIALECT_COMMENT, again = dialect_says(d, (enum dialect_key)k);
    if (again && !several) return err_set(err, ERR_USAGE, "%s is given twice; give it once", key);
    if (several && !again) *(k == DIALECT_NULL ? &d->nulls : &d->comments) = (struct dialect_texts){0}; /* those of the name */
    d->given |= 1u << k;
    return set_value(d, (enum dialect_key)k, value, err);
}

/* ---- names ---- */

static void copy_given(struct dialect *to, const struct dialect *from) {
    if (dialect_says(from, DIALECT_DELIMITER)) {
        memcpy(to->delimiter, from->delimiter, sizeof to->delimiter);
        to->n_delimiter = from->n_delimiter;
    }
    if (dialect_says(from, DIALECT_QUOTE)) to->quote = from->quote;
    if (dialect_says(from, DIALECT_ESCAPE)) to->escape = from->escape;
    if (dialect_says(from, DIALECT_NULL)) to->nulls = from->nulls;
    if (dialect_says(from, DIALECT_SKIP)) to->skip = from->skip;
    if (dialect_says(from, DIALECT_HEADER)) to->header = from->header;
    if (dialect_says(from, DIALECT_COMMENT)) to->comments = from->comments;
    if (dialect_says(from, DIALECT_TRIM)) to->trim = from->trim;
    if (dialect_says(from, DIALECT_TRAILING)) to->trailing = from->trailing;
    if (dialect_says(from, DIALECT_LINES)) to->lines = from->lines;
    to->given |= from->given;
}

int dialect_choose(struct dialect *d, const char *name, struct err *err) {
    const struct dialect *named = dialect_named(name);
    const struct dialect said = *d;
    char meant[NEAR_NAME_MAX + 48];
    if (named) {
        *d = *named;
        copy_given(d, &said);
        return 0;
    }
    struct near_name near = near_name_to(bytes_str(name));
    for (size_t i = 0; i < countof(all); i++) near_name_offer(&near, bytes_str(all[i].name));
    return err_set(err, ERR_USAGE, "there is no dialect '%s'%s: csv, excel, tsv, mysql, postgres, hive and tpch are known", name,
                   near_name_text(&near, "", meant));
}

void dialect_resolve(struct dialect *d, const struct dialect *options, const struct dialect *source) {
    const struct dialect *const said[] = {dialect_is_named(source) ? NULL : options, source};
    for (size_t i = 0; i < countof(said); i++) {
        if (dialect_is_named(said[i]))
            *d = *said[i];
        else if (said[i])
            copy_given(d, said[i]);
    }
}

/* ---- NAME[,key=value...] ---- */

/* The item at *at, without its comma, with \, as a comma: into `out`. A delimiter, quote or escape may be the comma itself. */
static void take_item(const char **at, char *out) {
    const char *p = *at;
    for (; *p && *p != ','; p++) {
        if (p[0] == '\\' && p[1] == ',') p++;
        *out++ = *p;
        const bool comma = p[0] == '=' && p[1] == ',' && (p[2] == ',' || !p[2]);
        if (comma) *out++ = *++p;
    }
    *out = 0;
    *at = *p ? p + 1 : p;
}

int dialect_parse(struct dialect *d, const char *text, struct err *err) {
    char *item = malloc(strlen(text) + 1);
    if (!item) return err_nomem(err, strlen(text), "a dialect");
    const char *at = text;
    take_item(&at, item);
    int rc = dialect_choose(d, item, err);
    while (!rc && *at) {
        take_item(&at, item);
        char *eq = strchr(item, '=');
        if (eq) *eq = 0;
        rc = dialect_set(d, item, bytes_str(eq ? eq + 1 : ""), err);
    }
    free(item);
    return rc;
}
