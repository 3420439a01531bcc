/* Divides buckets that are large beside the others into ranges of rows. Their records then come to lie by range, and are sorted
 * and read a range at a time, by all threads: no pass over the whole bucket is left for one of them.
 *
 * The thread that has put a megabyte first chooses, by its own rows. If these are not like those that come later, as in an input
 * that is in order, most records fall into one range, and are sorted as without ranges. */
#include "sort/gather_ranges.h"
#include "sort/gather_state.h"

#include <stdlib.h>

/* Less memory is sorted and read in the caches as it is. At least a share of 1 / LARGE_SHARE of the rows makes a bucket large. */
enum { MEMORY_LEAST_BYTES = 64 << 20 };
enum { LARGE_SHARE = DIVIDED_MOST, SAMPLE_ROWS = 4096, RANGES_LEAST = 4 };
/* Most ranges of all large buckets: a thread that fills more piles does not find them in its caches. */
enum { RANGES_MOST = 256, RANGE_SLAB_BYTES = 64 * 1024 };

size_t gather_piles(const struct gather *g, uint32_t buckets) {
    size_t n = buckets;
    const struct divisions *d = __atomic_load_n(&g->divisions, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; d && i < d->n; i++) n += d->x[i].ranges->n;
    return n;
}

void divisions_free(struct divisions *d) {
    for (uint32_t i = 0; d && i < d->n; i++) {
        row_ranges_free(d->x[i].ranges);
        free(d->x[i].piles);
    }
    free(d);
}

/* Every so many rows of the pile. Returns their number. */
static size_t sample_pile(const struct pile *p, struct bytes rows[SAMPLE_ROWS]) {
    uint64_t step = p->records / SAMPLE_ROWS + 1, i = 0;
    size_t n = 0;
    for (const struct slab *sl = p->first; sl; sl = sl->next)
        for (const uint8_t *r = sl->data; r < sl->data + sl->used; r += record_size(r))
            if (i++ % step == 0) rows[n++] = record_row(r);
    return n;
}

/* Large buckets become part of d. */
static int divide_large(const struct gather *g, unsigned thread, uint32_t open, uint32_t most, struct bytes *rows,
                        struct divisions *d, struct err *err) {
    uint64_t records = g->counts[thread].records;
    for (uint32_t bucket = 0; bucket < open && d->n < DIVIDED_MOST; bucket++) {
        const struct pile *p = pile_at(g, thread, bucket);
        struct divided *x = &d->x[d->n];
        if (!p->records || p->records < records / LARGE_SHARE) continue;
        if (row_ranges_choose(rows, sample_pile(p, rows), most, &x->ranges, err)) return -1;
        if (!x->ranges) continue;
        x->stride = piles_stride(x->ranges->n);
        d->of[bucket] = (uint8_t)++d->n;
        x->piles = calloc(x->stride * g->o.threads, sizeof *x->piles);
        if (!x->piles) return err_nomem(err, x->stride * g->o.threads * sizeof *x->piles, "ranges of rows");
    }
    return 0;
}

/* Returns how many ranges each large bucket may have, so that slabs that are not full take no more than gather_put.c allows. */
static uint32_t ranges_most(const struct gather *g, uint32_t open) {
    size_t piles = g->o.memory_bytes / 8 / g->o.threads / RANGE_SLAB_BYTES;
    if (g->o.memory_bytes < MEMORY_LEAST_BYTES || piles < open) return 0;
    piles -= open;
    return (uint32_t)((piles < RANGES_MOST ? piles : RANGES_MOST) / (open < DIVIDED_MOST ? open : DIVIDED_MOST));
}

int gather_divide(struct gather *g, unsigned thread, struct err *err) {
    if (__atomic_exchange_n(&g->dividing, true, __ATOMIC_RELAXED)) return 0;
    uint32_t open = __atomic_load_n(&g->open, __ATOMIC_RELAXED), most = ranges_most(g, open);
    if (most < RANGES_LEAST) return 0;
    struct divisions *d = calloc(1, sizeof *d + g->o.buckets * sizeof *d->of);
    struct bytes *rows = malloc(SAMPLE_ROWS * sizeof *rows);
    int rc = d && rows ? divide_large(g, thread, open, most, rows, d, err)
                       : err_nomem(err, sizeof *d + g->o.buckets + SAMPLE_ROWS * sizeof *rows, "ranges of rows");
    free(rows);
    if (!rc && d->n)
        __atomic_store_n(&g->divisions, d, __ATOMIC_RELEASE);
    else
        divisions_free(d);
    return rc;
}
