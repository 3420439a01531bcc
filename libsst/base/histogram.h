/* Whole numbers counted: exact count, least, largest, mean and deviation; percentiles exact below 1,024, above that at most
 * a 32nd too large. Fixed size, and any number of them can be added up. */
#ifndef BASE_HISTOGRAM_H
#define BASE_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_EXACT = 1024, HISTOGRAM_STEPS = 32, HISTOGRAM_BUCKETS = HISTOGRAM_EXACT + 54 * HISTOGRAM_STEPS };

struct histogram { /* zero-initialise */
    uint64_t n, least, largest, sum;
    double squares;
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *h, uint64_t v);
void histogram_merge(struct histogram *to, const struct histogram *from);
double histogram_mean(const struct histogram *h);
double histogram_deviation(const struct histogram *h); /* of a sample: n - 1 */
/* The least value that so large a share (0 to 1) of all does not exceed; 0 if there are no values. */
uint64_t histogram_share(const struct histogram *h, double share);
/* Returns how many values are from `from` to `to`; exact below 1,024, and above where `from` and to + 1 are powers of 2. */
uint64_t histogram_between(const struct histogram *h, uint64_t from, uint64_t to);

#endif
