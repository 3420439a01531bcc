/* Buckets of one below 1,024, then 32 to each power of two: so a percentile is exact, or at most a 32nd too large, in fixed
 * memory, and histograms of several threads can be added up. */
#include "base/histogram.h"

#include <math.h>

/* Above HISTOGRAM_EXACT = 2^10 each power of two has HISTOGRAM_STEPS = 2^5 buckets. */
enum { EXACT_BITS = 10, STEP_BITS = 5 };

static unsigned bucket_of(uint64_t v) {
    if (v < HISTOGRAM_EXACT) return (unsigned)v;
    unsigned top = 63 - (unsigned)__builtin_clzll(v);
    return HISTOGRAM_EXACT + (top - EXACT_BITS) * HISTOGRAM_STEPS + (unsigned)(v >> (top - STEP_BITS) & (HISTOGRAM_STEPS - 1));
}

/* The largest value of a bucket. */
static uint64_t bucket_end(unsigned b) {
    if (b < HISTOGRAM_EXACT) return b;
    unsigned shift = (b - HISTOGRAM_EXACT) / HISTOGRAM_STEPS + EXACT_BITS - STEP_BITS;
    uint64_t step = HISTOGRAM_STEPS + (b - HISTOGRAM_EXACT) % HISTOGRAM_STEPS;
    return (step << shift) + ((UINT64_C(1) << shift) - 1);
}

void histogram_add(struct histogram *h, uint64_t v) {
    if (!h->n || v < h->least) h->least = v;
    if (v > h->largest) h->largest = v;
    h->n++;
    h->sum += v;
    h->squares += (double)v * (double)v;
    h->buckets[bucket_of(v)]++;
}

void histogram_merge(struct histogram *to, const struct histogram *from) {
    if (!from->n) return;
    if (!to->n || from->least < to->least) to->least = from->least;
    if (from->largest > to->largest) to->largest = from->largest;
    to->n += from->n;
    to->sum += from->sum;
    to->squares += from->squares;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) to->buckets[i] += from->buckets[i];
}

double histogram_mean(const struct histogram *h) {
    return h->n ? (double)h->sum / (double)h->n : 0;
}

double histogram_deviation(const struct histogram *h) {
    if (h->n < 2) return 0;
    double variance = (h->squares - histogram_mean(h) * (double)h->sum) / (double)(h->n - 1);
    return variance > 0 ? sqrt(variance) : 0;
}

uint64_t histogram_share(const struct histogram *h, double share) {
    double want = share * (double)h->n;
    uint64_t seen = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += h->buckets[i];
        if (!h->buckets[i] || (double)seen < want) continue;
        uint64_t end = bucket_end(i);
        return end < h->largest ? end : h->largest;
    }
    return h->largest;
}

uint64_t histogram_between(const struct histogram *h, uint64_t from, uint64_t to) {
    uint64_t n = 0;
    for (unsigned i = bucket_of(from), end = bucket_of(to); i <= end; i++) n += h->buckets[i];
    return n;
}
