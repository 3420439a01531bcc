/* HFile blocks as bytes: magics, the 33-byte header, checksums. Source: HBase's HFileBlock, BlockType, ChecksumUtil.
 *   magic 8 | onDiskSizeWithoutHeader i32 | uncompressedSizeWithoutHeader i32 | prevBlockOffset i64 |
 *   checksum type u8 | bytesPerChecksum i32 | onDiskDataSizeWithHeader i32 | payload, compressed | 4 bytes per chunk
 * HFile v2.0 has no checksums: its header is the first 24 bytes, and nothing follows the payload. */
#ifndef HFILE_BLOCK_H
#define HFILE_BLOCK_H

#include "base/bytes.h"
#include "base/err.h"
#include "hfile/hfile.h"

enum block_type {
    BLOCK_DATA,
    BLOCK_ENCODED_DATA, /* shares its chain of previous offsets with BLOCK_DATA */
    BLOCK_LEAF_INDEX,
    BLOCK_BLOOM_CHUNK,
    BLOCK_META,
    BLOCK_INTERMEDIATE_INDEX,
    BLOCK_ROOT_INDEX,
    BLOCK_FILE_INFO,
    BLOCK_GENERAL_BLOOM_META,
    BLOCK_DELETE_FAMILY_BLOOM_META,
    BLOCK_TYPES
};

enum { BLOCK_MAGIC_BYTES = 8, BLOCK_HEADER_BYTES = 33, BLOCK_HEADER_V20_BYTES = 24, BLOCK_SUM_BYTES = 4 };

struct block_header {
    enum block_type type;
    uint32_t disk_bytes;  /* compressed payload + checksums, without header */
    uint32_t plain_bytes; /* payload, decompressed */
    int64_t prev_offset;  /* previous block of the same type, -1 = none */
    enum hfile_checksum sum;
    uint32_t bytes_per_sum; /* 0: a block of v2.0, without checksums */
    uint32_t summed_bytes;  /* header + compressed payload: what the checksums cover */
};

const char *block_type_name(enum block_type type); /* the magic as text */
/* Does head begin with the magic of any block, as an HFile does? */
bool block_magic_leads(struct bytes head);
/* Index of the chain that prevBlockOffset follows. */
static inline unsigned block_chain(enum block_type type) {
    return type == BLOCK_ENCODED_DATA ? BLOCK_DATA : type;
}

static inline uint64_t block_sum_count(uint64_t summed_bytes, uint32_t bytes_per_sum) {
    return (summed_bytes + bytes_per_sum - 1) / bytes_per_sum;
}
/* Writes the sums of p[0, summed) for chunks from `first_chunk` on. */
void block_sums_put(const struct block_header *h, const uint8_t *p, uint64_t first_chunk, uint8_t *sums);

void block_header_put(uint8_t *p, const struct block_header *h);
/* Checks magic, ranges and how the sizes hang together. header_bytes: BLOCK_HEADER_BYTES or BLOCK_HEADER_V20_BYTES.
 * Returns NULL, or what is wrong. */
const char *block_header_parse(const uint8_t *p, uint32_t header_bytes, struct block_header *h);
/* block = header, payload and sums. The index of the first chunk whose sum differs, or -1. */
int64_t block_sums_check(const struct block_header *h, const uint8_t *block, uint32_t *stored, uint32_t *computed);

#endif
