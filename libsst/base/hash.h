/* Numbers computed from bytes or numbers: CRC-32C, MurmurHash64A, SplitMix64.
 * Exports: crc32c, murmur64a */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* ---- CRC-32C ----
 *
 * Castagnoli, reflected, final inversion: HFile's default block checksum, and that of our spill runs. */

/* crc = 0 to start; pass the result back to continue. Uses the SSE4.2 instruction where the processor has it. */
uint32_t crc32c(uint32_t crc, const void *p, size_t n);

/* ---- MurmurHash64A ----
 *
 * MurmurHash2, 64-bit variant A: the hash of OceanBase's KEY partitioning. Source: Austin Appleby's public-domain description;
 * checked against a real engine (tests/data/vectors). */

uint64_t murmur64a(const void *p, size_t n, uint64_t seed);

/* ---- SplitMix64 ----
 *
 * Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014; public domain. Numbers that look drawn but follow
 * from a seed, and a mixer that spreads neighbouring numbers over all 64 bits. */

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
