/* HFile blocks: magics, the 33-byte header, checksums. Source: HBase's HFileBlock, BlockType, ChecksumUtil.
 *   magic 8 | onDiskSizeWithoutHeader i32 | uncompressedSizeWithoutHeader i32 | prevBlockOffset i64 |
 *   checksum type u8 | bytesPerChecksum i32 | onDiskDataSizeWithHeader i32 | payload, compressed | 4 bytes per chunk
 * HFile v2.0 has no checksums: its header is the first 24 bytes, and nothing follows the payload. */
#ifndef HFILE_BLOCK_H
#define HFILE_BLOCK_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "codec/codec.h"
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
/* Returns whether head begins with the magic of any block, as an HFile does. */
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

/* ---- reading ----
 *
 * Blocks out of a file: read with read-ahead, verified (header, how sizes hang together, checksums) and decompressed. One
 * block_reader belongs to one thread; what it hands out borrows its buffers until the next call. Many may read one source. */

struct block_source { /* what many readers of one file share */
    struct hfile_bytes bytes;
    const char *path;
    const struct codec *codec;
    uint32_t header_bytes;  /* of every block: see block_header_parse */
    size_t max_block_bytes; /* larger blocks are ERR_LIMIT: nothing is allocated for them */
};

/* A local file. Takes ownership of fd, also on failure. ERR_INPUT: not a regular file. path only names it. */
int hfile_bytes_of_fd(int fd, const char *path, struct hfile_bytes *out, struct err *err);
void hfile_bytes_close(struct hfile_bytes *b);
/* n bytes from offset on. Fewer = ERR_INPUT "ends at …". */
int hfile_bytes_read(const struct hfile_bytes *b, void *p, size_t n, uint64_t offset, const char *path, struct err *err);

struct block_reader {
    const struct block_source *src;
    uint64_t limit; /* no block reaches beyond this offset */
    size_t ahead;   /* bytes read at once; 0 = only the block asked for */
    struct codec_ctx ctx;
    struct buf window; /* the bytes at window_at of the file */
    uint64_t window_at;
    struct buf plain;
};

#define BLOCK_ANY UINT32_MAX

enum { BLOCK_SPARE_BYTES = 64 /* after a payload: they may be read, though they mean nothing */ };

struct block {
    uint64_t offset, next; /* next: offset after it */
    struct block_header header;
    struct bytes payload; /* decompressed; p == NULL when it was not asked for */
};

void block_reader_init(struct block_reader *r, const struct block_source *src, uint64_t limit, size_t ahead);
void block_reader_release(struct block_reader *r);
/* The block at offset; its checksums are verified in any case, its payload is decompressed when payload_types has the
 * bit of its type (BLOCK_ANY: always). */
int block_reader_get(struct block_reader *r, uint64_t offset, uint32_t payload_types, struct block *out, struct err *err);
/* As block_reader_get, without its payload, but as it is stored, with header and checksums. */
int block_reader_stored(struct block_reader *r, uint64_t offset, struct block *out, struct bytes *stored, struct err *err);
/* Reads only the header, unverified but for its own sense, without read-ahead. */
int block_reader_header(const struct block_source *src, uint64_t offset, uint64_t limit, struct block *out, struct err *err);
/* Sets ERR_INPUT naming file, block type and offset. Returns -1. */
int block_fault(const struct block_source *src, const struct block *b, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
