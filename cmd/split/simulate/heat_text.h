/* Numbers in rows and columns as characters of ten weights, for a terminal. */
#ifndef SIMULATE_HEAT_TEXT_H
#define SIMULATE_HEAT_TEXT_H

#include "base/buf.h"

struct heat_text {
    uint32_t rows, columns;
    uint64_t (*at)(const void *arg, uint32_t row, uint32_t column);
    uint32_t (*label)(const void *arg, uint32_t row); /* what stands in front of a row */
    const void *arg;
};

/* The largest number: shown as '@'. */
uint64_t heat_text_most(const struct heat_text *h);
int heat_text_put(const struct heat_text *h, uint64_t most, struct buf *out, struct err *err);

#endif
