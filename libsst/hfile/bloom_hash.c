#include "hfile/bloom_hash.h"

#include "base/bytes.h"

static uint32_t rotl(uint32_t x, int r) {
    return x << r | x >> (32 - r);
}

/* MurmurHash2, except that the 1-3 tail bytes are sign-extended before they are shifted. */
static uint32_t murmur(struct bytes key, uint32_t seed) {
    const uint32_t m = 0x5bd1e995;
    uint32_t h = seed ^ (uint32_t)key.n;
    const uint8_t *p = key.p;
    size_t left = key.n;
    for (; left >= 4; left -= 4, p += 4) {
        uint32_t k = le32(p) * m;
        k ^= k >> 24;
        h = h * m ^ k * m;
    }
    if (left >= 3) h ^= (uint32_t)(int8_t)p[2] << 16;
    if (left >= 2) h ^= (uint32_t)(int8_t)p[1] << 8;
    if (left >= 1) h = (h ^ (uint32_t)(int8_t)p[0]) * m;
    h ^= h >> 13;
    h *= m;
    return h ^ h >> 15;
}

/* MurmurHash3_x86_32. */
static uint32_t murmur3(struct bytes key, uint32_t seed) {
    const uint32_t c1 = 0xcc9e2d51, c2 = 0x1b873593;
    uint32_t h = seed, k = 0;
    const uint8_t *p = key.p;
    size_t left = key.n;
    for (; left >= 4; left -= 4, p += 4) {
        h ^= rotl(le32(p) * c1, 15) * c2;
        h = rotl(h, 13) * 5 + 0xe6546b64;
    }
    while (left) k = k << 8 | p[--left];
    h ^= rotl(k * c1, 15) * c2;
    h ^= (uint32_t)key.n;
    h = (h ^ h >> 16) * 0x85ebca6b;
    h = (h ^ h >> 13) * 0xc2b2ae35;
    return h ^ h >> 16;
}

/* Bob Jenkins' lookup3, hashlittle. */
static uint32_t jenkins(struct bytes key, uint32_t seed) {
    uint32_t a = 0xdeadbeef + (uint32_t)key.n + seed, b = a, c = a;
    const uint8_t *p = key.p;
    size_t left = key.n;
    for (; left > 12; left -= 12, p += 12) {
        a += le32(p);
        b += le32(p + 4);
        c += le32(p + 8);
        a = (a - c) ^ rotl(c, 4), c += b;
        b = (b - a) ^ rotl(a, 6), a += c;
        c = (c - b) ^ rotl(b, 8), b += a;
        a = (a - c) ^ rotl(c, 16), c += b;
        b = (b - a) ^ rotl(a, 19), a += c;
        c = (c - b) ^ rotl(b, 4), b += a;
    }
    if (!left) return c;
    uint8_t last[12] = {0};
    memcpy(last, p, left);
    a += le32(last);
    b += le32(last + 4);
    c += le32(last + 8);
    c = (c ^ b) - rotl(b, 14);
    a = (a ^ c) - rotl(c, 11);
    b = (b ^ a) - rotl(a, 25);
    c = (c ^ b) - rotl(b, 16);
    a = (a ^ c) - rotl(c, 4);
    b = (b ^ a) - rotl(a, 14);
    return (c ^ b) - rotl(b, 24);
}

bool bloom_hash_known(uint32_t type) {
    return type <= BLOOM_HASH_MURMUR3;
}

const char *bloom_hash_name(enum bloom_hash_type type) {
    static const char *const names[] = {"jenkins", "murmur", "murmur3"};
    return bloom_hash_known(type) ? names[type] : "unknown";
}

uint32_t bloom_hash(enum bloom_hash_type type, struct bytes key, uint32_t seed) {
    switch (type) {
    case BLOOM_HASH_JENKINS: return jenkins(key, seed);
    case BLOOM_HASH_MURMUR3: return murmur3(key, seed);
    default: return murmur(key, seed);
    }
}
