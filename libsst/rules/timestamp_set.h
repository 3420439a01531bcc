/* A set of timestamps. */
#ifndef RULES_TIMESTAMP_SET_H
#define RULES_TIMESTAMP_SET_H

#include "base/buf.h"
#include "base/err.h"

/* Timestamps in falling order, as one column has them: differences, in blocks of 32 with the first one of each in full. One to
 * ten bytes and a half for each distinct timestamp, mostly less than three. Zero-initialise. */
struct timestamp_run {
    struct buf firsts; /* of the blocks: struct timestamp_block */
    struct buf steps;  /* varints: how far each of the others is below the one before */
    uint64_t n;
    int64_t last_ms;
};

/* Timestamps that the DeleteFamilyVersion markers of one row name. The markers are in the column with the empty qualifier, so
 * they arrive in falling order. Those that do not (HBase honours such markers in other columns, too) go into a table with open
 * addressing, at most 3/4 full: 11 to 22 bytes each, half as much again while it grows. Together at most max_bytes; a row that
 * needs more is refused. INT64_MIN cannot be a member: the version rules drop such cells before they check the type.
 * Zero-initialise all but max_bytes. */
struct timestamp_set {
    struct timestamp_run falling;
    int64_t *slots;  /* of the others */
    uint64_t n, cap; /* slots taken; their number is 0 or a power of two */
    size_t max_bytes;
};

/* 0, or -1 with ERR_LIMIT. Adding a member again changes nothing. */
int timestamp_set_add(struct timestamp_set *s, int64_t ts_ms, struct err *err);
bool timestamp_set_look_up(const struct timestamp_set *s, int64_t ts_ms);
/* Keeps a little memory for the next row, gives more back. */
void timestamp_set_reset(struct timestamp_set *s);

/* Most rows have no such marker, and pay for no call. */
static inline bool timestamp_set_has(const struct timestamp_set *s, int64_t ts_ms) {
    return (s->falling.n || s->n) && timestamp_set_look_up(s, ts_ms);
}
static inline void timestamp_set_clear(struct timestamp_set *s) {
    if (s->falling.n || s->n) timestamp_set_reset(s);
}
void timestamp_set_free(struct timestamp_set *s);

#endif
