/* Where regions begin: the first rows of all but the first one, ascending. Read-only once made: any thread may look. */
#ifndef SIMULATE_KEY_BOUNDS_H
#define SIMULATE_KEY_BOUNDS_H

#include "base/buf.h"

enum { REGIONS_MAX = 8192 };

struct key_bounds { /* zero-initialise: one region */
    struct buf *list;
    uint64_t *heads; /* their first 8 bytes as numbers: most comparisons need no more */
    uint32_t n;
};

/* Appends a copy; in any order until key_bounds_end. ERR_USAGE: too many. */
int key_bounds_add(struct key_bounds *b, struct bytes row, struct err *err);
/* Sorts. ERR_USAGE: an empty bound, or one that is there twice. */
int key_bounds_end(struct key_bounds *b, struct err *err);
void key_bounds_free(struct key_bounds *b);
/* The region of a row: 0 … n. */
uint32_t key_bounds_find(const struct key_bounds *b, struct bytes row);

#endif
