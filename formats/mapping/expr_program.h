/* Programs and the functions in them, for the compiler, the evaluator and the files of functions. Exports: expr. */
#ifndef FORMATS_MAPPING_EXPR_PROGRAM_H
#define FORMATS_MAPPING_EXPR_PROGRAM_H

#include "base/err.h"
#include "formats/mapping/expr.h"

/* Compiled expressions, shared by the compiler, the evaluator and the files of functions: a flat program for a stack machine.
 * Exports: expr. */

enum { EXPR_STACK_MAX = 64, EXPR_ARGS_MAX = 32, EXPR_OPS_MAX = 4096 };

/* One run of a program. */
struct expr_run {
    struct expr_scratch *scratch;
    struct expr_fault *why;
    struct err *err;
};

struct expr_op;
/* Result into args[0]; args are not null unless the function takes nulls. 1, 0 (run->why is set), -1. */
typedef int expr_fn(struct expr_run *run, const struct expr_op *op, struct expr_value *args);

/* Kinds of arguments of a function. */
enum expr_arg {
    ARG_NONE,
    ARG_TEXT,
    ARG_NUMBER,
    ARG_BOOL,
    ARG_COUNT, /* a digest, or anything that is a number */
    ARG_HASH,  /* a digest or a number; text is refused: it would have to be hashed first */
    ARG_CONST  /* text known when it is compiled: a format, a zone */
};

struct expr_function {
    const char *name;  /* as it is written, or the sign of an operator */
    const char *usage; /* "zeropad(number|text, width)" */
    enum expr_type result;
    uint8_t min_args, max_args;
    uint8_t args[3];  /* enum expr_arg; further ones are like the last */
    bool takes_nulls; /* run is called with null arguments too */
    bool takes_table; /* lookup: op->data is a struct lookup_use */
    bool keeps_type;  /* of a digest as first argument the result is of the same kind */
    uint8_t variant;  /* for functions that share run */
    expr_fn *run;
    /* Constants are read once: op->data is set from consts[i] (of ARG_CONST arguments). NULL: nothing to do. */
    int (*prepare)(struct expr_op *op, const struct expr_value *consts, struct expr_scratch *memory, struct err *err);
};

enum expr_code { OP_CONST, OP_FIELD, OP_CALL, OP_JUMP, OP_JUMP_UNLESS, OP_JUMP_IF, OP_JUMP_PRESENT, OP_DROP };

struct expr_op {
    enum expr_code code;
    uint8_t n_args;                /* OP_CALL */
    enum expr_type type;           /* OP_CALL: of the first argument */
    uint32_t at;                   /* OP_FIELD: which; jumps: where to; OP_CALL: how far below the top the last argument is */
    uint32_t field;                /* the first field that went into it, for messages */
    const struct expr_function *f; /* OP_CALL */
    const void *data;              /* what prepare left */
    struct expr_value value;       /* OP_CONST */
    int64_t from, to;              /* slices */
};

struct expr {
    struct expr_op *ops;
    uint32_t n;
    enum expr_type type;
    bool joins_numbers;         /* a + where a sum may be meant, or whose result is to be a number */
    struct expr_scratch memory; /* constants */
};
/* 'text' for a message: clipped, what does not print as \xNN. */
enum { EXPR_QUOTE_BYTES = 64 };

/* The families of functions, each a file; names are unique over all. */
struct expr_functions {
    const struct expr_function *list;
    size_t n;
};
extern const struct expr_functions expr_text_functions, expr_number_functions, expr_decimal_functions, expr_hash_functions,
    expr_code_functions, expr_time_functions, expr_test_functions, expr_lookup_functions;

/* Functions that the compiler itself puts into programs (expr_number.c, expr_text.c). */
extern const struct expr_function expr_to_text, expr_to_number, expr_concat, expr_slice, expr_negate;
const struct expr_function *expr_compare(const char *sign, bool numbers);

#endif
