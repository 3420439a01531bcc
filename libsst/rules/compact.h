/* Sources that apply version rules to another source, or note when time alone would drop a kept cell. The inner source must hold
 * whole rows of one family in cell order, duplicates newest first.
 * Exports: filtered, next_expiry */
#ifndef RULES_COMPACT_H
#define RULES_COMPACT_H

#include "cell/cell.h"
#include "rules/ledger.h"
#include "rules/whole_files.h"
#include "table/table.h"

/* A source that applies version rules to another: what is dropped is tallied by reason, with digests.
 * The inner source must hold whole rows of one family in cell order, duplicates newest first. */

/* Compactions one after the other, as if each of some inputs had been compacted onto what was there before it came: a marker acts
 * on what came before it, and a version that was dropped once stays dropped. */
struct rule_turns {
    const uint32_t *of_input; /* [n_inputs]: in which turn an input comes, ascending */
    const int64_t *now_ms;    /* [n]: the clock of each turn */
    uint32_t n_inputs, n;
};

struct compact_opts {
    struct rules_env env;
    const struct rule_turns *turns; /* NULL: all inputs are judged at once */
    const bool *expired_inputs;     /* by input number: whole files that the TTL removed before selection; NULL = none */
    uint32_t n_inputs;
    const struct region_facts *stores; /* of the inputs that are stores, whose files count one by one */
    size_t n_stores;
    /* Survivors with a sequence id up to this one get 0; 0 = none. Not under NEW_VERSION_BEHAVIOR, and in major compactions only:
     * otherwise ids still decide. */
    uint64_t old_seq;
    uint64_t *zeroed;      /* counts them; NULL: all ids are kept */
    uint64_t *repeats;     /* counts cells of input 0 that another one has again, by sequence id; NULL: does not matter */
    struct ledger *ledger; /* dropped[...] of this worker */
    /* With COMPACTION_OCEANBASE: notes where a major compaction of HBase by these rules would leave other cells. NULL = not. */
    struct rule_diff *diff;
    const struct family_rules *hbase_rules;
    uint64_t place;        /* of this source: see struct rule_diff */
    int64_t *next_drop_ms; /* lowered to the earliest now at which a TTL would drop a kept cell; may be NULL */
};

/* Takes ownership of inner, also on failure. */
struct source *compact_open(struct source *inner, const struct compact_opts *o, struct err *err);

/* Makes *out the part that a filter hands out of `in` when it keeps only some of its cells: kept[n], in their order, borrowed.
 * false: none is left. *row_started, the filter's own: a cell of this row has been handed out. */
bool filtered_part(const struct row_part *in, const struct cell *kept, uint32_t n, bool *row_started, struct row_part *out);

/* The earliest moment at which time alone would drop a cell that version rules have kept: OBKV.NEXT_DROP_MS. */

/* Lowers *at to that moment: family TTL, the cell's own TTL, or the purge delay of a marker. Moments up to now_ms have passed
 * without dropping the cell (MIN_VERSIONS) and are left out. */
void next_expiry_note(const struct family_rules *family, int64_t now_ms, const struct cell *c, int64_t *at);
/* Returns whether time can drop this cell at all. Most families have no TTL, most cells no tags. */
static inline bool next_expiry_may(const struct family_rules *family, const struct cell *c) {
    return family->ttl_s > 0 || c->tags.n || c->type != CELL_PUT;
}

/* A source that does so for all it hands out, for cells that `family` has filtered before. Takes ownership of inner, also on
 * failure. */
struct source *next_expiry_open(struct source *inner, const struct family_rules *family, int64_t now_ms, int64_t *at,
                                struct err *err);

#endif
