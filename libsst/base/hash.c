/* CRC-32C by the SSE4.2 instruction where the processor has it, else by a table of half-bytes that needs no set-up; and
 * MurmurHash64A. */
#include "base/hash.h"

#include "base/bytes.h"

#include <string.h>

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

__attribute__((target("sse4.2"))) static void pair_sse42(const uint8_t *a, const uint8_t *b, size_t n, uint32_t c[2]) {
    uint64_t ca = c[0], cb = c[1];
    for (; n >= 8; n -= 8, a += 8, b += 8) {
        uint64_t wa, wb;
        memcpy(&wa, a, 8);
        memcpy(&wb, b, 8);
        ca = __builtin_ia32_crc32di(ca, wa);
        cb = __builtin_ia32_crc32di(cb, wb);
    }
    c[0] = crc_sse42((uint32_t)ca, a, n);
    c[1] = crc_sse42((uint32_t)cb, b, n);
}
#endif

uint32_t crc32c(uint32_t crc, const void *p, size_t n) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2")) return ~crc_sse42(~crc, p, n);
#endif
    return ~crc_plain(~crc, p, n);
}

void crc32c_pair(const void *a, const void *b, size_t n, uint32_t out[2]) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2")) {
        out[0] = out[1] = ~0u;
        pair_sse42(a, b, n, out);
        out[0] = ~out[0];
        out[1] = ~out[1];
        return;
    }
#endif
    out[0] = crc32c(0, a, n);
    out[1] = crc32c(0, b, n);
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
