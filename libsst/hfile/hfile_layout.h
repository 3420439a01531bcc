/* Describes the layout of an HFile: its trailer, its blocks, its bloom filters. For inspecting files; reading cells needs none of
 * it. */
#ifndef HFILE_HFILE_LAYOUT_H
#define HFILE_HFILE_LAYOUT_H

#include "hfile/block.h"

struct hfile_block {
    uint64_t offset;
    uint32_t disk_bytes; /* with header */
    struct block_header header;
    unsigned encoding; /* id in the block, of BLOCK_ENCODED_DATA */
};
typedef int hfile_block_fn(void *arg, const struct hfile_block *b, struct err *err);

/* Blocks that a scan has passed: scans of neighbouring ranges are joined by them. A chain is that of prevBlockOffset
 * (block.h). */
enum { HFILE_CHAIN_NONE = -2 /* no block of it was passed */, HFILE_CHAIN_LOST = -3 /* damage is before the first */ };
struct hfile_passed {
    int64_t first_prev[BLOCK_TYPES]; /* which block the first of a chain names as the one before it; -1 = none */
    int64_t last[BLOCK_TYPES];       /* offset of the last block of a chain; HFILE_CHAIN_NONE also after damage */
    bool gap;                        /* damage was passed over */
    uint64_t data_blocks, cells;
    uint64_t plain_bytes; /* what the blocks add to the trailer's total of uncompressed bytes */
};

/* A bloom filter, by its meta block. */
struct hfile_bloom_facts {
    uint64_t bytes, keys, max_keys;
    uint32_t chunks, hash_count;
    const char *hash;        /* "jenkins", "murmur", "murmur3" */
    struct bytes comparator; /* empty: plain bytes. Borrowed until hfile_bloom_close */
};

#endif
