/* MurmurHash64A (MurmurHash2, 64-bit variant A), the hash of OceanBase's KEY partitioning.
 * Source: Austin Appleby's public-domain description; checked against a real engine (tests/data/vectors). */
#ifndef BASE_MURMUR64_H
#define BASE_MURMUR64_H

#include <stddef.h>
#include <stdint.h>

uint64_t murmur64a(const void *p, size_t n, uint64_t seed);

#endif
