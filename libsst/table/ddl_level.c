/* One level of partitions: KEY over K, a prefix of it, (K, Q) or the whole primary key; RANGE over K, a prefix or the time;
 * LIST over K or a prefix. Every other shape is refused by its name. */
#include "table/ddl_columns.h"
#include "table/ddl_level.h"
#include "table/ddl_parser.h"

#include <ctype.h>
#include <stdlib.h>

static const char moves[] = "its partitions change by themselves, so files made now would not fit later";

int ddl_refuse_shapes(struct ddl *d) {
    uint32_t line = d->tok.line;
    if (ddl_at(d, "size")) return ddl_fail(d, line, "auto-split partitions (SIZE): not supported, %s", moves);
    if (ddl_at(d, "interval")) return ddl_fail(d, line, "INTERVAL partitions: not supported, %s", moves);
    return 0;
}

/* ---- bounds: VALUES LESS THAN (…) and VALUES IN (…): values that can be read without doubt, or a refusal. */

static const char advice[] = "give the exact bound as x'…', or all bounds by --partition range:FILE with b_high_bound_val";

static bool is_ascii(const struct buf *b) {
    for (size_t i = 0; i < b->n; i++)
        if (b->p[i] >= 0x80) return false;
    return true;
}

/* _binary'…' and the like. A character set changes nothing for ASCII bytes; for others only _binary and UTF-8 are sure. */
static bool take_introducer(struct ddl *d, bool *sure) {
    *sure = true;
    if (d->tok.kind != DDL_WORD || d->tok.p[0] != '_') return false;
    *sure = ddl_at(d, "_binary") || ddl_at(d, "_utf8mb4") || ddl_at(d, "_utf8");
    ddl_advance(d);
    return true;
}

/* A bare quote inside a printed bound ends the string too early. Checks bytes, since what follows may not be words. */
static bool ends_cleanly(const struct ddl *d) {
    const char *p = d->lex.p;
    while (p < d->lex.end && isspace((unsigned char)*p)) p++;
    return p == d->lex.end || memchr("),/#-", *p, 5);
}

static int take_value(struct ddl *d, bool *is_text) {
    bool sure, introduced = take_introducer(d, &sure);
    struct ddl_token tok = d->tok;
    int show = (int)(tok.n < 60 ? tok.n : 60);
    if (tok.kind != DDL_STRING && tok.kind != DDL_HEX)
        return ddl_fail(d, tok.line, "cannot read the bound %.*s; write 'text' or x'…'", show, tok.p);
    *is_text = tok.kind == DDL_STRING && !introduced;
    if (*is_text && d->t->is_printed && (memchr(tok.p, '\\', tok.n) || memchr(tok.p + 1, tok.p[0], tok.n - 2)))
        return ddl_fail(d, tok.line, "the bound %.*s has a quote or backslash, which SHOW CREATE TABLE prints unescaped: %s",
                        show, tok.p, advice);
    buf_clear(&d->scratch);
    int rc = ends_cleanly(d) ? ddl_token_value(&tok, &d->scratch, d->err) : 1;
    if (rc < 0) return -1;
    if (rc || (!sure && !is_ascii(&d->scratch)))
        return ddl_fail(d, tok.line, "the bound %.*s is ambiguous: %s", show, tok.p, advice);
    ddl_advance(d);
    return 0;
}

static int take_literal(struct ddl *d, bool *is_text) {
    if (take_value(d, is_text)) return -1;
    if (ddl_at_punct(d, ',')) return ddl_fail(d, d->tok.line, "a bound of several columns: only RANGE COLUMNS(K) is supported");
    return 0;
}

/* The text between the parentheses of a bound over K. */
static int take_key_bound(struct ddl *d, const struct bytes *name, struct bytes *bound, bool *is_text) {
    uint32_t line = d->tok.line;
    if (take_literal(d, is_text)) return -1;
    *bound = buf_bytes(&d->scratch);
    if (bound->n) return 0;
    return ddl_fail(d, line, "the bound of partition %.*s is empty, so no row can be below it%s%s", (int)name->n,
                    (const char *)name->p, *is_text ? ", or SHOW CREATE TABLE cut it at a NUL: " : "", *is_text ? advice : "");
}

/* … over a time: a whole number. */
static int take_time(struct ddl *d, struct bytes *bound) {
    uint32_t line = d->tok.line;
    bool minus = ddl_accept_punct(d, '-');
    uint64_t v;
    if (ddl_take_number(d, INT64_MAX, &v, "the bound, a number of milliseconds,")) return -1;
    buf_clear(&d->scratch);
    if (buf_reserve(&d->scratch, 8, d->err)) return -1;
    partitioning_put_time(minus ? -(int64_t)v : (int64_t)v, d->scratch.p);
    *bound = bytes_of(d->scratch.p, 8);
    return ddl_at_punct(d, ',') ? ddl_fail(d, line, "a bound of several columns is not supported") : 0;
}

static int take_bound_clause(struct ddl *d, struct partitioning *level, const struct bytes *name, bool *is_text) {
    struct bytes bound = {0};
    *is_text = false;
    if (!ddl_accept(d, "maxvalue")) {
        if (ddl_expect_punct(d, '(')) return -1;
        if (!ddl_accept(d, "maxvalue") &&
            (level->by == BY_TIME ? take_time(d, &bound) : take_key_bound(d, name, &bound, is_text)))
            return -1;
        if (ddl_expect_punct(d, ')')) return -1;
    }
    return partitioning_add(level, name, &bound, d->err);
}

static int take_list_clause(struct ddl *d, struct partitioning *level, const struct bytes *name, bool *is_text) {
    *is_text = false;
    if (partitioning_add_list(level, name, d->err) || ddl_expect_punct(d, '(')) return -1;
    do {
        bool text = false;
        if (ddl_accept(d, "default")) {
            if (partitioning_add_value(level, NULL, d->err)) return -1;
            continue;
        }
        if (take_value(d, &text)) return -1;
        *is_text = *is_text || text;
        struct bytes value = buf_bytes(&d->scratch);
        if (partitioning_add_value(level, &value, d->err)) return -1;
    } while (ddl_accept_punct(d, ','));
    return ddl_expect_punct(d, ')');
}

/* ---- KEY, RANGE, LIST ---- */

enum { COLUMNS_KEPT = 3 };

/* The columns in (…). n counts all, the first ones are kept. */
static int take_columns(struct ddl *d, struct ddl_token out[COLUMNS_KEPT], uint32_t *n) {
    struct ddl_token name;
    *n = 0;
    if (ddl_expect_punct(d, '(')) return -1;
    if (ddl_accept_punct(d, ')')) return ddl_refuse_shapes(d);
    do {
        if (ddl_take_name(d, &name, "a column")) return -1;
        if (*n < COLUMNS_KEPT) out[*n] = name;
        (*n)++;
    } while (ddl_accept_punct(d, ','));
    return ddl_expect_punct(d, ')') ? -1 : ddl_refuse_shapes(d);
}

static bool are_named(const struct ddl_token *tok, uint32_t n, const char *const names[], uint32_t n_names) {
    bool same = n == n_names;
    for (uint32_t i = 0; same && i < n; i++) same = ddl_token_names(&tok[i], names[i]);
    return same;
}

/* Rows are spread, and clients of today look for whole rows. */
static int warn_spread(struct ddl *d, uint32_t line, const char *what) {
    return ddl_warn(d, WARN_ROWS_DIVIDED, line,
                    "KEY(%s) spreads the cells of a row over partitions: OBKV clients expect them in one", what);
}

static int key_columns(struct ddl *d, struct partitioning *level, const struct ddl_token *tok, uint32_t n, uint32_t line) {
    static const char *const kqt[] = {"K", "Q", "T"};
    if (n == 0 || are_named(tok, n, kqt, 3)) {
        level->by = BY_CELL;
        return warn_spread(d, line, n ? "K, Q, T" : "");
    }
    if (are_named(tok, n, kqt, 2)) {
        level->by = BY_COLUMN;
        return warn_spread(d, line, "K, Q");
    }
    return n == 1 ? 1 : ddl_fail(d, line, "KEY over several columns: only (K), (K, Q) and (K, Q, T) are supported");
}

/* The one column of a level. *time: it is the time, where that is allowed. */
static int one_column(struct ddl *d, struct partitioning *level, const struct ddl_token *name, const char *kind, bool time_too) {
    const struct ddl_column *c = ddl_column_named(d->t, name);
    if (c && ddl_token_names(name, "K")) return 0;
    if (c && c->is_generated) {
        enum ddl_generated g = ddl_generated(d, c, &level->prefix);
        if (g == DDL_GENERATED_REFUSED) return -1;
        if (g == DDL_GENERATED_PREFIX) return 0;
        level->prefix = (struct key_prefix){0};
        level->by = BY_TIME;
        if (time_too) return 0;
    }
    const char *text = ddl_name_text(d, name);
    if (!text) return -1;
    if (!c) return ddl_fail(d, name->line, "%s(%.64s): there is no such column", kind, text);
    return ddl_fail(d, name->line, "%s(%.64s): not supported yet, only K, a prefix of it%s", kind, text,
                    time_too ? ", or the time" : "");
}

static int take_key_clause(struct ddl *d, struct partitioning *level, uint32_t line) {
    struct ddl_token tok[COLUMNS_KEPT];
    uint32_t n;
    if (ddl_at(d, "algorithm")) return ddl_fail(d, line, "KEY ALGORITHM: MySQL's own hash, not OceanBase's");
    if (take_columns(d, tok, &n)) return -1;
    level->kind = PARTITION_KEY;
    int rc = key_columns(d, level, tok, n, line);
    return rc == 1 ? one_column(d, level, &tok[0], "KEY", false) : rc;
}

static int take_range(struct ddl *d, struct partitioning *level, uint32_t line, bool is_list) {
    struct ddl_token tok[COLUMNS_KEPT];
    uint32_t n;
    const char *kind = is_list ? "LIST" : "RANGE";
    bool by_columns = ddl_accept(d, "columns");
    if (take_columns(d, tok, &n)) return -1;
    if (n != 1) return ddl_fail(d, line, "%s over %s columns: not supported", kind, n ? "several" : "no");
    level->kind = is_list ? PARTITION_LIST : PARTITION_RANGE;
    if (one_column(d, level, &tok[0], is_list ? "LIST COLUMNS" : "RANGE COLUMNS", !is_list)) return -1;
    if (by_columns || level->by == BY_TIME) return 0;
    return ddl_fail(d, line, "%s without COLUMNS: not supported, only %s COLUMNS(K)", kind, kind);
}

int ddl_level(struct ddl *d, struct partitioning *level) {
    uint32_t line = d->tok.line;
    level->k_pad = d->t->partitioning.k_pad;
    if (ddl_accept(d, "key")) return take_key_clause(d, level, line);
    if (ddl_accept(d, "range")) return take_range(d, level, line, false);
    if (ddl_accept(d, "list")) return take_range(d, level, line, true);
    if (ddl_at(d, "key_v2") || ddl_at(d, "key_v3"))
        return ddl_fail(d, line, "%.*s partitions belong to OceanBase before 4.0, whose hash differs: not supported",
                        (int)d->tok.n, d->tok.p);
    static const char *const others[] = {"HASH", "LINEAR"};
    for (size_t i = 0; i < countof(others); i++)
        if (ddl_at(d, others[i]))
            return ddl_fail(d, line, "PARTITION BY %s: not supported yet; KEY(K), RANGE COLUMNS(K) and LIST COLUMNS(K) are",
                            others[i]);
    return ddl_unexpected(d, "KEY, RANGE or LIST");
}

/* ---- the list ---- */

/* Options after a partition's bound (COMMENT, ID, ENGINE …) do not matter here. */
static int skip_options(struct ddl *d) {
    while (!ddl_at_punct(d, ',') && !ddl_at_punct(d, ')')) {
        if (d->tok.kind == DDL_END) return ddl_unexpected(d, "',' or ')'");
        if (ddl_at_punct(d, '(')) return ddl_fail(d, d->tok.line, "sub-partitions in a partition, but no SUBPARTITION BY");
        if (ddl_at(d, "values")) return ddl_fail(d, d->tok.line, "VALUES does not go with this kind of partitioning");
        ddl_advance(d);
    }
    return 0;
}

static int take_values(struct ddl *d, struct partitioning *level, const struct bytes *name, bool *is_text) {
    *is_text = false;
    switch (level->kind) {
    case PARTITION_RANGE:
        if (ddl_expect(d, "values") || ddl_expect(d, "less") || ddl_expect(d, "than")) return -1;
        return take_bound_clause(d, level, name, is_text);
    case PARTITION_LIST:
        if (ddl_expect(d, "values") || ddl_expect(d, "in")) return -1;
        return take_list_clause(d, level, name, is_text);
    default: return partitioning_add(level, name, NULL, d->err);
    }
}

static int take_one(struct ddl *d, struct ddl_list_opts *o) {
    struct ddl_token tok;
    bool is_text;
    const bool is_lower = d->tok.n && d->tok.p[0] >= 'a';
    if (ddl_expect(d, o->word) || ddl_take_name(d, &tok, "a partition name")) return -1;
    d->t->is_printed |= is_lower && tok.kind == DDL_QUOTED; /* as the server prints it, and hardly anybody writes */
    const char *scratch = ddl_name_text(d, &tok);
    if (!scratch) return -1;
    size_t n = strlen(scratch);
    if (n == 0 || n > PARTITION_NAME_BYTES) return ddl_fail(d, tok.line, "a partition name of %zu bytes", n);
    char text[PARTITION_NAME_BYTES + 1];
    memcpy(text, scratch, n + 1);
    struct bytes name = {(const uint8_t *)text, n};
    if (take_values(d, o->level, &name, &is_text)) return -1;
    o->has_text = o->has_text || is_text;
    if (o->below && o->below(d, &o->has_text)) return -1;
    return skip_options(d);
}

int ddl_level_list(struct ddl *d, struct ddl_list_opts *o) {
    if (ddl_expect_punct(d, '(')) return -1;
    do {
        if (take_one(d, o)) return -1;
    } while (ddl_accept_punct(d, ','));
    return ddl_expect_punct(d, ')');
}
