/* Shared by the parsers of all clauses: the token ahead, expecting and skipping, lists in parentheses, and errors that name file,
 * line and the token found. The first error ends the reading: from then on every token is the end. */
#include "table/ddl_parser.h"

#include "base/plain.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ddl_advance(struct ddl *d) {
    if (d->tok.kind != DDL_END) d->taken = d->tok.p + d->tok.n;
    if (d->err->code == ERR_NONE && ddl_lex_next(&d->lex, &d->tok, d->err) >= 0) return;
    d->tok = (struct ddl_token){.kind = DDL_END, .p = d->lex.end, .line = d->lex.line};
}

bool ddl_at(const struct ddl *d, const char *word) {
    return ddl_token_is(&d->tok, word);
}

bool ddl_at_punct(const struct ddl *d, char c) {
    return ddl_token_is_punct(&d->tok, c);
}

bool ddl_accept(struct ddl *d, const char *word) {
    if (!ddl_at(d, word)) return false;
    ddl_advance(d);
    return true;
}

bool ddl_accept_punct(struct ddl *d, char c) {
    if (!ddl_at_punct(d, c)) return false;
    ddl_advance(d);
    return true;
}

static void vtext(const struct ddl *d, uint32_t line, const char *fmt, va_list ap, char out[900]) {
    int n = snprintf(out, 900, "%.200s:%u: ", d->lex.name, (unsigned)line);
    if (d->t && d->t->name && !d->unnamed) n += snprintf(out + n, 900 - (size_t)n, "table `%.140s`: ", d->t->name);
    vsnprintf(out + n, 900 - (size_t)n, fmt, ap);
}

int ddl_fail(struct ddl *d, uint32_t line, const char *fmt, ...) {
    char text[900];
    va_list ap;
    va_start(ap, fmt);
    vtext(d, line, fmt, ap, text);
    va_end(ap);
    return err_set(d->err, ERR_USAGE, "%s", text);
}

int ddl_fail_as(struct ddl *d, uint32_t line, const struct err *bad) {
    if (bad->code == ERR_USAGE) return ddl_fail(d, line, "%s", bad->text);
    err_keep(d->err, bad);
    return -1;
}

int ddl_warn(struct ddl *d, enum warning code, uint32_t line, const char *fmt, ...) {
    char text[900];
    va_list ap;
    va_start(ap, fmt);
    vtext(d, line, fmt, ap, text);
    va_end(ap);
    return warning_add(d->warnings, code, 1, d->err, "%s", text);
}

int ddl_unexpected(struct ddl *d, const char *expected) {
    if (d->tok.kind == DDL_END) return ddl_fail(d, d->tok.line, "the text ends, expected %s", expected);
    return ddl_fail(d, d->tok.line, "expected %s, found %.*s", expected, (int)(d->tok.n < 60 ? d->tok.n : 60), d->tok.p);
}

int ddl_expect(struct ddl *d, const char *word) {
    return ddl_accept(d, word) ? 0 : ddl_unexpected(d, word);
}

int ddl_expect_punct(struct ddl *d, char c) {
    char text[4] = {'\'', c, '\'', 0};
    return ddl_accept_punct(d, c) ? 0 : ddl_unexpected(d, text);
}

int ddl_take_name(struct ddl *d, struct ddl_token *out, const char *what) {
    if (d->tok.kind != DDL_WORD && d->tok.kind != DDL_QUOTED) return ddl_unexpected(d, what);
    *out = d->tok;
    ddl_advance(d);
    return 0;
}

int ddl_take_number(struct ddl *d, uint64_t max, uint64_t *out, const char *what) {
    uint64_t v = 0;
    if (d->tok.kind != DDL_NUMBER) return ddl_unexpected(d, what);
    for (size_t i = 0; i < d->tok.n; i++) {
        if (!isdigit((unsigned char)d->tok.p[i])) return ddl_unexpected(d, what);
        v = v * 10 + (uint64_t)(d->tok.p[i] - '0');
        if (v > max)
            return ddl_fail(d, d->tok.line, "%s: %.*s, at most %llu", what, (int)(d->tok.n < 30 ? d->tok.n : 30), d->tok.p,
                            (unsigned long long)max);
    }
    *out = v;
    ddl_advance(d);
    return 0;
}

int ddl_skip_parens(struct ddl *d) {
    uint32_t line = d->tok.line;
    size_t depth = 0;
    do {
        if (d->tok.kind == DDL_END) return ddl_fail(d, line, "this '(' is not closed");
        depth += ddl_at_punct(d, '(');
        depth -= ddl_at_punct(d, ')');
        ddl_advance(d);
    } while (depth);
    return 0;
}

const char *ddl_name_text(struct ddl *d, const struct ddl_token *tok) {
    buf_clear(&d->scratch);
    if (ddl_token_value(tok, &d->scratch, d->err) < 0 || buf_put_byte(&d->scratch, 0, d->err)) return NULL;
    const char *name = (char *)d->scratch.p;
    char shown[200];
    if (strlen(name) + 1 != d->scratch.n) {
        ddl_fail(d, tok->line, "a name holds a NUL byte");
    } else if (!plain_is_name(bytes_str(name))) {
        ddl_fail(d, tok->line, "the name `%s` holds a control character, which scripts and terminals would obey; rename it",
                 plain_text(bytes_str(name), shown, sizeof shown));
    } else {
        return name;
    }
    return NULL;
}
