/* A program while it is compiled: steps are appended, the values they leave are counted, and a call whose arguments are all
 * constants is evaluated at once. An error names the current place in the text. 0, -1. */
#ifndef FORMATS_MAPPING_EXPR_EMIT_H
#define FORMATS_MAPPING_EXPR_EMIT_H

#include "base/bytes.h"
#include "base/err.h"
#include "formats/mapping/expr.h"
#include "formats/mapping/expr_lex.h"
#include "formats/mapping/expr_program.h"

struct near_name;

/* The part of the text compiled last: its ops are the last of the program, its value the top of the stack. */
struct expr_part {
    enum expr_type type;
    uint32_t field; /* the first that went into it */
    bool joined;    /* by + */
};

struct expr_emit {
    struct expr_lex *lex;
    struct expr *e;
    uint32_t stack, barrier; /* ops before the barrier are jumped over: they are no arguments to fold */
    struct err *err;
};

/* A step that leaves a value. */
int expr_emit_push(struct expr_emit *x, struct expr_op op);
int expr_emit_constant(struct expr_emit *x, struct expr_value v, enum expr_type type, struct expr_part *out);
/* The last n steps are constants. */
bool expr_emit_all_constant(const struct expr_emit *x, unsigned n);
/* A call of op.f with op.n_args values, of which the last is op.at below the top. */
int expr_emit_call(struct expr_emit *x, struct expr_op op);
/* Converts the value `below` the top. */
int expr_emit_convert(struct expr_emit *x, struct expr_part *p, enum expr_type to, uint32_t below);
/* *at: for expr_emit_land, which makes it lead to the next step. */
int expr_emit_jump(struct expr_emit *x, enum expr_code code, uint32_t *at);
void expr_emit_land(struct expr_emit *x, uint32_t jump);
/* The value on top is not needed. */
int expr_emit_drop(struct expr_emit *x);
/* The first field that went into any of them, or EXPR_NO_FIELD. */
uint32_t expr_emit_field(const struct expr_part *parts, unsigned n);

const struct expr_function *expr_function_find(struct bytes name);
void expr_functions_offer(struct near_name *near); /* all of them */

#endif
