/* How an HFile is laid out: its trailer, its blocks, its bloom filters. For inspecting files; reading cells needs none
 * of it. */
#ifndef HFILE_HFILE_LAYOUT_H
#define HFILE_HFILE_LAYOUT_H

#include "base/buf.h"
#include "hfile/block.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_metadata.h"

/* Without its comparator, which hfile_info has. */
const struct trailer *hfile_trailer(const struct hfile *h);

/* The middle of the data index, where HBase would split: a serialised key, empty when there are no cells or the index
 * cannot be read. */
int hfile_mid_key(const struct hfile *h, struct buf *key, struct err *err);

/* n raw bytes of the file, from offset on. */
int hfile_read_raw(const struct hfile *h, void *p, size_t n, uint64_t offset, struct err *err);

struct hfile_block {
    uint64_t offset;
    uint32_t disk_bytes; /* with header */
    struct block_header header;
    unsigned encoding; /* id in the block, of BLOCK_ENCODED_DATA */
};
typedef int hfile_block_fn(void *arg, const struct hfile_block *b, struct err *err);
/* hfile_range_next that visits the blocks of the range. visit returns 1 to end the range after that block, -1 on error. */
int hfile_range_visit(const struct hfile *h, uint64_t *cursor, size_t want_bytes, struct hfile_range *out, hfile_block_fn *visit,
                      void *arg, struct err *err);

/* What a scan has passed: scans of neighbouring ranges are joined by it. A chain is that of prevBlockOffset (block.h). */
enum { HFILE_CHAIN_NONE = -2 /* no block of it was passed */, HFILE_CHAIN_LOST = -3 /* damage is before the first */ };
struct hfile_passed {
    int64_t first_prev[BLOCK_TYPES]; /* which block the first of a chain names as the one before it; -1 = none */
    int64_t last[BLOCK_TYPES];       /* offset of the last block of a chain; HFILE_CHAIN_NONE also after damage */
    bool gap;                        /* damage was passed over */
    uint64_t data_blocks, cells;
    uint64_t plain_bytes; /* what the blocks add to the trailer's total of uncompressed bytes */
};
void hfile_scan_passed(const struct source *scan, struct hfile_passed *out);
/* What everything after the scanned section adds to that total. */
uint64_t hfile_open_plain_bytes(const struct hfile *h);

/* Visits all blocks up to the trailer. Reads only headers, except for encoded data blocks, which are verified and decompressed.
 * visit returns 0 to continue; any other value ends the walk, which returns it. */
int hfile_blocks_walk(const struct hfile *h, hfile_block_fn *visit, void *arg, struct err *err);

/* What a bloom filter's meta block says. */
struct hfile_bloom_facts {
    uint64_t bytes, keys, max_keys;
    uint32_t chunks, hash_count;
    const char *hash;        /* "jenkins", "murmur", "murmur3" */
    struct bytes comparator; /* empty: plain bytes. Borrowed until hfile_bloom_close */
};
struct hfile_bloom_facts hfile_bloom_facts(const struct hfile_bloom_reader *b);
/* Chunk i of facts.chunks: its first key, and its bits, valid until the next call. */
struct bytes hfile_bloom_chunk_key(const struct hfile_bloom_reader *b, uint32_t i);
int hfile_bloom_chunk(struct hfile_bloom_reader *b, uint32_t i, struct bytes *bits, struct err *err);

#endif
