/* Recursive descent straight into the flat program. Lowest first: or, and, not, comparisons, + (joins bytes), -, * / %, unary
 * minus, slices. Calls whose arguments are all constants are made at once. */
#include "base/near_name.h"
#include "formats/mapping/expr.h"
#include "formats/mapping/expr_compile.h"
#include "formats/mapping/expr_number.h"
#include "formats/mapping/expr_run.h"
#include "formats/mapping/lookup_table.h"

#include <stdlib.h>

enum { NESTING_MAX = 64, SHOWN_BYTES = 60 };

#define SHOW(b) (int)((b).n > SHOWN_BYTES ? SHOWN_BYTES : (b).n), (const char *)(b).p

int expr_compiler_next(struct expr_compiler *c) {
    return expr_lex_next(&c->lex, c->err);
}

/* A failure about what began at `start`. */
static int fail_at(struct expr_compiler *c, size_t start, const char *text) {
    c->lex.start = start;
    return expr_lex_error(&c->lex, c->err, "%s", text);
}

static int expect(struct expr_compiler *c, const char *sign) {
    if (expr_lex_is(&c->lex, sign)) return expr_compiler_next(c);
    if (c->lex.token == TOKEN_END) return expr_lex_error(&c->lex, c->err, "expected '%s', but the text ends", sign);
    return expr_lex_error(&c->lex, c->err, "expected '%s' before '%.*s'", sign, SHOW(c->lex.raw));
}

/* ---- calls ---- */

int expr_compiler_text(struct expr_compiler *c, struct expr_part *out) {
    return expr_compiler_any(c, out) || expr_emit_convert(&c->out, out, EXPR_TEXT, 0) ? -1 : 0;
}

/* if(condition, a, b), from after the bracket on. */
static int parse_if(struct expr_compiler *c, struct expr_part *out) {
    struct expr_part condition, a, b = {.type = EXPR_TEXT, .field = EXPR_NO_FIELD};
    uint32_t otherwise, end;
    if (expr_compiler_any(c, &condition) || expr_emit_convert(&c->out, &condition, EXPR_BOOL, 0) || expect(c, ",")) return -1;
    if (expr_emit_jump(&c->out, OP_JUMP_UNLESS, &otherwise) || expr_emit_drop(&c->out) || expr_compiler_text(c, &a) ||
        expr_emit_jump(&c->out, OP_JUMP, &end))
        return -1;
    expr_emit_land(&c->out, otherwise);
    if (expr_emit_drop(&c->out)) return -1;
    c->out.stack++; /* what the jump came with is what was dropped */
    if (expr_lex_is(&c->lex, ",") ? expr_compiler_next(c) || expr_compiler_text(c, &b)
                                  : expr_emit_constant(&c->out, (struct expr_value){0}, EXPR_TEXT, &b))
        return -1;
    expr_emit_land(&c->out, end);
    const struct expr_part all[] = {a, b, condition};
    *out = (struct expr_part){.type = EXPR_TEXT, .field = expr_emit_field(all, countof(all))};
    return expect(c, ")");
}

static int parse_coalesce(struct expr_compiler *c, struct expr_part *out) {
    uint32_t jumps[EXPR_ARGS_MAX];
    unsigned n = 0;
    if (expr_compiler_text(c, out)) return -1;
    while (expr_lex_is(&c->lex, ",")) {
        struct expr_part p;
        if (n == EXPR_ARGS_MAX) return expr_lex_error(&c->lex, c->err, "coalesce takes at most %d arguments", EXPR_ARGS_MAX);
        if (expr_emit_jump(&c->out, OP_JUMP_PRESENT, &jumps[n++]) || expr_emit_drop(&c->out) || expr_compiler_next(c) ||
            expr_compiler_text(c, &p))
            return -1;
        if (out->field == EXPR_NO_FIELD) out->field = p.field;
    }
    out->type = EXPR_TEXT;
    while (n) expr_emit_land(&c->out, jumps[--n]);
    return expect(c, ")");
}

static int take_argument(struct expr_compiler *c, const struct expr_function *f, unsigned i, struct expr_part *p,
                         struct expr_value *value) {
    enum expr_arg kind = f->args[i < countof(f->args) ? i : countof(f->args) - 1];
    uint32_t before = c->out.e->n;
    if (expr_compiler_any(c, p)) return -1;
    bool digest = p->type == EXPR_HEX || p->type == EXPR_RAW;
    if (kind == ARG_HASH && !digest && p->type != EXPR_NUMBER)
        return expr_lex_error(&c->lex, c->err, "%s takes a hash or a number, such as md5(id), murmur3(id) or number(id): %s",
                              f->name, f->usage);
    if ((kind == ARG_HASH || kind == ARG_COUNT) && digest) return 0;
    if (expr_emit_convert(&c->out, p,
                          kind == ARG_TEXT || kind == ARG_CONST ? EXPR_TEXT
                          : kind == ARG_BOOL                    ? EXPR_BOOL
                                                                : EXPR_NUMBER,
                          0))
        return -1;
    if (kind != ARG_CONST) return 0;
    if (c->out.e->n != before + 1 || !expr_emit_all_constant(&c->out, 1))
        return expr_lex_error(&c->lex, c->err, "argument %u of %s must be a constant: %s", i + 1, f->name, f->usage);
    *value = c->out.e->ops[before].value;
    return 0;
}

int expr_compiler_operate(struct expr_compiler *c, const struct expr_function *f, const struct expr_part *parts, unsigned n,
                          struct expr_part *out) {
    *out = (struct expr_part){.type = f->result, .field = expr_emit_field(parts, n)};
    return expr_emit_call(&c->out, (struct expr_op){.n_args = (uint8_t)n, .type = parts[0].type, .f = f, .field = out->field});
}

/* The table and column that lookup() names. */
static int find_table(struct expr_compiler *c, const struct expr_value *consts, struct expr_op *op, struct err *err) {
    struct lookup_use *use = expr_keep(&c->out.e->memory, sizeof *use, err);
    if (!use) return -1;
    op->data = use;
    if (!c->names->table) return err_set(err, ERR_USAGE, "lookup needs a mapping file with \"tables\"");
    return c->names->table(c->names->arg, bytes_of(consts[0].p, consts[0].n), bytes_of(consts[2].p, consts[2].n), use, err);
}

/* Failures are those of the whole call, which began at `start`. */
static int finish_call(struct expr_compiler *c, const struct expr_function *f, size_t start, const struct expr_part *parts,
                       unsigned n, const struct expr_value *consts, struct expr_part *out) {
    struct expr_op op = {.n_args = (uint8_t)n, .type = parts[0].type, .f = f, .field = expr_emit_field(parts, n)};
    struct err bad = {0};
    size_t here = c->lex.start;
    c->lex.start = start;
    if (n < f->min_args || n > f->max_args) return expr_lex_error(&c->lex, c->err, "%s is written %s", f->name, f->usage);
    int rc = f->prepare ? f->prepare(&op, consts, &c->out.e->memory, &bad) : 0;
    if (f->takes_table) rc = find_table(c, consts, &op, &bad);
    if (rc && bad.code == ERR_USAGE) return expr_lex_error(&c->lex, c->err, "%s", bad.text);
    if (rc) {
        err_keep(c->err, &bad);
        return -1;
    }
    bool digest = parts[0].type == EXPR_HEX || parts[0].type == EXPR_RAW;
    *out = (struct expr_part){.type = f->keeps_type && digest ? parts[0].type : f->result, .field = op.field};
    rc = expr_emit_call(&c->out, op);
    if (!rc) c->lex.start = here;
    return rc;
}

/* `if` and `coalesce` are no functions: not all of their arguments are computed. */
static int refuse_function(struct expr_compiler *c, struct bytes name, size_t start) {
    struct near_name near = near_name_to(name);
    char meant[NEAR_NAME_MAX + 48];
    expr_functions_offer(&near);
    near_name_offer(&near, bytes_str("if"));
    near_name_offer(&near, bytes_str("coalesce"));
    c->lex.start = start;
    return expr_lex_error(&c->lex, c->err, "there is no function '%.*s'%s (man obkv-mapping lists them)", SHOW(name),
                          near_name_text(&near, "", meant));
}

/* The arguments of a call, from after the opening bracket on. */
static int parse_call(struct expr_compiler *c, struct bytes name, size_t start, struct expr_part *out) {
    const struct expr_function *f = expr_function_find(name);
    struct expr_part parts[EXPR_ARGS_MAX];
    struct expr_value consts[EXPR_ARGS_MAX] = {0};
    unsigned n = 0;
    if (bytes_eq(name, bytes_str("if"))) return parse_if(c, out);
    if (bytes_eq(name, bytes_str("coalesce"))) return parse_coalesce(c, out);
    if (!f) return refuse_function(c, name, start);
    for (bool more = !expr_lex_is(&c->lex, ")"); more; n++) {
        if (n == f->max_args) return expr_lex_error(&c->lex, c->err, "too many arguments: %s", f->usage);
        if (take_argument(c, f, n, &parts[n], &consts[n])) return -1;
        more = expr_lex_is(&c->lex, ",");
        if (more && expr_compiler_next(c)) return -1;
    }
    if (expect(c, ")")) return -1;
    if (!n) return fail_at(c, start, f->usage);
    return finish_call(c, f, start, parts, n, consts, out);
}

/* ---- primaries ---- */

static int parse_field(struct expr_compiler *c, struct bytes name, struct expr_part *out) {
    uint32_t field;
    enum expr_type type = EXPR_TEXT;
    int rc = c->names->find(c->names->arg, name, &field, &type, c->err);
    if (rc < 0) return -1;
    if (!rc) return expr_lex_error(&c->lex, c->err, "there is no column '%.*s'", SHOW(name));
    *out = (struct expr_part){.type = type, .field = field};
    return expr_emit_push(&c->out, (struct expr_op){.code = OP_FIELD, .at = field, .field = field});
}

static int parse_quoted(struct expr_compiler *c, struct expr_part *out) {
    bool name = c->lex.token == TOKEN_QUOTED;
    uint8_t *p = expr_keep(&c->out.e->memory, c->lex.raw.n + 1, c->err);
    size_t n;
    if (!p || expr_lex_unescape(&c->lex, p, &n, c->err)) return -1;
    if (name ? parse_field(c, bytes_of(p, n), out) : expr_emit_constant(&c->out, expr_text(bytes_of(p, n)), EXPR_TEXT, out))
        return -1;
    return expr_compiler_next(c);
}

static int parse_number(struct expr_compiler *c, struct expr_part *out) {
    int64_t v;
    if (!expr_parse_number(c->lex.raw, &v))
        return expr_lex_error(&c->lex, c->err, "'%.*s' is not a whole number of 64 bits", SHOW(c->lex.raw));
    return expr_emit_constant(&c->out, expr_number(v), EXPR_NUMBER, out) || expr_compiler_next(c) ? -1 : 0;
}

struct word {
    const char *name;
    struct expr_value value;
    enum expr_type type;
};

static const struct word *word_of(struct bytes name) {
    static const uint8_t there = 0;
    static const struct word words[] = {
        {"true", {.p = &there, .number = 1}, EXPR_BOOL},
        {"false", {.p = &there, .number = 0}, EXPR_BOOL},
        {"null", {.p = NULL}, EXPR_TEXT},
        {"Long.MAX", {.p = &there, .number = INT64_MAX}, EXPR_NUMBER},
        {"Long.MAX_VALUE", {.p = &there, .number = INT64_MAX}, EXPR_NUMBER},
        {"Integer.MAX", {.p = &there, .number = INT32_MAX}, EXPR_NUMBER},
        {"Integer.MAX_VALUE", {.p = &there, .number = INT32_MAX}, EXPR_NUMBER},
    };
    for (size_t i = 0; i < countof(words); i++)
        if (bytes_eq(name, bytes_str(words[i].name))) return &words[i];
    return NULL;
}

static int parse_name(struct expr_compiler *c, struct expr_part *out) {
    struct bytes name = c->lex.raw;
    size_t start = c->lex.start;
    struct expr_lex after = c->lex;
    const struct word *w = word_of(name);
    if (expr_lex_next(&after, c->err)) return -1;
    if (expr_lex_is(&after, "(")) {
        c->lex = after;
        return expr_compiler_next(c) || parse_call(c, name, start, out) ? -1 : 0;
    }
    if (w ? expr_emit_constant(&c->out, w->value, w->type, out) : parse_field(c, name, out)) return -1;
    c->lex = after;
    return 0;
}

static int parse_primary(struct expr_compiler *c, struct expr_part *out) {
    if (expr_lex_is(&c->lex, "(")) return expr_compiler_next(c) || expr_compiler_any(c, out) || expect(c, ")") ? -1 : 0;
    switch (c->lex.token) {
    case TOKEN_NAME:
        if (expr_lex_is(&c->lex, "and") || expr_lex_is(&c->lex, "or")) break;
        return parse_name(c, out);
    case TOKEN_STRING:
    case TOKEN_QUOTED: return parse_quoted(c, out);
    case TOKEN_NUMBER: return parse_number(c, out);
    case TOKEN_END: return expr_lex_error(&c->lex, c->err, "expected a column, a 'constant' or a function, but the text ends");
    case TOKEN_SIGN: break;
    }
    return expr_lex_error(&c->lex, c->err, "expected a column, a 'constant' or a function, not '%.*s'", SHOW(c->lex.raw));
}

/* ---- operators ---- */

static int parse_limit(struct expr_compiler *c, int64_t *v) {
    bool negative = expr_lex_is(&c->lex, "-");
    if (negative && expr_compiler_next(c)) return -1;
    if (c->lex.token != TOKEN_NUMBER || !expr_parse_number(c->lex.raw, v))
        return expr_lex_error(&c->lex, c->err, "a slice is written [from:to] with whole numbers, either may be missing");
    if (negative) *v = -*v;
    return expr_compiler_next(c);
}

static int parse_slices(struct expr_compiler *c, struct expr_part *out) {
    while (expr_lex_is(&c->lex, "[")) {
        struct expr_op op = {.n_args = 1, .f = &expr_slice, .from = 0, .to = INT64_MAX};
        if (expr_compiler_next(c) || (!expr_lex_is(&c->lex, ":") && parse_limit(c, &op.from)) || expect(c, ":")) return -1;
        if (!expr_lex_is(&c->lex, "]") && parse_limit(c, &op.to)) return -1;
        if (expect(c, "]") || (out->type == EXPR_NUMBER && expr_emit_convert(&c->out, out, EXPR_TEXT, 0))) return -1;
        if (out->type == EXPR_BOOL) return expr_emit_convert(&c->out, out, EXPR_TEXT, 0);
        op.type = out->type;
        op.field = out->field;
        if (expr_emit_call(&c->out, op)) return -1;
    }
    return 0;
}

static int parse_unary(struct expr_compiler *c, struct expr_part *out) {
    if (!expr_lex_is(&c->lex, "-")) return parse_primary(c, out) || parse_slices(c, out) ? -1 : 0;
    struct expr_part p;
    if (++c->nesting > NESTING_MAX) return expr_lex_error(&c->lex, c->err, "nested more than %d deep", NESTING_MAX);
    if (expr_compiler_next(c) || parse_unary(c, &p) || expr_emit_convert(&c->out, &p, EXPR_NUMBER, 0)) return -1;
    c->nesting--;
    return expr_compiler_operate(c, &expr_negate, &p, 1, out);
}

typedef int parse_fn(struct expr_compiler *c, struct expr_part *out);

/* Numbers from left to right, with the signs of one level. */
static int parse_level(struct expr_compiler *c, const char *const *signs, size_t n, parse_fn *operand, struct expr_part *out) {
    if (operand(c, out)) return -1;
    for (;;) {
        size_t i = 0;
        while (i < n && !expr_lex_is(&c->lex, signs[i])) i++;
        if (i == n) return 0;
        struct expr_part both[2] = {*out};
        if (expr_emit_convert(&c->out, &both[0], EXPR_NUMBER, 0) || expr_compiler_next(c) || operand(c, &both[1]) ||
            expr_emit_convert(&c->out, &both[1], EXPR_NUMBER, 0))
            return -1;
        if (expr_compiler_operate(c, expr_operator(signs[i]), both, 2, out)) return -1;
    }
}

static int parse_product(struct expr_compiler *c, struct expr_part *out) {
    static const char *const signs[] = {"*", "/", "%"};
    return parse_level(c, signs, countof(signs), parse_unary, out);
}

static int parse_difference(struct expr_compiler *c, struct expr_part *out) {
    static const char *const signs[] = {"-"};
    return parse_level(c, signs, countof(signs), parse_product, out);
}

/* Counts of the operands of a +, by kind. Where a sum may be meant, all are numbers, or columns beside a number that is written
 * out. */
struct addends {
    unsigned numbers, columns, written;
};

static int parse_addend(struct expr_compiler *c, struct expr_part *out, struct addends *seen) {
    uint32_t before = c->out.e->n;
    bool digits = c->lex.token == TOKEN_NUMBER;
    if (parse_difference(c, out)) return -1;
    bool single = c->out.e->n == before + 1, number = out->type == EXPR_NUMBER;
    seen->numbers += number;
    seen->columns += !number && single && c->out.e->ops[before].code == OP_FIELD;
    seen->written += number && single && digits; /* 60 * 1000 is one constant, too */
    return 0;
}

static int parse_joined(struct expr_compiler *c, struct expr_part *out) {
    struct expr_part parts[EXPR_ARGS_MAX];
    struct addends seen = {0};
    unsigned n = 1;
    if (parse_addend(c, &parts[0], &seen)) return -1;
    if (!expr_lex_is(&c->lex, "+")) {
        *out = parts[0];
        return 0;
    }
    if (expr_emit_convert(&c->out, &parts[0], EXPR_TEXT, 0)) return -1;
    for (; expr_lex_is(&c->lex, "+"); n++) {
        if (n == EXPR_ARGS_MAX) return expr_lex_error(&c->lex, c->err, "more than %d parts in one sum", EXPR_ARGS_MAX);
        if (expr_compiler_next(c) || parse_addend(c, &parts[n], &seen) || expr_emit_convert(&c->out, &parts[n], EXPR_TEXT, 0))
            return -1;
    }
    parts[0].type = EXPR_TEXT;
    if (expr_compiler_operate(c, &expr_concat, parts, n, out)) return -1;
    c->out.e->joins_numbers |= seen.numbers == n || (seen.written && seen.numbers + seen.columns == n);
    out->joined = true;
    return 0;
}

static int parse_comparison(struct expr_compiler *c, struct expr_part *out) {
    static const char *const signs[] = {"=", "==", "!=", "<>", "<", "<=", ">", ">="};
    struct expr_part both[2];
    size_t i = 0;
    if (parse_joined(c, out)) return -1;
    while (i < countof(signs) && !expr_lex_is(&c->lex, signs[i])) i++;
    if (i == countof(signs)) return 0;
    both[0] = *out;
    if (expr_compiler_next(c) || parse_joined(c, &both[1])) return -1;
    if (both[0].type == EXPR_BOOL || both[1].type == EXPR_BOOL)
        return expr_lex_error(&c->lex, c->err, "conditions cannot be compared; join them with and, or, not");
    bool numbers = both[0].type == EXPR_NUMBER || both[1].type == EXPR_NUMBER;
    enum expr_type type = numbers ? EXPR_NUMBER : EXPR_TEXT;
    if (expr_emit_convert(&c->out, &both[0], type, 1) || expr_emit_convert(&c->out, &both[1], type, 0)) return -1;
    return expr_compiler_operate(c, expr_compare(signs[i], numbers), both, 2, out);
}

static int parse_not(struct expr_compiler *c, struct expr_part *out) {
    if (!expr_lex_is(&c->lex, "not")) return parse_comparison(c, out);
    struct expr_part p;
    if (++c->nesting > NESTING_MAX) return expr_lex_error(&c->lex, c->err, "nested more than %d deep", NESTING_MAX);
    if (expr_compiler_next(c) || parse_not(c, &p) || expr_emit_convert(&c->out, &p, EXPR_BOOL, 0)) return -1;
    c->nesting--;
    return expr_compiler_operate(c, expr_function_find(bytes_str("not")), &p, 1, out);
}

static int parse_chain(struct expr_compiler *c, const char *word, enum expr_code jump, parse_fn *operand, struct expr_part *out) {
    uint32_t at;
    if (operand(c, out)) return -1;
    while (expr_lex_is(&c->lex, word)) {
        struct expr_part p;
        if (expr_emit_convert(&c->out, out, EXPR_BOOL, 0) || expr_emit_jump(&c->out, jump, &at) || expr_emit_drop(&c->out) ||
            expr_compiler_next(c))
            return -1;
        if (operand(c, &p) || expr_emit_convert(&c->out, &p, EXPR_BOOL, 0)) return -1;
        expr_emit_land(&c->out, at);
        if (out->field == EXPR_NO_FIELD) out->field = p.field;
    }
    return 0;
}

static int parse_and(struct expr_compiler *c, struct expr_part *out) {
    return parse_chain(c, "and", OP_JUMP_UNLESS, parse_not, out);
}

int expr_compiler_any(struct expr_compiler *c, struct expr_part *out) {
    if (++c->nesting > NESTING_MAX) return expr_lex_error(&c->lex, c->err, "nested more than %d deep", NESTING_MAX);
    if (parse_chain(c, "or", OP_JUMP_IF, parse_and, out)) return -1;
    c->nesting--;
    return 0;
}
