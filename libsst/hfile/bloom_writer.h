/* A compound bloom filter while it is written: chunks of fixed size that go out inline between data blocks, folded
 * when they turn out emptier than planned; then a meta block naming them. Sizing, folding and formats: HBase's
 * CompoundBloomFilterWriter, BloomFilterChunk, BloomFilterUtil. */
#ifndef HFILE_BLOOM_WRITER_H
#define HFILE_BLOOM_WRITER_H

#include "base/buf.h"
#include "hfile/bloom.h"
#include "hfile/block_writer.h"
#include "hfile/hfile.h"

struct bloom_ready { /* a chunk that waits for the next block boundary */
    struct buf bits, first_key;
};

struct bloom_writer {
    /* Sizing, the same for every chunk. */
    uint32_t chunk_bytes, hash_count, max_keys;
    const char *comparator; /* class name for the meta block; "": keys are plain bytes */
    /* The chunk being filled; bits.n == 0: none. */
    struct buf bits, first_key;
    uint32_t keys;
    bool in_tasks; /* tasks may be setting bits, in this chunk or in those that wait */
    struct bloom_ready *ready;
    size_t n_ready, cap_ready;
    /* Totals and the entries of the chunks written, in root index format. */
    uint64_t total_bytes, total_keys, total_max_keys;
    struct buf entries;
    uint32_t chunks;
};

/* chunk_bytes is a hint: it is rounded up so that it can be halved 7 times. ERR_USAGE when no key would fit. */
int bloom_writer_init(struct bloom_writer *b, uint32_t chunk_bytes, float error_rate, struct err *err);
void bloom_writer_free(struct bloom_writer *b);
/* Keys ascend, each once. */
int bloom_writer_add(struct bloom_writer *b, struct bytes key, struct err *err);
/* As bloom_writer_add, in two steps: the key is counted here, and a task of the caller's sets its bits
 * (bloom_writer_set_later). If bloom_writer_is_full, the next key begins another chunk. */
int bloom_writer_count(struct bloom_writer *b, struct bytes key, struct err *err);
static inline bool bloom_writer_is_full(const struct bloom_writer *b) {
    return b->keys >= b->max_keys;
}
/* The place for the bits of the keys that were counted since the chunk began. The place stays until the task that sets them has
 * ended: what reads bits waits for all tasks that the caller has begun. */
struct bloom_bits {
    uint8_t *p;
    uint32_t n, hash_count;
};
struct bloom_bits bloom_writer_set_later(struct bloom_writer *b);
static inline void bloom_bits_set(struct bloom_bits to, struct bloom_hash_pair h) {
    for (uint32_t i = 0; i < to.hash_count; i++) {
        uint32_t bit = bloom_hash_bit(h, i, to.n);
        to.p[bit >> 3] |= (uint8_t)(1u << (bit & 7));
    }
}
/* Closes the current chunk when it is full, or in any case (closing): it joins `ready`. */
int bloom_writer_cut(struct bloom_writer *b, bool closing, struct err *err);
/* A chunk of another filter of the same sizes joins `ready`, after what has been added. Its keys are counted by the caller.
 * ERR_INPUT: no such chunk. */
int bloom_writer_take(struct bloom_writer *b, struct bytes first_key, struct bytes bits, struct err *err);
/* Hands the ready chunks to the block writer as jobs that it owns, with the chunk's first key. */
int bloom_writer_flush(struct bloom_writer *b, struct block_writer *w, struct err *err);
/* A chunk was written. */
int bloom_writer_placed(struct bloom_writer *b, const struct block_place *place, struct err *err);
/* The meta block's payload. */
int bloom_writer_meta(const struct bloom_writer *b, struct buf *out, struct err *err);
size_t bloom_writer_memory(uint32_t chunk_bytes);

/* ---- the filters of one file ----
 *
 * A general one over rows, row prefixes or columns, and one over the rows with delete-family markers, which a file with a ROWCOL
 * filter does not get. Rules: HBase's StoreFileWriter. */

struct bloom_set {
    enum hfile_bloom kind;
    uint32_t prefix;
    struct bloom_writer general, family_deletes;
    struct buf key;      /* the last key of `general`, but for ROW, whose caller knows the row */
    size_t columns_from; /* ROWCOL: length of key up to the qualifier, 0 = no column of this row was added */
    struct buf marked_row;
};

int bloom_set_init(struct bloom_set *b, const struct hfile_write_opts *o, struct err *err);
void bloom_set_free(struct bloom_set *b);
size_t bloom_set_memory(const struct hfile_write_opts *o);

/* Adds in file order: each row once, each cell's column (ROWCOL only), each delete-family marker. */
int bloom_set_row(struct bloom_set *b, struct bytes row, struct err *err);
int bloom_set_column(struct bloom_set *b, struct bytes row, struct bytes qualifier, struct err *err);
int bloom_set_family_delete(struct bloom_set *b, struct bytes row, struct err *err);
/* Makes, between two blocks, chunks that are full, or all (closing), jobs of the block writer. */
int bloom_set_flush(struct bloom_set *b, bool closing, struct block_writer *w, struct err *err);
/* LAST_BLOOM_KEY. */
struct bytes bloom_set_last_key(const struct bloom_set *b, struct bytes last_row);

#endif
