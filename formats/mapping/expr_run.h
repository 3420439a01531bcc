/* Runs compiled expressions. */
#ifndef FORMATS_MAPPING_EXPR_RUN_H
#define FORMATS_MAPPING_EXPR_RUN_H

#include "base/err.h"
#include "formats/mapping/expr.h"
#include "formats/mapping/expr_program.h"

void expr_scratch_reset(struct expr_scratch *s); /* before each record */
void expr_scratch_free(struct expr_scratch *s);
void expr_free(struct expr *e);
/* 1: *out is the result, borrowed from fields, program or scratch; 0: the record does not fit (*why); -1: out of memory. */
int expr_eval(const struct expr *e, const struct expr_value *fields, struct expr_scratch *s, struct expr_value *out,
              struct expr_fault *why, struct err *err);
/* The whole program is one constant, or one field: callers may skip evaluation. */
bool expr_is_constant(const struct expr *e, struct expr_value *out);
bool expr_is_field(const struct expr *e, uint32_t *field);

/* n bytes of the scratch, or NULL: then *rc is what the function is to return. */
uint8_t *expr_take(struct expr_run *run, size_t n, int *rc);
/* Text of the program's own memory. */
void *expr_keep(struct expr_scratch *memory, size_t n, struct err *err);
/* Says what is wrong; returns 0. */
int expr_refuse(struct expr_run *run, const struct expr_op *op, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
const char *expr_quote(struct expr_value v, char out[EXPR_QUOTE_BYTES]);

#endif
