/* Defines the bloom filters of HBase: kinds and their keys, how keys are hashed, and the meta block that names hash and
 * chunks. */
#ifndef HFILE_BLOOM_H
#define HFILE_BLOOM_H

#include "base/buf.h"
#include "base/bytes.h"
#include "cell/cell.h"
#include "hfile/hfile.h"

/* ---- kinds ----
 *
 * Of general bloom filters: what they are called and what their keys are. Sources: HBase's BloomType, BloomFilterUtil,
 * RowBloomContext, RowColBloomContext, RowPrefixFixedLengthBloomContext. */

enum {
    BLOOM_PREFIX_MAX = ROW_MAX_BYTES,
    BLOOM_COLUMN_TAIL_BYTES = 9 /* timestamp and type, after the qualifier */
};

/* As in file info's BLOOM_FILTER_TYPE. */
const char *bloom_kind_name(enum hfile_bloom kind);
bool bloom_kind_by_name(struct bytes name, enum hfile_bloom *kind);

/* ROWPREFIX_FIXED_LENGTH: shorter rows are their own prefix. */
static inline struct bytes bloom_kind_prefix(struct bytes row, uint32_t prefix) {
    return bytes_of(row.p, row.n < prefix ? row.n : prefix);
}

/* ROWCOL: the serialised key of the first cell that the column could have, in the empty family. In two steps: all
 * columns of a row begin alike. */
int bloom_kind_begin_column(struct buf *key, struct bytes row, struct err *err);
int bloom_kind_end_column(struct buf *key, struct bytes qualifier, struct err *err);

/* ---- hashes ----
 *
 * org.apache.hadoop.hbase.util.{Jenkins,Murmur,Murmur3}Hash. They are not the textbook ones everywhere: Murmur sign-extends its
 * tail bytes, as Java bytes are. */

/* hbase.hash.type as stored in a bloom's meta block. */
enum bloom_hash_type { BLOOM_HASH_JENKINS = 0, BLOOM_HASH_MURMUR = 1, BLOOM_HASH_MURMUR3 = 2 };

bool bloom_hash_known(uint32_t type);
const char *bloom_hash_name(enum bloom_hash_type type); /* as hbase.hash.type spells it */
uint32_t bloom_hash(enum bloom_hash_type type, struct bytes key, uint32_t seed);

/* Both hashes of a key: bit i of a filter of `bits` bits is bloom_hash_bit(h, i, bits). */
struct bloom_hash_pair {
    uint32_t h1, h2;
};
struct bloom_hash_pair bloom_hash_key(enum bloom_hash_type type, struct bytes key);
/* |(h1 + i * h2) % bits| in Java's 32-bit arithmetic; bits < 2^31. */
static inline uint32_t bloom_hash_bit(struct bloom_hash_pair h, uint32_t i, uint32_t bits) {
    uint32_t x = h.h1 + i * h.h2, sign = 0u - (x >> 31);
    x = (x ^ sign) - sign; /* a branch would be guessed wrong every second time */
    return bits & (bits - 1) ? x % bits : x & (bits - 1);
}

/* ---- the meta block ----
 *
 * How keys are hashed, and which chunk holds which keys.
 *   i32 version = 3 | i64 bytes of all chunks | i32 hashes per key | i32 hash function | i64 keys | i64 keys it has room for |
 *   i32 number of chunks | vint length, comparator's class name | per chunk an entry in root index format
 * Source: HBase's CompoundBloomFilterWriter.MetaWriter, CompoundBloomFilter, BloomFilterUtil. */

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
/* Returns whether all bits of key are set in its chunk. bits: at least 1 byte, less than 2^28. */
bool bloom_meta_may_have(const struct bloom_meta *m, struct bytes bits, struct bytes key);

#endif
