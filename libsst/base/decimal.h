/* Numbers as decimal text, up to 128 bits: sums inside a database are wider than 64 bits. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include "base/bytes.h"

__extension__ typedef unsigned __int128 u128;

enum { DECIMAL_I64_BYTES = 20, DECIMAL_U128_BYTES = 39 };

/* Write the digits (no NUL) and return the end; out has DECIMAL_I64_BYTES bytes. */
uint8_t *decimal_put_u64(uint8_t *out, uint64_t v);
uint8_t *decimal_put_i64(uint8_t *out, int64_t v);

/* With a NUL. */
void decimal_print_u128(u128 v, char out[DECIMAL_U128_BYTES + 1]);
/* Digits only, at least one. false: anything else, or too large. */
bool decimal_parse_u128(struct bytes text, u128 *v);
/* The same with a minus in front allowed. */
bool decimal_parse_i64(struct bytes text, int64_t *v);

#endif
