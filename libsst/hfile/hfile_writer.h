/* Writes one HFile v3.3 in the HFileOutputFormat2 profile: multi-level index, bloom chunks inline, CRC-32C, any encoding.
 *
 *   hfile_writer_open -> hfile_writer_put … -> hfile_writer_finish -> hfile_writer_close
 *
 * The writer appends to `out` and never names, syncs or publishes a file. Cells must come in cell order (the writer
 * checks, and names both keys); one family per file. Blocks are encoded and compressed as OpenMP tasks when called inside a
 * parallel region: the bytes written never depend on the number of threads. Calls for one writer come from one
 * task, which waits for its children now and then, until hfile_writer_pause. Memory: see hfile_writer_memory. */
#ifndef HFILE_HFILE_WRITER_H
#define HFILE_HFILE_WRITER_H

#include "base/err.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "hfile/hfile.h"

struct hfile_extra { /* one more file-info pair */
    const char *key;
    struct bytes value;
};

struct hfile_write_opts {
    enum hfile_codec codec;
    int codec_level; /* 0 = the codec's default */
    enum hfile_encoding encoding;
    bool tags_compressed; /* with an encoding: tags through a dictionary (HBase's COMPRESS_TAGS) */
    enum hfile_bloom bloom;
    uint32_t bloom_prefix;        /* HFILE_BLOOM_PREFIX: bytes of the row, 1 to ROW_MAX_BYTES */
    uint32_t block_bytes;         /* 65536: unencoded payload at which a data block is closed */
    uint32_t index_chunk_bytes;   /* 131072 */
    uint32_t index_min_entries;   /* 16 */
    uint32_t bloom_chunk_bytes;   /* 131072 */
    float bloom_error_rate;       /* 0.01 */
    enum hfile_checksum checksum; /* CRC32C */
    uint32_t bytes_per_checksum;  /* 16384 */
    bool tags, mvcc;              /* both true: HFileOutputFormat2's layout */
    bool seqs;                    /* cells keep their sequence ids where there is mvcc; false: all 0 */
    int64_t create_ms;            /* hfile.CREATE_TIME_TS */
    bool bulkload;                /* write BULKLOAD_TIMESTAMP and BULKLOAD_SOURCE_TASK, MAJOR_COMPACTION_KEY, EXCLUDE_… */
    int64_t bulkload_ms;
    const char *bulkload_task;
    bool obkv;                       /* add OBKV.CELLS, DIGEST, FIRST, LAST, DELETES (not when 0), and `extra` */
    const struct hfile_extra *extra; /* e.g. OBKV.PARTITION, OBKV.RULES, OBKV.NEXT_DROP_MS */
    size_t n_extra;
    unsigned batch_blocks;   /* blocks compressed side by side; bounds memory, not bytes written */
    size_t long_block_bytes; /* memory for one block, when cells with one key, which are never parted, make it long; 0 = any */
};
/* The HFileOutputFormat2 defaults: SNAPPY, no encoding, ROW bloom, CRC32C, tags, mvcc and sequence ids, times 0. */
struct hfile_write_opts hfile_write_defaults(void);

/* What went in; first_row/last_row are valid until close. */
struct hfile_write_stats {
    struct tally tally; /* digest of the bytes as they stand in the blocks */
    uint64_t puts, deletes;
    uint64_t duplicates; /* cells with the key of the cell before them (row, column, timestamp, type) */
    uint64_t kv_bytes;   /* KeyValue bytes (keyLen … value, tags if any), without mvcc */
    uint64_t file_bytes;
    int64_t ts_min, ts_max; /* plain minimum and maximum of the cells' timestamps */
    struct bytes first_row, last_row;
    uint64_t data_blocks;
};

struct outfile;

/* Upper bound of heap one writer needs for blocks of normal cells. */
size_t hfile_writer_memory(const struct hfile_write_opts *o);
/* The same while it is paused. */
size_t hfile_writer_paused_memory(const struct hfile_write_opts *o);

struct hfile_writer;
/* What o points to is borrowed until finish. */
struct hfile_writer *hfile_writer_open(const struct hfile_write_opts *o, struct outfile *out, struct err *err);
int hfile_writer_put(struct hfile_writer *w, const struct row_part *part, struct err *err);
/* Writes what is complete, so that the next calls may come from another task, and holds little until then. Does not end a
 * block. */
int hfile_writer_pause(struct hfile_writer *w, struct err *err);
/* KeyValue bytes so far: for --target-file-size. */
uint64_t hfile_writer_kv_bytes(const struct hfile_writer *w);
/* Writes indexes, blooms, file info and trailer. */
int hfile_writer_finish(struct hfile_writer *w, struct hfile_write_stats *stats, struct err *err);
void hfile_writer_close(struct hfile_writer *w); /* NULL is fine */

#endif
