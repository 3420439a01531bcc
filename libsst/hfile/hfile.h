/* Shared by reader and writer of HFiles: constants, small types, and the description of an open file. Source: HBase's HFile,
 * HFileBlock, FixedFileTrailer, HFileInfo (branch 2.6); docs/formats/hfile.md describes the bytes. */
#ifndef HFILE_HFILE_H
#define HFILE_HFILE_H

#include "base/bytes.h"
#include "base/err.h"

#include <sys/types.h>

/* Compression.Algorithm ordinals: stable, stored in the trailer. */
enum hfile_codec {
    HFILE_LZO = 0,
    HFILE_GZ = 1,
    HFILE_NONE = 2,
    HFILE_SNAPPY = 3,
    HFILE_LZ4 = 4,
    HFILE_BZIP2 = 5,
    HFILE_ZSTD = 6,
    HFILE_LZMA = 7,
    HFILE_BROTLI = 8
};

enum hfile_checksum { HFILE_SUM_NULL = 0, HFILE_SUM_CRC32 = 1, HFILE_SUM_CRC32C = 2 };

/* General bloom filters; bloom.h has their names and keys. */
enum hfile_bloom { HFILE_BLOOM_NONE, HFILE_BLOOM_ROW, HFILE_BLOOM_ROWCOL, HFILE_BLOOM_PREFIX };

/* DataBlockEncoding ids; PREFIX_TREE is refused by name. */
enum hfile_encoding {
    HFILE_ENC_NONE = 0,
    HFILE_ENC_PREFIX = 2,
    HFILE_ENC_DIFF = 3,
    HFILE_ENC_FAST_DIFF = 4,
    HFILE_ENC_PREFIX_TREE = 6,
    HFILE_ENC_ROW_INDEX_V1 = 7
};

/* The source of the bytes of a file: a local file (hfile_bytes_of_fd), or anything that can be read at an offset. */
struct hfile_bytes {
    bool is_remote; /* of the file by whose path it is read: base/remote.h; pread is not called */
    /* Reads up to n bytes from offset on into p: their number, 0 at the end of the file, or a negative errno. Is called by
     * several threads side by side when several read the file. */
    ssize_t (*pread)(void *arg, void *p, size_t n, uint64_t offset);
    void (*close)(void *arg); /* NULL: nothing to release */
    void *arg;
    uint64_t size;
};

/* One of the file info. */
struct hfile_pair {
    struct bytes key, value;
};

/* ---- an open file ---- */

/* Bytes [offset, end) that were left out because they are damaged. */
struct hfile_lost {
    uint64_t offset, end;
    bool no_cells;            /* it held no cells: an index, a bloom filter */
    struct bytes first, last; /* serialised keys: what may be missing is between; p == NULL: not known */
    const char *reason;       /* without the file's name */
};
/* Given by a caller that wants to continue after damage. Everything is borrowed until put returns; -1 ends the reading. */
struct hfile_lost_sink {
    int (*put)(void *arg, const struct hfile_lost *lost, struct err *err);
    void *arg;
};

struct hfile_info {
    const char *path;
    uint64_t file_bytes;
    unsigned major, minor;
    enum hfile_codec codec;
    enum hfile_encoding encoding; /* as file info names it */
    const char *comparator;
    uint64_t cells; /* trailer's entry_count */
    unsigned index_levels;
    uint64_t first_data_offset, last_data_offset; /* UINT64_MAX: no data block */
    uint64_t load_on_open_offset, trailer_offset;
    uint32_t block_bytes; /* payload of the first data block, 0 = none */
    bool has_tags, has_mvcc;
    uint64_t max_mvcc;
    enum hfile_bloom bloom;           /* other kinds: HFILE_BLOOM_NONE here, the file-info pair gives the name */
    uint32_t bloom_prefix;            /* HFILE_BLOOM_PREFIX: its length */
    bool has_delete_bloom;            /* a filter over the rows with delete-family markers */
    struct bytes bloom_type_name;     /* BLOOM_FILTER_TYPE, empty = none */
    struct bytes first_key, last_key; /* serialised keys: root/leaf index entry 0 and hfile.LASTKEY; empty = no cells */
    bool has_ts_range;
    int64_t ts_min, ts_max;
    bool has_earliest_put;
    int64_t earliest_put_ms;
    const struct hfile_pair *pairs; /* the file info, sorted by key */
    size_t n_pairs;
};

/* One entry of the leaf level of the data index, in order. key is a serialised (possibly shortened) key. */
struct hfile_index_entry {
    uint64_t offset;
    uint32_t disk_bytes;
    struct bytes key;
};

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

#endif
