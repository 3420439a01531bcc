/* Writes by place (region, partition) and slice of time, and how even they are slice by slice: a table that is evenly filled
 * in the end may have been hot in one place at any moment. Counters add up, so that every thread has its own. */
#include "cmd/split/simulate/write_history.h"

#include <stdbool.h>
#include <stdlib.h>

size_t write_history_memory(uint32_t places) {
    return places * (sizeof(struct place_sum) + WRITE_HISTORY_SLICES * sizeof(uint32_t));
}

uint32_t write_history_slices(uint64_t writes) {
    enum { LEAST = 8, WRITES_EACH = 50 };
    uint64_t n = writes / WRITES_EACH;
    return n < LEAST ? LEAST : n > WRITE_HISTORY_SLICES ? WRITE_HISTORY_SLICES : (uint32_t)n;
}

int write_history_init(struct write_history *c, uint32_t places, uint32_t slices, uint64_t first_tick, uint64_t span_ticks,
                       struct err *err) {
    uint64_t span = span_ticks > first_tick ? span_ticks - first_tick : 1;
    *c = (struct write_history){.places = places, .first_tick = first_tick};
    c->slice_ticks = span / slices + (span % slices > 0);
    c->slices = (uint32_t)(span / c->slice_ticks + (span % c->slice_ticks > 0));
    c->sums = calloc(places, sizeof *c->sums);
    c->writes = calloc((size_t)places * c->slices, sizeof *c->writes);
    return c->sums && c->writes ? 0 : err_nomem(err, write_history_memory(places), "the history of writes of a simulation");
}

void write_history_free(struct write_history *c) {
    free(c->sums);
    free(c->writes);
    *c = (struct write_history){0};
}

void write_history_merge(struct write_history *to, const struct write_history *from) {
    for (uint32_t i = 0; i < to->places; i++) {
        to->sums[i].writes += from->sums[i].writes;
        to->sums[i].cells += from->sums[i].cells;
        to->sums[i].bytes += from->sums[i].bytes;
    }
    for (size_t i = 0; i < (size_t)to->places * to->slices; i++) {
        uint32_t room = UINT32_MAX - to->writes[i];
        to->writes[i] += from->writes[i] < room ? from->writes[i] : room;
    }
}

static void figure_slices(const struct write_history *c, struct write_history_figures *out, bool *seen) {
    for (uint32_t s = 0; s < c->slices; s++) {
        struct write_history_slice *slice = &out->slices[s];
        for (uint32_t i = 0; i < c->places; i++) {
            uint32_t n = c->writes[(size_t)s * c->places + i];
            slice->writes += n;
            if (n > slice->most) *slice = (struct write_history_slice){slice->writes, i, n};
        }
        if (!slice->writes) continue;
        double share = (double)slice->most / (double)slice->writes;
        out->busy_slices++;
        out->hottest_mean += share;
        if (share > out->hottest_most) out->hottest_most = share;
        out->hottest_places += !seen[slice->hottest];
        seen[slice->hottest] = true;
    }
    if (out->busy_slices) out->hottest_mean /= out->busy_slices;
    out->slice_max_mean = out->hottest_mean * c->places;
}

int write_history_figures_make(const struct write_history *c, struct write_history_figures *out, struct err *err) {
    *out = (struct write_history_figures){0};
    uint64_t *amounts = calloc(c->places, sizeof *amounts);
    bool *seen = calloc(c->places, sizeof *seen);
    int rc = amounts && seen ? 0 : err_nomem(err, c->places * sizeof *amounts, "figures of a simulation");
    for (uint32_t i = 0; !rc && i < c->places; i++) amounts[i] = c->sums[i].writes;
    if (!rc) rc = spread_make(amounts, c->places, &out->writes, err);
    for (uint32_t i = 0; !rc && i < c->places; i++) amounts[i] = c->sums[i].bytes;
    if (!rc) rc = spread_make(amounts, c->places, &out->bytes, err);
    if (!rc) figure_slices(c, out, seen);
    free(amounts);
    free(seen);
    return rc;
}
