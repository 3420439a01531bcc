/* Functions of expressions over whole numbers of 64 bits. */
#ifndef FORMATS_MAPPING_EXPR_NUMBER_H
#define FORMATS_MAPPING_EXPR_NUMBER_H

#include "base/bytes.h"
#include "formats/mapping/expr_program.h"

const struct expr_function *expr_operator(const char *sign); /* - * / % and comparisons of numbers */
/* The whole text as a decimal number as Java's Long.parseLong takes it. */
bool expr_parse_number(struct bytes text, int64_t *out);

#endif
