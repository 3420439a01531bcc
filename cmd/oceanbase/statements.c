/* The statements that put cells into a database: LOAD DATA in the form that fits the server's version and the shape of the
 * table, and INSERT for single rows. What a server cannot do is known before it is tried. */
#include "cmd/oceanbase/statements.h"

#include "base/plain.h"
#include "base/text.h"

#include <stdio.h>

/* ---- names and literals ---- */

/* SQL has no escape for most control characters, and a script that holds one acts on the terminal of its reader. */
static int refuse_controls(const char *name, struct err *err) {
    char shown[300];
    if (plain_is_name(bytes_str(name))) return 0;
    return err_set(err, ERR_USAGE, "'%s' holds a control character, which SQL cannot express; choose another name",
                   plain_text(bytes_str(name), shown, sizeof shown));
}

int sql_put_name(struct buf *out, const char *name, struct err *err) {
    int rc = refuse_controls(name, err) || buf_put_byte(out, '`', err) ? -1 : 0;
    for (const char *p = name; !rc && *p; p++) {
        if (*p == '`') rc = buf_put_byte(out, '`', err);
        if (!rc) rc = buf_put_byte(out, (uint8_t)*p, err);
    }
    return rc ? -1 : buf_put_byte(out, '`', err);
}

/* Returns the letter that escapes the byte after a backslash; 0 = the byte needs none. */
static uint8_t escape_of(uint8_t c) {
    switch (c) {
    case '\'':
    case '\\': return c;
    case 0: return '0';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case 0x1a: return 'Z';
    default: return 0;
    }
}

int sql_put_string(struct buf *out, struct bytes text, struct err *err) {
    int rc = buf_put_byte(out, '\'', err);
    for (size_t i = 0; !rc && i < text.n; i++) {
        uint8_t c = text.p[i], e = escape_of(c);
        rc = e ? buf_put_byte(out, '\\', err) || buf_put_byte(out, e, err) : buf_put_byte(out, c, err);
    }
    return rc ? -1 : buf_put_byte(out, '\'', err);
}

int sql_put_hex(struct buf *out, struct bytes value, struct err *err) {
    return buf_put(out, "x'", 2, err) || hex_put(out, value, err) || buf_put_byte(out, '\'', err) ? -1 : 0;
}

/* ---- LOAD DATA ---- */

enum { QUERY_TIMEOUT_HOURS = 24 * 7 };

static const char *const duplicate_names[] = {"error", "ignore", "replace"};
static const char *const compression_names[] = {"none", "gzip", "zstd"};

static int index_of_name(const char *const *names, size_t n, const char *name) {
    for (size_t i = 0; name && i < n; i++)
        if (!strcmp(names[i], name)) return (int)i;
    return -1;
}

int on_duplicate_parse(const char *name) {
    return index_of_name(duplicate_names, countof(duplicate_names), name);
}

const char *on_duplicate_name(enum on_duplicate d) {
    return duplicate_names[d];
}

int load_compression_parse(const char *name) {
    return index_of_name(compression_names, countof(compression_names), name);
}

const char *load_compression_name(enum load_compression c) {
    return compression_names[c];
}

int load_sql_version(const char *text, uint32_t *version) {
    unsigned v[4] = {0};
    static const char word[] = "OceanBase";
    const char *at = strstr(text, word);
    if (at) at += sizeof word - 1;
    for (text = at ? at : text; *text && (*text < '0' || *text > '9'); text++)
        if (!at) return -1;
    if (sscanf(text, "%3u.%3u.%3u.%3u", &v[0], &v[1], &v[2], &v[3]) < 2) return -1;
    for (size_t i = 0; i < countof(v); i++)
        if (v[i] > 255) return -1;
    *version = LOAD_VERSION(v[0], v[1], v[2], v[3]);
    return 0;
}

bool load_sql_has_inc(uint32_t version) {
    return version >= LOAD_VERSION(4, 3, 3, 0);
}

bool load_sql_is_direct(const struct load_source *s) {
    return !s->generated && !s->big;
}

const char *load_sql_obstacle(const struct load_target *t, const struct load_source *s) {
    if (t->version < LOAD_VERSION(4, 0, 0, 0)) return "OceanBase before 4.0 places rows differently";
    if (s->compression && t->version < LOAD_VERSION(4, 3, 3, 0)) return "LOAD DATA reads compressed files since OceanBase 4.3.3";
    if (s->ttl_column && t->version < LOAD_VERSION(4, 3, 5, 1)) return "cell TTL (column TTL) needs OceanBase 4.3.5.1";
    if (load_sql_is_direct(s)) return NULL;
    if (s->local) return "LOCAL without direct load silently cuts values and turns bad numbers into 0";
    if (t->on_duplicate == ON_DUPLICATE_IGNORE)
        return "IGNORE without direct load (generated columns, very long lines) silently cuts values and turns bad "
               "numbers into 0";
    return NULL;
}

static int put_hint(struct buf *out, const struct load_target *t, struct err *err) {
    bool replace = t->on_duplicate == ON_DUPLICATE_REPLACE;
    const char *mode = "";
    if (load_sql_has_inc(t->version)) mode = replace ? ", 'inc_replace'" : ", 'inc'";
    return buf_printf(out, err, " /*+ direct(false, 0%s) parallel(%u) */", mode, t->parallel);
}

static const char *word_of(const struct load_target *t, const struct load_source *s) {
    bool in_hint = load_sql_is_direct(s) && load_sql_has_inc(t->version);
    switch (t->on_duplicate) {
    case ON_DUPLICATE_IGNORE: return " IGNORE";
    case ON_DUPLICATE_REPLACE: return in_hint ? "" : " REPLACE";
    default: return "";
    }
}

static int put_partitions(struct buf *out, const struct load_source *s, struct err *err) {
    for (size_t i = 0; i < s->n_partitions; i++)
        if (buf_printf(out, err, i ? ", " : " PARTITION (") || sql_put_name(out, s->partitions[i], err)) return -1;
    return s->n_partitions ? buf_put_byte(out, ')', err) : 0;
}

int load_sql_put(struct buf *out, const struct load_target *t, const struct load_source *s, struct err *err) {
    static const char *const compressions[] = {"", " COMPRESSION = GZIP", " COMPRESSION = ZSTD"};
    bool direct = load_sql_is_direct(s);
    if (buf_printf(out, err, "LOAD DATA") || (direct && put_hint(out, t, err)) ||
        buf_printf(out, err, "%s INFILE ", s->local ? " LOCAL" : "") || sql_put_string(out, bytes_str(s->path), err) ||
        buf_printf(out, err, "%s INTO TABLE ", word_of(t, s)) || sql_put_name(out, s->table, err))
        return -1;
    if (direct && s->partitions && t->version >= LOAD_VERSION(4, 3, 5, 0) && put_partitions(out, s, err)) return -1;
    return buf_printf(out, err,
                      "%s CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\\t' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n' "
                      "(K, Q, V, %sT)",
                      compressions[s->compression], s->ttl_column ? "TTL, " : "");
}

int load_sql_put_session(struct buf *out, struct err *err) {
    unsigned long long us = QUERY_TIMEOUT_HOURS * 3600ull * 1000000;
    return buf_printf(out, err,
                      "SET /*M!100000 @oceanbase_only = ' */ ob_query_timeout = %llu, ob_trx_timeout = %llu /*M!100000 ' */;\n",
                      us, us);
}

/* ---- INSERT ---- */

/* A line end in a name would end the comment. */
static int put_comment(struct buf *out, const char *text, struct err *err) {
    return buf_put(out, "-- ", 3, err) || plain_put(out, bytes_str(text), err) || buf_put_byte(out, '\n', err) ? -1 : 0;
}

static int put_ttl(struct buf *out, const struct kqvt_row *row, struct err *err) {
    return row->has_ttl ? buf_printf(out, err, "%lld, ", (long long)row->ttl_ms) : buf_printf(out, err, "NULL, ");
}

int insert_sql_put(struct buf *out, const struct insert_target *t, const struct kqvt_row *row, const char *reason,
                   struct err *err) {
    if (put_comment(out, reason, err) || buf_printf(out, err, t->replace ? "REPLACE INTO " : "INSERT INTO ") ||
        sql_put_name(out, t->table, err) || buf_printf(out, err, " (K, Q, T, %sV) VALUES (", t->ttl_column ? "TTL, " : "") ||
        sql_put_hex(out, row->k, err) || buf_put(out, ", ", 2, err) || sql_put_hex(out, row->q, err) ||
        buf_printf(out, err, ", %lld, ", (long long)row->t) || (t->ttl_column && put_ttl(out, row, err)) ||
        sql_put_hex(out, row->v, err))
        return -1;
    return buf_printf(out, err, ");\n");
}
