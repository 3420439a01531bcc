/* A set of timestamps: what the DeleteFamilyVersion markers of one row name.
 *
 * Open addressing, at most 3/4 full, so 11 to 22 bytes for each distinct timestamp (half as much again while it grows)
 * and nothing for a row without such markers. Its bound is the number of markers in one row: HBase holds them all too.
 * INT64_MIN cannot be a member: the version rules drop such cells before they look at the type. */
#ifndef FLOW_STAMP_SET_H
#define FLOW_STAMP_SET_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise. */
struct stamp_set {
    int64_t *slots;
    uint64_t n, cap; /* cap is 0 or a power of two */
};

/* 0, or -1 with ERR_LIMIT. Adding a member again changes nothing. */
int stamp_set_add(struct stamp_set *s, int64_t ts_ms, struct err *err);
bool stamp_set_has(const struct stamp_set *s, int64_t ts_ms);
/* Keeps a small table for the next row, gives a large one back. */
void stamp_set_clear(struct stamp_set *s);
void stamp_set_free(struct stamp_set *s);

#endif
