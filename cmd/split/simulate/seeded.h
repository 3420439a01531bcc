/* Numbers that follow from a seed as floating-point shares, and the one generator of Java that decides something in HBase. */
#ifndef SIMULATE_SEEDED_H
#define SIMULATE_SEEDED_H

#include "base/hash.h"

/* From 0 to below 1. */
static inline double seeded_share(uint64_t *state) {
    return (double)(splitmix_next(state) >> 11) * 0x1p-53;
}

/* new java.util.Random(seed).nextDouble(): a linear congruential generator of 48 bits, by its documentation. */
static inline double seeded_java_double(int32_t seed) {
    const uint64_t mask = (UINT64_C(1) << 48) - 1, factor = UINT64_C(0x5deece66d);
    uint64_t s = ((uint64_t)(int64_t)seed ^ factor) & mask;
    uint64_t high = (s = (s * factor + 11) & mask) >> 22;
    uint64_t low = ((s * factor + 11) & mask) >> 21;
    return (double)((high << 27) + low) * 0x1p-53;
}

#endif
