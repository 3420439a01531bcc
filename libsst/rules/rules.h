/* Version rules: which cells of a row survive a compaction. Pure functions over the cells of one row in order; knows nothing
 * of files. Source: HBase MajorCompactionScanQueryMatcher, MinorCompactionScanQueryMatcher, IncludeAllCompactionQueryMatcher,
 * ScanDeleteTracker, ScanWildcardColumnTracker, NewVersionBehaviorTracker; OceanBase ObHTableColumnTracker,
 * ObTableTTLDeleteRowIterator; see docs/compaction-rules.md. */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include "base/err.h"
#include "base/stop.h"
#include "cell/cell.h"
#include "table/table.h"

/* Reasons why a cell goes. The order is that of the ledger. */
enum verdict {
    VERDICT_KEEP = 0,
    VERDICT_EXPIRED,    /* table TTL or cell TTL, or a whole file expired: puts and markers */
    VERDICT_SUPERSEDED, /* a Put beyond VERSIONS */
    VERDICT_DUPLICATE,  /* same row, column, timestamp and type as a newer one */
    VERDICT_DELETED,    /* a Put masked by a delete marker */
    VERDICT_PURGED,     /* a delete marker that is no longer needed */
    VERDICT_COUNT
};

/* Causes of a verdict, counted apart below it: for a deleted Put the type of the marker that hides it, for a purged marker its
 * own. */
enum cause {
    CAUSE_KEPT,
    CAUSE_TABLE_TTL, /* of the cell, or of its whole file */
    CAUSE_CELL_TTL,
    CAUSE_VERSIONS,
    CAUSE_DUPLICATE,
    CAUSE_BY_DELETE,
    CAUSE_BY_DELETE_COLUMN,
    CAUSE_BY_DELETE_FAMILY,
    CAUSE_BY_DELETE_FAMILY_VERSION,
    CAUSE_PURGED_DELETE,
    CAUSE_PURGED_DELETE_COLUMN,
    CAUSE_PURGED_DELETE_FAMILY,
    CAUSE_PURGED_DELETE_FAMILY_VERSION,
    CAUSE_COUNT
};

/* Kinds of compactions: HBase's of all files of a store, HBase's of some, or what OBKV-HBase reads show of all. */
enum compaction_kind {
    COMPACTION_MAJOR,
    COMPACTION_MINOR,        /* since HBASE-30036: delete markers that another one covers go */
    COMPACTION_MINOR_BEFORE, /* releases before April 2026: every marker stays */
    COMPACTION_OCEANBASE,    /* no marker stays; KEEP_DELETED_CELLS, MIN_VERSIONS and the purge delay do not count */
    /* A delta: its markers hide cells that are elsewhere. Only one that another marker of the delta covers goes. */
    COMPACTION_DELTA, /* else as COMPACTION_MINOR */
    COMPACTION_OCEANBASE_DELTA,
    COMPACTION_KINDS,
    /* No version rules: the first input becomes the second by what is left (rules/changes.h). */
    COMPACTION_CHANGES = COMPACTION_KINDS
};
static inline bool compaction_is_oceanbase(enum compaction_kind k) {
    return k == COMPACTION_OCEANBASE || k == COMPACTION_OCEANBASE_DELTA;
}
static inline bool compaction_is_delta(enum compaction_kind k) {
    return k == COMPACTION_DELTA || k == COMPACTION_OCEANBASE_DELTA;
}
static inline bool compaction_is_minor(enum compaction_kind k) {
    return k == COMPACTION_MINOR || k == COMPACTION_MINOR_BEFORE;
}

struct rules_env {
    enum compaction_kind kind;
    struct family_rules family;
    int64_t now_ms;
    int64_t earliest_put_ms; /* over all inputs of the (partition, family); INT64_MAX when there is no Put */
    size_t row_bytes;        /* what may be held of a row's delete markers; it is refused beyond */
    const struct stop *stop; /* asked inside a row, too, where that takes long; NULL: never stops */
};

/* Timestamps below this are past the family's TTL; INT64_MIN when it has none (0, and HBase's 2147483647). */
int64_t rules_oldest_ms(const struct family_rules *family, int64_t now_ms);

/* State of one row. NULL with ERR_USAGE when versions is 0, ERR_LIMIT.
 * Memory: one qualifier and the row's distinct DeleteFamilyVersion timestamps (rules/timestamp_set.c), however wide the row; with
 * NEW_VERSION_BEHAVIOR what rules/mvcc_tracker.c says; at most row_bytes of either. */
struct rules;
struct rules *rules_new(const struct rules_env *env, struct err *err);
void rules_free(struct rules *r);
void rules_begin_row(struct rules *r);
/* A whole row that none of the rules can touch: puts within the TTL, without tags, one of each column. All of it stays, and none
 * of its cells need be judged. false: they must be. */
bool rules_leave_row(const struct rules *r, const struct cell *cells, uint32_t n);
/* Sets the earliest Put, instead of rules_env's, where it depends on the row. */
void rules_set_earliest_put(struct rules *r, int64_t earliest_put_ms);
/* The next cell of the row, in cell order, duplicates newest first. Nothing of c is kept. -1 with ERR_LIMIT or ERR_STOPPED. */
int rules_judge(struct rules *r, const struct cell *c, enum cause *why, struct err *err);
/* As rules_judge, of a cell of part: an error names the row. */
int rules_judge_of(struct rules *r, const struct row_part *part, const struct cell *c, enum cause *why, struct err *err);

#endif
