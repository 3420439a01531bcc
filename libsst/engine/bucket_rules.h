/* The version rules at work on one partition of one family: their settings and inputs, and what they dropped. */
#ifndef ENGINE_BUCKET_RULES_H
#define ENGINE_BUCKET_RULES_H

#include "cell/cell.h"
#include "rules/ledger.h"
#include "rules/compact.h"
#include "rules/whole_files.h"
#include "table/table.h"

#include <pthread.h>

struct bucket_rules {
    /* Filled in by the caller, who knows the inputs, before bucket_rules_open: */
    bool *expired; /* [n_inputs]: whole inputs that a TTL removes */
    uint32_t n_inputs;
    int64_t earliest_put_ms;
    const struct region_facts *stores; /* of the inputs that are stores of HBase */
    size_t n_stores;
    uint64_t old_seq; /* sequence ids up to it become 0 */
    /* Results: */
    struct ledger ledger;
    struct rule_diff *diff; /* NULL: one set of rules only */
    uint64_t zeroed, repeats;
    int64_t next_drop_ms; /* of the part handed out last: see rules/compact.h */
};

/* compare: by the rules of OceanBase, what HBase's would leave is counted too. */
int bucket_rules_init(struct bucket_rules *b, uint32_t n_inputs, bool compare, struct err *err);
void bucket_rules_free(struct bucket_rules *b);

/* Makes the rules of a slice of the rows: facts as in `of`, no results yet. To be freed by bucket_rules_free, also after a
 * failure. */
int bucket_rules_slice(struct bucket_rules *slice, const struct bucket_rules *of, struct err *err);
/* The results of its slices are added in order, because examples of cells are kept in order. */
void bucket_rules_join(struct bucket_rules *of, const struct bucket_rules *slice);

struct job;
struct bucket_rules_env {
    const struct family *family;
    enum compaction_kind kind;
    const struct job *job; /* its clock and stop requests */
    size_t row_bytes;
    uint64_t place; /* of the bucket: see rules/compact.h */
};
/* Applies the rules to src. Takes ownership of src. */
struct source *bucket_rules_open(struct bucket_rules *b, const struct bucket_rules_env *env, struct source *src, struct err *err);

/* Totals of the version rules of all buckets; several threads add to it. */
struct rules_total {
    pthread_mutex_t lock;
    struct ledger ledger;
    struct rule_diff diff;
    uint64_t zeroed, repeats;
    /* Progress: the part done of the whole; of_bytes and of_cells are the owner's to set. Buckets end rarely, so cells are
     * counted as they are written, and stand for bytes. */
    const struct job *job;
    const char *phase;
    uint64_t bytes, cells, of_bytes, of_cells;
};
void rules_total_init(struct rules_total *t, const struct job *job, const char *phase);
void rules_total_free(struct rules_total *t);
/* Begins, once of_bytes and of_cells are set and before anything is written: progress knows how much there is. */
void rules_total_begin(struct rules_total *t);
/* A bucket is done; bytes: of progress. */
void rules_total_add(struct rules_total *t, const struct bucket_rules *b, uint64_t bytes);
/* cells_passed.add: so many more were written. */
void rules_total_pass(void *total, uint64_t cells);

#endif
