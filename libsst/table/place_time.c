/* RANGE over a bigint generated as ABS(T) or -T, which is the timestamp: the first partition whose bound lies above it. */
#include "table/place_ops.h"
#include "table/partitioning.h"

static enum place_result of_cell(const struct placement *p, struct bytes row, const struct cell *c, uint32_t *index) {
    const struct partitioning *spec = p->spec;
    uint8_t time[8];
    uint32_t lo = 0, hi = spec->count;
    (void)row;
    partitioning_put_time(c->ts_ms, time);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (!spec->bounds[mid].p || memcmp(spec->bounds[mid].p, time, sizeof time) > 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    *index = lo;
    return lo < spec->count ? PLACE_OK : PLACE_NO_PARTITION;
}

static int prepare(struct placement *p, struct err *err) {
    for (uint32_t i = 0; i < p->spec->count; i++)
        if (p->spec->bounds[i].p && p->spec->bounds[i].n != 8)
            return err_set(err, ERR_INPUT, "partition %s: a bound of %zu bytes is no time", p->spec->names[i],
                           p->spec->bounds[i].n);
    return 0;
}

const struct place_ops place_time = {.kind = PARTITION_RANGE, .by_cell = true, .prepare = prepare, .of_cell = of_cell};
