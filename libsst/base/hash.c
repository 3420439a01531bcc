/* CRC-32C by the SSE4.2 instruction where the processor has it, three stretches at a time, else by a table of half-bytes, which
 * needs no set-up; and MurmurHash64A. */
#include "base/hash.h"

#include "base/bytes.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* One bit at a time over a nibble table would need start-up state; the half-byte table below is constant. */
static uint32_t crc_plain(uint32_t c, const uint8_t *p, size_t n) {
    static const uint32_t nibble[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
                                        0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                        0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        c = nibble[c & 15] ^ (c >> 4);
        c = nibble[c & 15] ^ (c >> 4);
    }
    return c;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc_sse42(uint32_t c, const uint8_t *p, size_t n) {
    uint64_t c64 = c;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        c64 = __builtin_ia32_crc32di(c64, w);
    }
    c = (uint32_t)c64;
    for (; n; n--, p++) c = __builtin_ia32_crc32qi(c, *p);
    return c;
}

/* Three stretches of `lane` bytes side by side, since the instruction waits for its own result. x1 and x2 move a sum by one lane
 * and by two: x^(8 * bytes - 33) modulo the polynomial, reflected; the instruction that reduces the products adds the rest. */
__attribute__((target("sse4.2,pclmul"))) static inline uint32_t crc_lanes(uint32_t c, const uint8_t *p, size_t lane, uint32_t x1,
                                                                          uint32_t x2) {
    uint64_t sums[3] = {c, 0, 0};
    for (size_t i = 0; i < lane; i += 8)
        for (size_t k = 0; k < 3; k++) sums[k] = __builtin_ia32_crc32di(sums[k], le64(p + k * lane + i));
    const __m128i moved = _mm_xor_si128(_mm_clmulepi64_si128(_mm_cvtsi64_si128((int64_t)sums[0]), _mm_cvtsi64_si128(x2), 0),
                                        _mm_clmulepi64_si128(_mm_cvtsi64_si128((int64_t)sums[1]), _mm_cvtsi64_si128(x1), 0));
    return (uint32_t)(__builtin_ia32_crc32di(0, (uint64_t)_mm_cvtsi128_si64(moved)) ^ sums[2]);
}

__attribute__((target("sse4.2,pclmul"))) static uint32_t crc_pclmul(uint32_t c, const uint8_t *p, size_t n) {
    enum { LONG = 1024, SHORT = 128 };
    for (; n >= 3 * LONG; n -= 3 * LONG, p += 3 * LONG) c = crc_lanes(c, p, LONG, 0x170076fa, 0xa51b6135);
    for (; n >= 3 * SHORT; n -= 3 * SHORT, p += 3 * SHORT) c = crc_lanes(c, p, SHORT, 0x0d3b6092, 0xb9e02b86);
    return crc_sse42(c, p, n);
}
#endif

uint32_t crc32c(uint32_t crc, const void *p, size_t n) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul")) return ~crc_pclmul(~crc, p, n);
    if (__builtin_cpu_supports("sse4.2")) return ~crc_sse42(~crc, p, n);
#endif
    return ~crc_plain(~crc, p, n);
}

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
