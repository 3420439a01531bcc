/* SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014; public domain. Numbers that look drawn
 * but follow from a seed, and a mixer that spreads neighbouring numbers over all 64 bits. */
#ifndef BASE_SPLITMIX_H
#define BASE_SPLITMIX_H

#include <stdint.h>

#define SPLITMIX_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t splitmix_mix(uint64_t z) {
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t splitmix_next(uint64_t *state) {
    return splitmix_mix(*state += SPLITMIX_STEP);
}

/* Number i (from 0) of the sequence that begins with this seed. */
static inline uint64_t splitmix_at(uint64_t seed, uint64_t i) {
    return splitmix_mix(seed + (i + 1) * SPLITMIX_STEP);
}

#endif
