/* When HBase's split policies split a region, and where. Pure. Sources: ConstantSizeRegionSplitPolicy,
 * IncreasingToUpperBoundRegionSplitPolicy, SteppingSplitPolicy, KeyPrefixRegionSplitPolicy,
 * DelimitedKeyPrefixRegionSplitPolicy, HBase 2.6. */
#ifndef SIMULATE_SPLIT_RULE_H
#define SIMULATE_SPLIT_RULE_H

#include "base/bytes.h"
#include "cmd/split/simulate/settings.h"

/* The size that a region of a table is split at, with the jitter that it draws once: share from 0 to below 1. */
int64_t split_rule_size(const struct sim_region_rules *r, double share);
/* size: of split_rule_size; regions: of the table on the region's server, itself included; bytes: of its stores. */
bool split_rule_applies(const struct sim_region_rules *r, int64_t size, uint32_t regions, const uint64_t *bytes, uint32_t n);
/* The store whose split point counts: the largest one of those that have one. SIZE_MAX: none. */
size_t split_rule_store(const uint64_t *bytes, const bool *has_point, size_t n);
/* What the policy makes of the row in the middle of the largest file. */
struct bytes split_rule_row(const struct sim_region_rules *r, struct bytes middle);

#endif
