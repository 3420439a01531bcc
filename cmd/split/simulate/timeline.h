/* What is going to happen when: a heap of moments, equal ones in the order they were put. */
#ifndef SIMULATE_TIMELINE_H
#define SIMULATE_TIMELINE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum moment_kind { MOMENT_FLUSHED, MOMENT_FLUSH_DUE, MOMENT_COMPACTED, MOMENT_CHECK, MOMENT_AGE_CHECK, MOMENT_BALANCE };

struct moment {
    int64_t at_ms, since_ms;
    uint64_t order; /* given by the timeline */
    enum moment_kind kind;
    uint32_t server, region, epoch; /* FLUSHED, COMPACTED */
    uint32_t family, pool, number;  /* COMPACTED */
    bool all_files, offpeak;
    const char *why;
    uint64_t round; /* CHECK */
};

struct timeline { /* zero-initialise */
    struct moment *p;
    size_t n;
    uint64_t order;
};

int timeline_put(struct timeline *t, struct moment m, struct err *err);
/* NULL: nothing. Valid until the next put or take. */
const struct moment *timeline_next(const struct timeline *t);
struct moment timeline_take(struct timeline *t); /* n > 0 */
void timeline_free(struct timeline *t);

#endif
