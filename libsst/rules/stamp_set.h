/* A set of timestamps: what the DeleteFamilyVersion markers of one row name.
 *
 * They stand in the column with the empty qualifier, so they come in falling order and are kept as a run (rules/stamp_run.h).
 * Those that do not (HBase honours such markers in other columns, too) go into a table with open addressing, at most 3/4 full:
 * 11 to 22 bytes each, half as much again while it grows. Together at most max_bytes, beyond which a row is refused; HBase holds
 * them all too. Nothing for a row without such markers.
 * INT64_MIN cannot be a member: the version rules drop such cells before they look at the type. */
#ifndef RULES_STAMP_SET_H
#define RULES_STAMP_SET_H

#include "rules/stamp_run.h"

/* Zero-initialise, but for max_bytes. */
struct stamp_set {
    struct stamp_run run;
    int64_t *slots;  /* of the others */
    uint64_t n, cap; /* slots taken; their number is 0 or a power of two */
    size_t max_bytes;
};

/* 0, or -1 with ERR_LIMIT. Adding a member again changes nothing. */
int stamp_set_add(struct stamp_set *s, int64_t ts_ms, struct err *err);
bool stamp_set_look_up(const struct stamp_set *s, int64_t ts_ms);
/* Keeps a little memory for the next row, gives more back. */
void stamp_set_reset(struct stamp_set *s);

/* Most rows have no such marker, and pay for no call. */
static inline bool stamp_set_has(const struct stamp_set *s, int64_t ts_ms) {
    return (s->run.n || s->n) && stamp_set_look_up(s, ts_ms);
}
static inline void stamp_set_clear(struct stamp_set *s) {
    if (s->run.n || s->n) stamp_set_reset(s);
}
void stamp_set_free(struct stamp_set *s);

#endif
