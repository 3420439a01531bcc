/* What whole files decide in a major compaction where an input is a store that came from HBase: its files lie in regions,
 * and it is a region's files of a family that HBase looks at together, wherever their cells go here. Source: as
 * rules/file_facts.h. */
#ifndef RULES_STORE_FACTS_H
#define RULES_STORE_FACTS_H

#include "base/bytes.h"
#include "base/err.h"

/* Of one input and family. All borrowed. */
struct store_facts {
    uint32_t input;
    const bool *expired; /* by rank_file: whole files that the TTL removes */
    uint32_t n_files;
    const struct bytes *starts;     /* first row of each region, ascending */
    const int64_t *earliest_put_ms; /* of each region: as in rules/file_facts.h */
    const uint64_t *old_seq;        /* of each region: the largest of its files, see file_facts_old_seq */
    size_t n_regions;
};

bool store_facts_expired(const struct store_facts *f, size_t n, uint64_t rank);
/* The earliest Put beside the given one that counts for cells of this row. */
int64_t store_facts_earliest_put(const struct store_facts *f, size_t n, struct bytes row, int64_t earliest_ms);
/* The same of sequence ids that a major compaction writes as 0. */
uint64_t store_facts_old_seq(const struct store_facts *f, size_t n, struct bytes row, uint64_t old_seq);

#endif
