/* What lies under each leading piece of the row keys, of 1 to 32 bytes, out of one sorted stream of rows: how many different
 * ones there are, and where OceanBase would put them by KEY on a column substring(K,1,n).
 *
 * Rows with the same leading bytes stand together, so a hash is computed once for all of them; and as long as no key is longer
 * than n bytes, nothing is computed for n. */
#ifndef PLAN_PREFIX_RUNS_H
#define PLAN_PREFIX_RUNS_H

#include "cmd/split/plan/choice.h"

enum { PLAN_PREFIX_MAX = 32 };

struct prefix_runs {
    const uint32_t *counts; /* numbers of partitions, borrowed */
    uint32_t n_counts;
    struct plan_choice *choices; /* [length * n_counts + count]; length 0 = the whole key */
    uint64_t distinct[PLAN_PREFIX_MAX + 1];
    uint64_t heaviest[PLAN_PREFIX_MAX + 1];          /* bytes under the heaviest one */
    struct plan_part total;                          /* of all rows so far */
    struct plan_part before[PLAN_PREFIX_MAX + 1];    /* of those before the open run: rows under the last row's leading bytes */
    struct block_spread blocks[PLAN_PREFIX_MAX + 1]; /* of the open runs; a sample by blocks */
    uint32_t longest; /* lengths from here on are the whole key so far: what is known of it holds for them */
};

/* blocks: of the sample, 0 = not by blocks. r is to be freed whatever is returned. */
int prefix_runs_init(struct prefix_runs *r, const uint32_t *counts, uint32_t n_counts, uint64_t blocks, struct err *err);
/* Rows ascend, each once; last: the one before (p == NULL: none). */
void prefix_runs_add(struct prefix_runs *r, struct bytes last, const struct weighed_row *row);
void prefix_runs_end(struct prefix_runs *r, struct bytes last);
void prefix_runs_free(struct prefix_runs *r);
static inline const struct plan_choice *prefix_runs_choice(const struct prefix_runs *r, uint32_t length, uint32_t count) {
    return &r->choices[length * r->n_counts + count];
}

#endif
