/* Merges sorted sources into one. Rows are merged through a binary heap (8-byte prefixes first); cells only where two
 * inputs hold the same row. A part of one input passes through untouched when no other input has its row.
 * Needs one part per input; never copies row or value bytes. */
#ifndef SORT_MERGE_H
#define SORT_MERGE_H

#include "cell/cell.h"

/* Takes over the sources (also when it fails). n may be 0 or 1. */
struct source *merge_open(struct source **inputs, size_t n, enum tie_rule tie, struct err *err);

#endif
