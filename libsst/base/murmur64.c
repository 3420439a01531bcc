#include "base/murmur64.h"

#include "base/be.h"

static const uint64_t M = UINT64_C(0xc6a4a7935bd1e995);

static inline uint64_t scramble(uint64_t k) {
    k *= M;
    k ^= k >> 47;
    return k * M;
}

uint64_t murmur64a(const void *p, size_t n, uint64_t seed) {
    const uint8_t *b = p;
    uint64_t h = seed ^ (n * M);
    size_t left = n;
    for (; left >= 8; b += 8, left -= 8) h = (h ^ scramble(le64(b))) * M;
    if (left) {
        uint64_t tail = 0;
        for (size_t i = left; i-- > 0;) tail = tail << 8 | b[i];
        h = (h ^ tail) * M;
    }
    h ^= h >> 47;
    h *= M;
    return h ^ h >> 47;
}
