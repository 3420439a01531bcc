/* Sorts a bucket: its records are listed as entries, range by range, and each range is sorted by a task of its own. Ranges are in
 * order already, so what comes out is the whole bucket in order. */
#include "sort/gather_put.h"
#include "sort/gather_state.h"

#include "base/bytes.h"
#include "base/prefetch.h"

enum { SORTED_BY_TASK = 1 << 14 }; /* records */
enum { AHEAD_BYTES = 1024 };       /* a few records: where the next one begins is known only when this one has come from memory */

/* One range of a bucket; a bucket that is not divided is one. */
struct range_sort {
    const struct pile *piles; /* of the first thread, and so on */
    size_t stride;
    struct rowsort s;
    struct bytes first;                         /* a row, whose first s.lcp bytes all have */
    uint64_t n;                                 /* records */
    struct sort_entry *entries, *end, *scratch; /* end: of those that are listed */
};

/* A row, or n that have lcp bytes in common with it. */
static void add_rows(struct range_sort *r, struct bytes row, size_t lcp, uint64_t n) {
    if (!r->n) {
        r->first = row;
        r->s.lcp = lcp;
    }
    size_t common = bytes_lcp(r->first, row);
    if (common > lcp) common = lcp;
    if (common < r->s.lcp) r->s.lcp = common;
    r->n += n;
}

static void add_piles(struct range_sort *r, unsigned threads) {
    for (unsigned t = 0; t < threads; t++) {
        const struct pile *p = r->piles + t * r->stride;
        if (p->records) add_rows(r, record_row(p->first->data), p->lcp, p->records);
    }
}

static inline struct sort_entry entry_of(const struct range_sort *r, const uint8_t *record) {
    return (struct sort_entry){rowsort_window(record_row(record), r->s.lcp), record};
}

/* Records that came before the bucket was divided: they are added to their ranges, or listed. */
static void take_early(const struct divided *d, const struct pile *p, struct range_sort *ranges, bool list) {
    for (const struct slab *sl = p->first; sl; sl = sl->next)
        for (const uint8_t *r = sl->data; r < sl->data + sl->used; r += record_size(r)) {
            struct bytes row = record_row(r);
            struct range_sort *range = &ranges[row_ranges_of(d->ranges, row)];
            if (list)
                *range->end++ = entry_of(range, r);
            else
                add_rows(range, row, row.n, 1);
        }
}

static void list_pile(const struct range_sort *range, const struct pile *p, struct sort_entry *to) {
    for (const struct slab *sl = p->first; sl; sl = sl->next)
        for (const uint8_t *r = sl->data; r < sl->data + sl->used; r += record_size(r)) {
            prefetch_to_read(r + AHEAD_BYTES, 1);
            *to++ = entry_of(range, r);
        }
}

/* Large piles are listed side by side. */
static void sort_one(const struct range_sort *r, unsigned threads) {
    struct sort_entry *to = r->end;
    for (unsigned t = 0; t < threads; t++) {
        const struct pile *p = r->piles + t * r->stride;
#pragma omp task if (p->records >= SORTED_BY_TASK) default(none) firstprivate(r, p, to)
        list_pile(r, p, to);
        to += p->records;
    }
#pragma omp taskwait
    rowsort(&r->s, r->entries, r->n, r->scratch);
}

void gather_sorted(const struct gather *g, uint32_t bucket, enum tie_rule tie, struct sort_entry *entries) {
    struct range_sort ranges[ROW_RANGES_MOST];
    const struct divided *d = divided_at(g->divisions, bucket);
    uint32_t n = d ? d->ranges->n : 1;
    for (uint32_t i = 0; i < n; i++) {
        ranges[i] = (struct range_sort){.piles = d ? divided_pile(d, 0, i) : pile_at(g, 0, bucket),
                                        .stride = d ? d->stride : g->stride,
                                        .s = {.shapes = g->o.shapes, .tie = tie}};
        add_piles(&ranges[i], g->o.threads);
    }
    for (unsigned t = 0; d && t < g->o.threads; t++) take_early(d, pile_at(g, t, bucket), ranges, false);
    struct sort_entry *to = entries, *scratch = entries + gather_records(g, bucket);
    for (uint32_t i = 0; i < n; to += ranges[i].n, scratch += ranges[i].n, i++) {
        ranges[i].entries = ranges[i].end = to;
        ranges[i].scratch = scratch;
    }
    for (unsigned t = 0; d && t < g->o.threads; t++) take_early(d, pile_at(g, t, bucket), ranges, true);
    for (uint32_t i = 0; i < n; i++) {
        struct range_sort *r = &ranges[i];
#pragma omp task if (r->n >= SORTED_BY_TASK) default(none) firstprivate(g, r)
        sort_one(r, g->o.threads);
    }
#pragma omp taskwait
}
