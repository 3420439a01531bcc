#include "cmd/split/simulate/balance_rule.h"

#include <math.h>

bool balance_rule_applies(const uint32_t *regions, uint32_t n, double slop) {
    uint32_t from, to;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += regions[i];
    balance_rule_next(regions, n, &from, &to);
    if (n < 2) return false;
    if (!regions[to] && regions[from] > 1) return true;
    float mean = (float)sum / (float)n, off = (float)slop; /* Java reckons with floats */
    return (float)regions[from] > ceilf(mean * (1 + off)) || (float)regions[to] < floorf(mean * (1 - off));
}

bool balance_rule_next(const uint32_t *regions, uint32_t n, uint32_t *from, uint32_t *to) {
    *from = *to = 0;
    for (uint32_t i = 1; i < n; i++) {
        if (regions[i] > regions[*from]) *from = i;
        if (regions[i] < regions[*to]) *to = i;
    }
    return regions[*from] > regions[*to] + 1;
}
