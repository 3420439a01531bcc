/* How an HFile is written, and what went into it. */
#ifndef HFILE_HFILE_WRITE_OPTS_H
#define HFILE_HFILE_WRITE_OPTS_H

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

#endif
