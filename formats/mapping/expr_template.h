/* Compiles whole programs: templates, key expressions and tests. */
#ifndef FORMATS_MAPPING_EXPR_TEMPLATE_H
#define FORMATS_MAPPING_EXPR_TEMPLATE_H

#include "base/bytes.h"
#include "base/err.h"
#include "formats/mapping/expr.h"
#include "formats/mapping/expr_program.h"

/* want: EXPR_TEXT, EXPR_NUMBER or EXPR_BOOL, to which the result is converted. NULL: ERR_USAGE says at which character and
 * what would be right. */
struct expr *expr_compile(struct bytes text, enum expr_type want, const struct expr_names *names, struct err *err);
/* A template, which begins `from` in text: text with expressions between braces, `fans:{id}`; a doubled brace is one. The result
 * is text. */
struct expr *expr_compile_template(struct bytes text, size_t from, const struct expr_names *names, struct err *err);
/* A + in it joins the digits of numbers, where a sum may be meant: 1 + 1 is 11, and so is id + 1 where id is 1. */
bool expr_joins_numbers(const struct expr *e);

#endif
