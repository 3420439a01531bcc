/* HBase's exploring selection: which files of a store, in the order of their age, a minor compaction takes. Pure.
 * Source: ExploringCompactionPolicy.applyCompactionPolicy and RatioBasedCompactionPolicy.skipLargeFiles, branch-2.6. */
#ifndef RULES_EXPLORE_H
#define RULES_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct explore_opts {
    double ratio;                  /* no file is larger than ratio times the others together: hbase.hstore.compaction.ratio */
    size_t min_files, max_files;   /* hbase.hstore.compaction.min, .max */
    uint64_t min_bytes, max_bytes; /* a selection below min_bytes needs no ratio; one above max_bytes is none */
    size_t blocking_files;         /* with so many something must be selected: hbase.hstore.blockingStoreFiles */
};
/* HBase's defaults: 1.2, 3, 10, 128 MiB, no limit, 16. */
struct explore_opts explore_defaults(void);

struct explore_selection {
    size_t first, n; /* n == 0: nothing is worth it */
};
/* bytes: sizes of the files, oldest first. Those at the front that are larger than max_bytes are left out. */
struct explore_selection explore_select(const uint64_t *bytes, size_t n, const struct explore_opts *o);
/* The policy alone: none is left out before, and the caller knows whether something must be selected. */
struct explore_selection explore_windows(const uint64_t *bytes, size_t n, const struct explore_opts *o, bool stuck);

#endif
