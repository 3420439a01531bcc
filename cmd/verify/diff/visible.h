/* Sources around a source that leave out what a client does not see. */
#ifndef DIFF_VISIBLE_H
#define DIFF_VISIBLE_H

#include "base/stop.h"
#include "cell/cell.h"
#include "table/table.h"

/* A source that shows what a client's Scan of one family shows: deleted and expired cells are gone, versions limited, times
 * selected; or, of a raw scan, markers too. The inner source must hold whole rows of one family in cell order, duplicates
 * newest first. Source: HBase NormalUserScanQueryMatcher, RawScanQueryMatcher, ScanWildcardColumnTracker, StoreScanner. */

struct visible_opts {
    struct family_rules family;
    uint64_t versions;      /* that the scan asks for */
    bool raw;               /* then only the scan's versions count, and no TTL but that of cells */
    int64_t from_ms, to_ms; /* [from, to); 0 and INT64_MAX: all */
    int64_t now_ms;
    size_t row_bytes; /* this and stop: see rules/rules.h */
    const struct stop *stop;
};

/* Owns inner from now on, also if it fails. */
struct source *visible_open(struct source *inner, const struct visible_opts *o, struct err *err);

/* A source without delete markers and without the Puts they hide; nothing else goes: neither versions nor duplicates. The inner
 * source must hold whole rows of one family in cell order, duplicates newest first. */

/* Owns inner from now on, also if it fails. Of o, only its family's NEW_VERSION_BEHAVIOR, row_bytes and stop matter. */
struct source *undeleted_open(struct source *inner, const struct visible_opts *o, struct err *err);

#endif
