/* Whole programs: one expression, or a template, whose text and {expressions} are joined. The parts are compiled by
 * expr_compile.c; what is left over after them is an error at its place. */
#include "formats/mapping/expr.h"
#include "formats/mapping/expr_compile.h"
#include "formats/mapping/expr_run.h"
#include "formats/mapping/expr_template.h"

#include <stdlib.h>

enum { SHOWN_BYTES = 60, CONSTANTS_MAX_BYTES = 1 << 20 };

typedef int parse_fn(struct expr_compiler *c, struct expr_part *out);

#define SHOW(b) (int)((b).n > SHOWN_BYTES ? SHOWN_BYTES : (b).n), (const char *)(b).p

static int parse_whole(struct expr_compiler *c, struct expr_part *out) {
    if (expr_compiler_next(c) || expr_compiler_any(c, out)) return -1;
    if (c->lex.token == TOKEN_END) return 0;
    return expr_lex_error(&c->lex, c->err, "expected an operator or the end, not '%.*s'", SHOW(c->lex.raw));
}

/* Text up to an opening brace or the end, doubled braces made single. */
static int parse_literal(struct expr_compiler *c, size_t *at, struct expr_part *out) {
    struct bytes t = c->lex.text;
    uint8_t *p = expr_keep(&c->out.e->memory, t.n - *at + 1, c->err), *w = p;
    if (!p) return -1;
    while (*at < t.n) {
        uint8_t b = t.p[*at];
        bool brace = b == '{' || b == '}', doubled = brace && *at + 1 < t.n && t.p[*at + 1] == b;
        if (b == '{' && !doubled) break;
        c->lex.start = *at;
        if (b == '}' && !doubled) return expr_lex_error(&c->lex, c->err, "'}' without '{'; write '}}' for the character");
        *w++ = b;
        *at += doubled ? 2 : 1;
    }
    return expr_emit_constant(&c->out, expr_text(bytes_of(p, (size_t)(w - p))), EXPR_TEXT, out);
}

/* Parses from the opening brace to after the closing one. */
static int parse_braces(struct expr_compiler *c, size_t *at, struct expr_part *out) {
    c->lex.at = *at + 1;
    if (expr_compiler_next(c) || expr_compiler_text(c, out)) return -1;
    if (!expr_lex_is(&c->lex, "}")) {
        if (c->lex.token == TOKEN_END) c->lex.start = *at;
        return expr_lex_error(&c->lex, c->err,
                              c->lex.token == TOKEN_END ? "the brace that opens here is never closed"
                                                        : "expected an operator or '}' here");
    }
    *at = c->lex.at;
    return 0;
}

static int parse_template(struct expr_compiler *c, struct expr_part *out) {
    struct expr_part parts[EXPR_ARGS_MAX];
    unsigned n = 0;
    size_t at = c->lex.at;
    do {
        if (n == EXPR_ARGS_MAX) return expr_lex_error(&c->lex, c->err, "more than %d parts", EXPR_ARGS_MAX);
        bool braces = at < c->lex.text.n && c->lex.text.p[at] == '{' && !(at + 1 < c->lex.text.n && c->lex.text.p[at + 1] == '{');
        if (braces ? parse_braces(c, &at, &parts[n]) : parse_literal(c, &at, &parts[n])) return -1;
        n++;
    } while (at < c->lex.text.n);
    if (n == 1) {
        *out = parts[0];
        return 0;
    }
    return expr_compiler_operate(c, &expr_concat, parts, n, out);
}

static struct expr *compile_expr(struct bytes text, size_t from, parse_fn *parse, enum expr_type want,
                                 const struct expr_names *names, struct err *err) {
    struct expr *e = calloc(1, sizeof *e);
    if (!e) {
        err_nomem(err, sizeof *e, "an expression");
        return NULL;
    }
    e->memory.limit_bytes = CONSTANTS_MAX_BYTES;
    struct expr_compiler c = {
        .lex = {.text = text, .at = from, .columns = names->columns}, .out = {.e = e, .err = err}, .names = names, .err = err};
    c.out.lex = &c.lex;
    struct expr_part out = {0};
    if (!parse(&c, &out) && !expr_emit_convert(&c.out, &out, want, 0)) return e;
    expr_free(e);
    return NULL;
}

struct expr *expr_compile(struct bytes text, enum expr_type want, const struct expr_names *names, struct err *err) {
    return compile_expr(text, 0, parse_whole, want, names, err);
}

struct expr *expr_compile_template(struct bytes text, size_t from, const struct expr_names *names, struct err *err) {
    return compile_expr(text, from, parse_template, EXPR_TEXT, names, err);
}

bool expr_joins_numbers(const struct expr *e) {
    return e->joins_numbers;
}
