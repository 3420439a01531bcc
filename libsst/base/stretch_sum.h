/* The checksum of an input: the XXH3-64 of its bytes. Of text that several programs may read between them it is the sum, modulo
 * 2^64, of the XXH3-64 of its stretches of 1 MiB, each seeded with its number: parts that begin at a stretch add up to the sum of
 * the whole, without reading it again. Of up to one stretch both are the same.
 * Exports: stretch */
#ifndef BASE_STRETCH_SUM_H
#define BASE_STRETCH_SUM_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { STRETCH_BYTES = 1 << 20 };

struct stretch_sum;
struct stretch_sum *stretch_sum_new(struct err *err);
/* Sums up by stretches from now on; before the end of the first one. */
void stretch_sum_divide(struct stretch_sum *s);
/* Starts again, by stretches: the next byte is that at `begin`, a multiple of STRETCH_BYTES, and those before `end` count. */
void stretch_sum_part(struct stretch_sum *s, uint64_t begin, uint64_t end);
void stretch_sum_add(struct stretch_sum *s, const void *p, size_t n);
void stretch_sum_hex(const struct stretch_sum *s, char hex[17]);
void stretch_sum_free(struct stretch_sum *s);
/* Returns the sum over the stretches of a whole file, read once. */
int stretch_sum_of(const char *path, char hex[17], struct err *err);

#endif
