/* Key ranges painted over each other: how much of a range has been painted so far. n ranges are painted and asked for in
 * O(n log n) whatever they look like. */
#ifndef FORMATS_HBASE_STORE_COVER_H
#define FORMATS_HBASE_STORE_COVER_H

#include "base/bytes.h"
#include "base/err.h"

struct store_cover {
    uint32_t n;     /* elementary ranges between neighbouring bounds */
    uint32_t *next; /* [n + 1]: of each, itself when it is not painted, else one further on */
    uint32_t *sum;  /* [n + 1]: Fenwick tree of painted ones */
};

int store_cover_open(struct store_cover *c, uint32_t n, struct err *err);
/* [from, to) of elementary ranges. */
void store_cover_paint(struct store_cover *c, uint32_t from, uint32_t to);
uint32_t store_cover_painted(const struct store_cover *c, uint32_t from, uint32_t to);
void store_cover_clear(struct store_cover *c);
void store_cover_close(struct store_cover *c);

#endif
