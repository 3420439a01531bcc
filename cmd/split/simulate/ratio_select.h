/* HBase's older selection: from the oldest file on, what is too large for those behind it is left out; all the rest is taken.
 * Pure. Source: RatioBasedCompactionPolicy.applyCompactionPolicy, branch-2.6. */
#ifndef SIMULATE_RATIO_SELECT_H
#define SIMULATE_RATIO_SELECT_H

#include "rules/whole_files.h"

#include <stdbool.h>

/* bytes: sizes of the files, oldest first, those too large for any compaction left out. stuck: something must be selected. The
 * selection may be smaller than min_files or larger than max_files: the caller applies both. */
struct explore_selection ratio_select(const uint64_t *bytes, size_t n, const struct explore_opts *o, bool stuck);

#endif
