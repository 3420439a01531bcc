/* A bloom filter's meta block: how keys are hashed, and which chunk holds which keys.
 *   i32 version = 3 | i64 bytes of all chunks | i32 hashes per key | i32 hash function | i64 keys | i64 keys it has room for |
 *   i32 number of chunks | vint length, comparator's class name | per chunk an entry in root index format
 * Source: HBase's CompoundBloomFilterWriter.MetaWriter, CompoundBloomFilter, BloomFilterUtil. */
#ifndef HFILE_BLOOM_META_H
#define HFILE_BLOOM_META_H

#include "hfile/bloom_hash.h"
#include "hfile/hfile_reader.h"

struct bloom_meta {
    uint64_t bytes, keys, max_keys;
    uint32_t hash_count;
    enum bloom_hash_type hash;
    struct bytes comparator;          /* empty: plain bytes, since HBase 2 */
    bool of_cells;                    /* keys are serialised cell keys (ROWCOL) and compare as such, else plain bytes */
    struct hfile_index_entry *chunks; /* key = the chunk's first key */
    uint32_t n;
};

/* Borrows from the payload. The heap stays below max_bytes. Errors name no file. */
int bloom_meta_parse(struct bytes payload, size_t max_bytes, struct bloom_meta *out, struct err *err);
void bloom_meta_free(struct bloom_meta *m);

/* The order of keys in this filter. */
int bloom_meta_cmp(const struct bloom_meta *m, struct bytes a, struct bytes b);
/* The chunk that would hold key; n: none. */
uint32_t bloom_meta_chunk_of(const struct bloom_meta *m, struct bytes key);
/* Are all bits of key set in its chunk? bits: at least 1 byte, less than 2^28. */
bool bloom_meta_may_have(const struct bloom_meta *m, struct bytes bits, struct bytes key);

#endif
