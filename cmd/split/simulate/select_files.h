/* Which files of a store a compaction takes, as HBase decides it. Pure. Sources: SortedCompactionPolicy.selectCompaction,
 * RatioBasedCompactionPolicy.shouldPerformMajorCompaction and createCompactionRequest, HBase 2.6. */
#ifndef SIMULATE_SELECT_FILES_H
#define SIMULATE_SELECT_FILES_H

#include "cmd/split/simulate/settings.h"

#include <stddef.h>

struct select_file {
    uint64_t bytes;
    int64_t made_ms;   /* modification time */
    int64_t oldest_ms; /* smallest timestamp of its cells */
    int32_t name_hash; /* String.hashCode of the file's name */
    bool reference, compacting;
    bool compacted; /* by a compaction of all files */
};

struct select_state {
    int64_t now_ms;
    int64_t ttl_ms;   /* 0: for ever */
    bool force_major; /* asked for by the checker */
    bool offpeak;     /* it is an off-peak hour, and no off-peak compaction runs */
};

struct select_result {
    size_t first, n; /* n == 0: nothing */
    bool all_files;  /* of the store: deletes and surplus versions go */
    bool major;      /* because it was due or asked for */
    bool offpeak;
};

/* Oldest file first. */
struct select_result select_files(const struct select_file *files, size_t n, const struct select_state *state,
                                  const struct sim_compaction *c);
/* HStore.needsCompaction */
bool select_is_needed(const struct select_file *files, size_t n, const struct sim_compaction *c);
/* Of files that are all candidates. */
bool select_is_major_due(const struct select_file *files, size_t n, const struct select_state *state,
                         const struct sim_compaction *c);
/* OffPeakHours, by hours of UTC. */
bool select_is_offpeak(int64_t now_ms, const struct sim_compaction *c);

#endif
