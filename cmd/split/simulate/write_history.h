/* Writes by place (region, partition) and slice of time; slices are equally long. Sums of two add up, so that any number of
 * threads count with one each. */
#ifndef SIMULATE_WRITE_HISTORY_H
#define SIMULATE_WRITE_HISTORY_H

#include "base/err.h"
#include "cmd/common/spread/spread.h"

enum { WRITE_HISTORY_SLICES = 48 }; /* at most */

struct place_sum {
    uint64_t writes, cells, bytes;
};

struct write_history {
    uint32_t places, slices;
    uint64_t slice_ticks, first_tick; /* where the first slice begins */
    struct place_sum *sums;           /* [places] */
    uint32_t *writes;                 /* [slices * places]; full counters stay full */
};

/* Slices for so many writes: fewer if a slice would hold too few to mean anything. */
uint32_t write_history_slices(uint64_t writes);
/* Begins to count writes from first_tick on, over span_ticks. *c must be freed, whatever is returned. */
int write_history_init(struct write_history *c, uint32_t places, uint32_t slices, uint64_t first_tick, uint64_t span_ticks,
                       struct err *err);
void write_history_free(struct write_history *c);
size_t write_history_memory(uint32_t places);
/* to and from were made alike. */
void write_history_merge(struct write_history *to, const struct write_history *from);

static inline void write_history_add(struct write_history *c, uint32_t place, uint64_t tick, uint64_t cells, uint64_t bytes) {
    uint64_t slice = tick <= c->first_tick ? 0 : (tick - c->first_tick) / c->slice_ticks;
    if (slice >= c->slices) slice = c->slices - 1;
    c->sums[place].writes++;
    c->sums[place].cells += cells;
    c->sums[place].bytes += bytes;
    uint32_t *field = &c->writes[slice * c->places + place];
    *field += *field != UINT32_MAX;
}

/* The evenness of the writes of a slice. */
struct write_history_slice {
    uint64_t writes;
    uint32_t hottest; /* of equal ones the first */
    uint64_t most;
};
struct write_history_figures {
    struct spread writes, bytes;
    struct write_history_slice slices[WRITE_HISTORY_SLICES];
    uint32_t busy_slices;    /* in which anything is written */
    double hottest_mean;     /* share of the hottest place, mean over busy slices */
    double hottest_most;     /* … and the most */
    uint32_t hottest_places; /* how many places are the hottest of some slice */
    double slice_max_mean;   /* hottest_mean × places: 1 = even at all times */
};
int write_history_figures_make(const struct write_history *c, struct write_history_figures *out, struct err *err);

#endif
