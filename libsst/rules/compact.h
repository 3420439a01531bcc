/* A source that applies version rules to another: what is dropped is tallied by reason, with digests.
 * The inner source must hold whole rows of one family in cell order, duplicates newest first. */
#ifndef RULES_COMPACT_H
#define RULES_COMPACT_H

#include "cell/cell.h"
#include "rules/rule_diff.h"
#include "rules/store_facts.h"

struct compact_opts {
    struct rules_env env;
    const bool *expired_inputs; /* by input number: whole files that the TTL removed before selection; NULL = none */
    uint32_t n_inputs;
    const struct store_facts *stores; /* of the inputs that are stores, whose files count one by one */
    size_t n_stores;
    /* Survivors with a sequence id up to this one get 0; 0 = none. Not under NEW_VERSION_BEHAVIOR, and in major compactions only:
     * otherwise ids still decide. */
    uint64_t old_seq;
    uint64_t *zeroed;      /* counts them; NULL: all ids are kept */
    struct ledger *ledger; /* dropped[...] of this worker */
    /* With COMPACTION_OCEANBASE: what a major compaction of HBase by these rules would leave is held against it. NULL = not. */
    struct rule_diff *diff;
    const struct family_rules *hbase_rules;
    uint64_t place;        /* of this source: see rule_diff.h */
    int64_t *next_drop_ms; /* lowered to the earliest now at which a TTL would drop a kept cell; may be NULL */
};

/* Takes over inner (also when it fails). */
struct source *compact_open(struct source *inner, const struct compact_opts *o, struct err *err);

#endif
