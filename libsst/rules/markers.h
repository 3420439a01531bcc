/* What the delete markers of one row leave in memory: a set of timestamps (DeleteFamilyVersion), and the tracker that
 * NEW_VERSION_BEHAVIOR needs. Used by the version rules only. */
#ifndef RULES_MARKERS_H
#define RULES_MARKERS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "cell/cell.h"

/* ---- a set of timestamps ---- */

/* Timestamps in falling order, as one column has them: differences, in blocks of 32 with the first one of each in full. One to
 * ten bytes and a half for each distinct timestamp, mostly less than three. Zero-initialise. */
struct timestamp_run {
    struct buf firsts; /* of the blocks: struct timestamp_block */
    struct buf steps;  /* varints: how far each of the others is below the one before */
    uint64_t n;
    int64_t last_ms;
};

/* What the DeleteFamilyVersion markers of one row name. They are in the column with the empty qualifier, so they arrive in
 * falling order. Those that do not (HBase honours such markers in other columns, too) go into a table with open addressing, at
 * most 3/4 full: 11 to 22 bytes each, half as much again while it grows. Together at most max_bytes; a row that needs more is
 * refused. INT64_MIN cannot be a member: the version rules drop such cells before they check the type.
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

/* ---- NEW_VERSION_BEHAVIOR ----
 *
 * A marker hides only what was written before it, and a version that newer
 * ones pushed out stays out. Decides each cell of a row; knows neither TTL nor KEEP_DELETED_CELLS. Source:
 * HBase NewVersionBehaviorTracker; docs/compaction.md. */

struct mvcc_tracker;

enum mvcc_fate {
    MVCC_VISIBLE,
    MVCC_DELETED, /* by a marker written later */
    MVCC_MASKED,  /* by newer versions */
    MVCC_TWIN     /* a newer cell has the same key */
};

/* versions: UINT64_MAX = unlimited. Memory: the row's markers and, in a column with markers, up to `versions` sequence ids for
 * each; limited by max_bytes (ERR_LIMIT). Time: each column may take as long as the row has markers, so that stop requests are
 * looked for inside a row (ERR_STOPPED; stop may be NULL). */
struct mvcc_tracker *mvcc_tracker_new(uint64_t versions, size_t max_bytes, const struct stop *stop, struct err *err);
void mvcc_tracker_free(struct mvcc_tracker *t);
void mvcc_tracker_begin_row(struct mvcc_tracker *t);
/* A delete marker, in cell order with the puts. */
int mvcc_tracker_mark(struct mvcc_tracker *t, const struct cell *c, struct err *err);
/* The number of survivors of the column, this one included. Like HBase's it starts anew with a column's first cell that is
 * marked or judged, so that a marker which only survives is counted with the column before. */
uint64_t mvcc_tracker_count(struct mvcc_tracker *t);
/* *marker: of MVCC_DELETED, the type of the marker that hides c. */
int mvcc_tracker_judge(struct mvcc_tracker *t, const struct cell *c, enum mvcc_fate *fate, uint8_t *marker, struct err *err);

#endif
