/* VALUES LESS THAN (…) and VALUES IN (…): values that can be read without doubt, or a refusal. */
#include "table/ddl_parser.h"

#include <ctype.h>

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

/* A bare quote inside a printed bound ends the string too early. Looked at as bytes, since what follows may not be words. */
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
        return ddl_fail(d, tok.line, "cannot read the bound %.*s: write 'text' or x'…'", show, tok.p);
    *is_text = tok.kind == DDL_STRING && !introduced;
    if (*is_text && d->t->is_printed && (memchr(tok.p, '\\', tok.n) || memchr(tok.p + 1, tok.p[0], tok.n - 2)))
        return ddl_fail(d, tok.line, "the bound %.*s has a quote or backslash, which SHOW CREATE TABLE prints unescaped: %s",
                        show, tok.p, advice);
    buf_clear(&d->scratch);
    int rc = ends_cleanly(d) ? ddl_token_value(&tok, &d->scratch, d->err) : 1;
    if (rc < 0) return -1;
    if (rc || (!sure && !is_ascii(&d->scratch)))
        return ddl_fail(d, tok.line, "cannot read the bound %.*s without doubt: %s", show, tok.p, advice);
    ddl_advance(d);
    return 0;
}

static int take_literal(struct ddl *d, bool *is_text) {
    if (take_value(d, is_text)) return -1;
    if (ddl_at_punct(d, ',')) return ddl_fail(d, d->tok.line, "a bound of several columns: only RANGE COLUMNS(K) is supported");
    return 0;
}

/* What stands between the parentheses of a bound over K. */
static int take_key(struct ddl *d, const struct bytes *name, struct bytes *bound, bool *is_text) {
    uint32_t line = d->tok.line;
    if (take_literal(d, is_text)) return -1;
    *bound = buf_bytes(&d->scratch);
    if (bound->n) return 0;
    return ddl_fail(d, line, "the bound of partition %.*s is empty, so no row could lie below it%s%s", (int)name->n,
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

int ddl_bound(struct ddl *d, struct partitioning *level, const struct bytes *name, bool *is_text) {
    struct bytes bound = {0};
    *is_text = false;
    if (!ddl_accept(d, "maxvalue")) {
        if (ddl_expect_punct(d, '(')) return -1;
        if (!ddl_accept(d, "maxvalue") && (level->by == BY_TIME ? take_time(d, &bound) : take_key(d, name, &bound, is_text)))
            return -1;
        if (ddl_expect_punct(d, ')')) return -1;
    }
    return partitioning_add(level, name, &bound, d->err);
}

int ddl_list(struct ddl *d, struct partitioning *level, const struct bytes *name, bool *is_text) {
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
