/* The hash functions of HBase's bloom filters (org.apache.hadoop.hbase.util.{Jenkins,Murmur,Murmur3}Hash). They are
 * not the textbook ones everywhere: Murmur sign-extends its tail bytes, as Java bytes are. */
#ifndef HFILE_BLOOM_HASH_H
#define HFILE_BLOOM_HASH_H

#include "base/bytes.h"

/* hbase.hash.type as stored in a bloom's meta block. */
enum bloom_hash_type { BLOOM_HASH_JENKINS = 0, BLOOM_HASH_MURMUR = 1, BLOOM_HASH_MURMUR3 = 2 };

bool bloom_hash_known(uint32_t type);
const char *bloom_hash_name(enum bloom_hash_type type); /* as hbase.hash.type spells it */
uint32_t bloom_hash(enum bloom_hash_type type, struct bytes key, uint32_t seed);

/* Both hashes of a key: bit i of a filter of `bits` bits is bloom_hash_bit(h, i, bits). */
struct bloom_hash_pair {
    uint32_t h1, h2;
};
static inline struct bloom_hash_pair bloom_hash_key(enum bloom_hash_type type, struct bytes key) {
    uint32_t h1 = bloom_hash(type, key, 0);
    return (struct bloom_hash_pair){h1, bloom_hash(type, key, h1)};
}
/* |(h1 + i * h2) % bits| in Java's 32-bit arithmetic; bits < 2^31. */
static inline uint32_t bloom_hash_bit(struct bloom_hash_pair h, uint32_t i, uint32_t bits) {
    uint32_t x = h.h1 + i * h.h2;
    if (x >> 31) x = 0u - x;
    return bits & (bits - 1) ? x % bits : x & (bits - 1);
}

#endif
