/* A program while it is compiled: steps are put after each other, the values they leave on the stack are counted, and calls whose
 * arguments are all constants are made at once. Also the list of all functions, by the files they are in. */
#include "base/buf.h"
#include "base/near_name.h"
#include "formats/mapping/expr_emit.h"
#include "formats/mapping/expr_program.h"

#include <stdlib.h>

/* ---- steps ---- */

static int add_op(struct expr_emit *x, struct expr_op op) {
    struct expr *e = x->e;
    if (e->n == EXPR_OPS_MAX) return expr_lex_error(x->lex, x->err, "more than %d steps", EXPR_OPS_MAX);
    if (grow_array(&e->ops, e->n, sizeof *e->ops, "an expression", x->err)) return -1;
    e->ops[e->n++] = op;
    return 0;
}

int expr_emit_push(struct expr_emit *x, struct expr_op op) {
    if (x->stack == EXPR_STACK_MAX) return expr_lex_error(x->lex, x->err, "more than %d values at a time", EXPR_STACK_MAX);
    x->stack++;
    return add_op(x, op);
}

int expr_emit_constant(struct expr_emit *x, struct expr_value v, enum expr_type type, struct expr_part *out) {
    *out = (struct expr_part){.type = type, .field = EXPR_NO_FIELD};
    return expr_emit_push(x, (struct expr_op){.code = OP_CONST, .value = v});
}

bool expr_emit_all_constant(const struct expr_emit *x, unsigned n) {
    if (x->e->n < x->barrier + n) return false;
    for (unsigned i = 0; i < n; i++)
        if (x->e->ops[x->e->n - 1 - i].code != OP_CONST) return false;
    return true;
}

/* Makes the call whose constants are the last ops. */
static int fold_call(struct expr_emit *x, const struct expr_op *op) {
    struct expr_value args[EXPR_ARGS_MAX];
    struct expr_fault why = {0};
    struct expr_run run = {&x->e->memory, &why, x->err};
    bool null = false;
    for (unsigned i = 0; i < op->n_args; i++) {
        args[i] = x->e->ops[x->e->n - op->n_args + i].value;
        null |= !args[i].p;
    }
    int rc = 1;
    if (null && !op->f->takes_nulls)
        args[0] = (struct expr_value){0};
    else
        rc = op->f->run(&run, op, args);
    if (rc < 0) return -1;
    if (rc == 0) return expr_lex_error(x->lex, x->err, "%s", why.text);
    x->e->n -= op->n_args;
    return add_op(x, (struct expr_op){.code = OP_CONST, .value = args[0]});
}

int expr_emit_call(struct expr_emit *x, struct expr_op op) {
    op.code = OP_CALL;
    x->stack -= op.n_args - 1u;
    return !op.at && expr_emit_all_constant(x, op.n_args) ? fold_call(x, &op) : add_op(x, op);
}

uint32_t expr_emit_field(const struct expr_part *parts, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (parts[i].field != EXPR_NO_FIELD) return parts[i].field;
    return EXPR_NO_FIELD;
}

/* Converts the value `below` the top. */
int expr_emit_convert(struct expr_emit *x, struct expr_part *p, enum expr_type to, uint32_t below) {
    bool text = p->type == EXPR_TEXT || p->type == EXPR_HEX || p->type == EXPR_RAW;
    if (p->type == to || (text && to == EXPR_TEXT)) return 0;
    if (to == EXPR_BOOL)
        return expr_lex_error(x->lex, x->err, "expected a condition, such as city = 'Berlin' or not empty(city)");
    if (p->type == EXPR_BOOL)
        return expr_lex_error(x->lex, x->err, "a condition gives no value; write if(condition, 'yes', 'no')");
    if (p->type == EXPR_HEX || p->type == EXPR_RAW)
        return expr_lex_error(x->lex, x->err, "a digest is not a decimal number; use mod(…, n) or hex_number(…[0:8])");
    const struct expr_function *f = to == EXPR_NUMBER ? &expr_to_number : &expr_to_text;
    x->e->joins_numbers |= p->joined && to == EXPR_NUMBER;
    p->type = to;
    return expr_emit_call(x, (struct expr_op){.n_args = 1, .type = p->type, .f = f, .field = p->field, .at = below});
}

int expr_emit_jump(struct expr_emit *x, enum expr_code code, uint32_t *at) {
    *at = x->e->n;
    return add_op(x, (struct expr_op){.code = code});
}

void expr_emit_land(struct expr_emit *x, uint32_t jump) {
    x->e->ops[jump].at = x->barrier = x->e->n;
}

int expr_emit_drop(struct expr_emit *x) {
    x->stack--;
    return add_op(x, (struct expr_op){.code = OP_DROP});
}

/* ---- functions ---- */

static const struct expr_functions *const families[] = {&expr_text_functions, &expr_number_functions, &expr_decimal_functions,
                                                        &expr_hash_functions, &expr_code_functions,   &expr_time_functions,
                                                        &expr_test_functions, &expr_lookup_functions};

/* The n-th of all; NULL after the last. */
static const struct expr_function *function_at(size_t n) {
    for (size_t i = 0; i < countof(families); i++) {
        if (n < families[i]->n) return &families[i]->list[n];
        n -= families[i]->n;
    }
    return NULL;
}

const struct expr_function *expr_function_find(struct bytes name) {
    const struct expr_function *f;
    for (size_t i = 0; (f = function_at(i)); i++)
        if (bytes_eq(name, bytes_str(f->name))) return f;
    return NULL;
}

void expr_functions_offer(struct near_name *near) {
    const struct expr_function *f;
    for (size_t i = 0; (f = function_at(i)); i++) near_name_offer(near, bytes_str(f->name));
}
