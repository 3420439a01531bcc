/* Finds where delimiters, quotes and line ends stand, 64 bytes at a time. */
#ifndef FORMATS_CSV_CSV_MASK_H
#define FORMATS_CSV_CSV_MASK_H

#include "base/bytes.h"

enum { CSV_MASK_BYTES = 64, CSV_WINDOW = 16 };

/* The later, the faster. */
enum csv_vector { CSV_PLAIN, CSV_SSE2, CSV_AVX2, CSV_NEON, CSV_VECTORS };

/* Makes a mask of each of n blocks of CSV_MASK_BYTES from p on: a bit for each byte that is one of the three, the first byte
 * lowest. */
typedef void csv_mask_fn(const uint8_t *p, size_t n, const uint8_t bytes[3], uint64_t *masks);

/* Returns the function that uses v; NULL: not on this machine. */
csv_mask_fn *csv_mask_by(enum csv_vector v);
csv_mask_fn *csv_mask_best(void);
/* The mask of the first CSV_MASK_BYTES of the data, which may be fewer. */
uint64_t csv_mask_of(csv_mask_fn *find, struct bytes data, const uint8_t bytes[3]);

#endif
