/* The lower half of the compiler: words, and steps of the program. */
#ifndef FORMATS_MAPPING_EXPR_COMPILE_H
#define FORMATS_MAPPING_EXPR_COMPILE_H

#include "base/bytes.h"
#include "base/err.h"
#include "formats/mapping/expr_program.h"

/* Words of an expression. */

enum expr_token {
    TOKEN_END,
    TOKEN_NAME,   /* bare: letters, digits, _ . and all bytes from 0x80 on; also $2, $.a[0] */
    TOKEN_QUOTED, /* `any name`; a doubled backquote is one */
    TOKEN_STRING, /* '…' or "…"; \\ \' \" \n \r \t \0 \xNN, a doubled quote is one */
    TOKEN_NUMBER,
    TOKEN_SIGN /* operators and brackets, one or two characters */
};

struct expr_lex {
    struct bytes text;
    size_t at;    /* after the token */
    size_t start; /* of the token */
    enum expr_token token;
    struct bytes raw; /* as in the text, without quotes; see expr_lex_unescape */
    bool columns;     /* family:qualifier is one name */
};

/* The next token; ERR_USAGE says at which character. */
int expr_lex_next(struct expr_lex *l, struct err *err);
/* "at character 7: …" (characters, not bytes, from 1); returns -1. */
int expr_lex_error(const struct expr_lex *l, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool expr_lex_is(const struct expr_lex *l, const char *sign_or_word);
/* The content of a quoted token into out (room for raw.n); its length, or -1. */
int expr_lex_unescape(const struct expr_lex *l, uint8_t *out, size_t *n, struct err *err);

/* A program while it is compiled: steps are appended, the values they leave are counted, and a call whose arguments are all
 * constants is evaluated at once. An error names the current place in the text. 0, -1. */

/* What has been compiled of the text: its ops are the last of the program, its value the top of the stack. */
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
