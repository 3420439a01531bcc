/* Decides as HBase's policies do, beginning with when a region is split, and where. Pure. Sources: ConstantSizeRegionSplitPolicy,
 * IncreasingToUpperBoundRegionSplitPolicy, SteppingSplitPolicy, KeyPrefixRegionSplitPolicy, DelimitedKeyPrefixRegionSplitPolicy,
 * HBase 2.6. */
#ifndef SIMULATE_HBASE_RULES_H
#define SIMULATE_HBASE_RULES_H

#include "base/bytes.h"
#include "base/hash.h"
#include "cmd/split/simulate/settings.h"
#include "rules/whole_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size that a region of a table is split at, with the jitter that it draws once: share from 0 to below 1. */
int64_t split_rule_size(const struct sim_region_rules *r, double share);
/* size: of split_rule_size; regions: of the table on the region's server, itself included; bytes: of its stores. */
bool split_rule_applies(const struct sim_region_rules *r, int64_t size, uint32_t regions, const uint64_t *bytes, uint32_t n);
/* The store whose split point counts: the largest one of those that have one. SIZE_MAX: none. */
size_t split_rule_store(const uint64_t *bytes, const bool *has_point, size_t n);
/* Returns what the policy makes of the row in the middle of the largest file. */
struct bytes split_rule_row(const struct sim_region_rules *r, struct bytes middle);

/* Decides when regions are moved between servers, by their number alone. Pure. Sources: BaseLoadBalancer.idleRegionServerExist
 * and sloppyRegionServerExist, SimpleLoadBalancer.balanceTable for one table, HBase 2.6. */

/* regions: of each of n servers. */
bool balance_rule_applies(const uint32_t *regions, uint32_t n, double slop);
/* The next move: from the fullest server to the emptiest. false: they differ by one at most. */
bool balance_rule_next(const uint32_t *regions, uint32_t n, uint32_t *from, uint32_t *to);

/* Selects the files of a store that a compaction takes, as HBase does. Pure. Sources: SortedCompactionPolicy.selectCompaction,
 * RatioBasedCompactionPolicy.shouldPerformMajorCompaction and createCompactionRequest, HBase 2.6. */

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
/* Returns whether a major compaction of these files, all candidates, is due. */
bool select_is_major_due(const struct select_file *files, size_t n, const struct select_state *state,
                         const struct sim_compaction *c);
/* OffPeakHours, by hours of UTC. */
bool select_is_offpeak(int64_t now_ms, const struct sim_compaction *c);

/* HBase's older selection: from the oldest file on, files too large for the later ones are left out; the rest is taken.
 * Pure. Source: RatioBasedCompactionPolicy.applyCompactionPolicy, branch-2.6. */

/* bytes: sizes of the files, oldest first, those too large for any compaction left out. stuck: something must be selected. The
 * selection may be smaller than min_files or larger than max_files: the caller applies both. */
struct explore_selection ratio_select(const uint64_t *bytes, size_t n, const struct explore_opts *o, bool stuck);

/* Memory that a cell takes of a memstore, as HBase counts it (Segment.heapSizeChange): an entry of ConcurrentSkipListMap, and the
 * cell, which is in a chunk (ByteBufferKeyValue) or, above the largest allocation of the chunks, in an array of its own
 * (KeyValue). A 64-bit JVM with compressed references. Pure. */

/* keyvalue_bytes: both lengths, key, value and tags. */
static inline uint64_t heap_size_of_cell(uint64_t keyvalue_bytes) {
    enum { MAP_ENTRY = 40, KEYVALUE_OBJECT = 32, ARRAY_HEAD = 16, CHUNK_CELL_MOST = 256 << 10 };
    uint64_t own = KEYVALUE_OBJECT + keyvalue_bytes + (keyvalue_bytes > CHUNK_CELL_MOST ? ARRAY_HEAD : 0);
    return MAP_ENTRY + ((own + 7) & ~UINT64_C(7));
}

/* Numbers that follow from a seed as floating-point shares, and the one generator of Java that decides something in HBase. */

/* Returns a share from 0 to below 1. */
static inline double seeded_share(uint64_t *state) {
    return (double)(splitmix_next(state) >> 11) * 0x1p-53;
}

/* new java.util.Random(seed).nextDouble(): a linear congruential generator of 48 bits, by its documentation. */
static inline double seeded_java_double(int32_t seed) {
    const uint64_t mask = (UINT64_C(1) << 48) - 1, factor = UINT64_C(0x5deece66d);
    uint64_t s = ((uint64_t)(int64_t)seed ^ factor) & mask;
    uint64_t high = (s = (s * factor + 11) & mask) >> 22;
    uint64_t low = ((s * factor + 11) & mask) >> 21;
    return (double)((high << 27) + low) * 0x1p-53;
}

#endif
