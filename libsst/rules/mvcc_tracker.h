/* The version rules of NEW_VERSION_BEHAVIOR for the cells of a row, as HBase's NewVersionBehaviorTracker: a marker hides only
 * what was written before it, and a version that newer ones pushed out stays out. Knows neither TTL nor KEEP_DELETED_CELLS.
 * docs/compaction-rules.md. */
#ifndef RULES_MVCC_TRACKER_H
#define RULES_MVCC_TRACKER_H

#include "base/err.h"
#include "base/stop.h"
#include "cell/cell.h"

struct mvcc_tracker;

enum mvcc_verdict {
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
int mvcc_tracker_judge(struct mvcc_tracker *t, const struct cell *c, enum mvcc_verdict *verdict, uint8_t *marker,
                       struct err *err);

#endif
