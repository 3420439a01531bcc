/* The lower half of the compiler: words, and steps of the program. */
#ifndef FORMATS_MAPPING_EXPR_COMPILE_H
#define FORMATS_MAPPING_EXPR_COMPILE_H

#include "base/err.h"
#include "formats/mapping/expr_emit.h"
#include "formats/mapping/expr_lex.h"
#include "formats/mapping/expr_program.h"

/* ---- recursive descent (expr_compile.c), for whole programs (expr_template.c) ---- */

struct expr_compiler {
    struct expr_lex lex;
    struct expr_emit out;
    const struct expr_names *names;
    unsigned nesting;
    struct err *err;
};

int expr_compiler_next(struct expr_compiler *c); /* token */
/* Any expression; one that becomes text. */
int expr_compiler_any(struct expr_compiler *c, struct expr_part *out);
int expr_compiler_text(struct expr_compiler *c, struct expr_part *out);
/* f of the n values on top. */
int expr_compiler_operate(struct expr_compiler *c, const struct expr_function *f, const struct expr_part *parts, unsigned n,
                          struct expr_part *out);

#endif
