/* An open HFile: what it says about itself, its index, its blocks and its bloom filters. sst/scan.h reads its cells.
 * Source: HBase's HFile, FixedFileTrailer, HFileInfo, HFileBlock and HFilePrettyPrinter, branch 2.6; docs/formats/hfile.md.
 *
 * HFile versions 2 and 3 are read, with all codecs and data block encodings of HBase 1.x and 2.x but LZO without its library,
 * PREFIX_TREE, and encryption. Every block that is used has its checksum and structure verified first.
 *
 * Threads: an open sst_file is read-only. Any number of threads may call every function here on one file, and scan it, until one
 * closes it. */
#ifndef SST_FILE_H
#define SST_FILE_H

#include "sst/base.h"

SST_BEGIN

typedef struct sst_file sst_file;

typedef struct sst_file_options {
    size_t size;
    size_t max_block_bytes; /* refuse larger blocks, unpacked, with SST_LIMIT; 0 = 1 GiB */
} sst_file_options;

/* Operations that read the caller's bytes: HDFS, S3, memory. All are called by whichever thread reads. */
typedef struct sst_read_ops {
    size_t size;
    /* Number of bytes of the file; -1: unknown, errno says why. Called once, while the file is opened. */
    int64_t (*file_size)(void *context);
    /* Reads up to n bytes at offset into buffer: how many (fewer than n only at the end or as with pread(2)), 0 = end, -1 =
     * failed and errno says why. Runs in several threads at once when several threads read the file. */
    int64_t (*pread)(void *context, void *buffer, size_t n, uint64_t offset);
    /* Called once, when the file is closed or cannot be opened; may be NULL. */
    void (*close)(void *context);
} sst_read_ops;

/* Opens an HFile: reads its trailer, root index and file info. Close with sst_file_close. NULL on failure: SST_INPUT = it
 * cannot be read or is damaged, SST_UNSUPPORTED, SST_LIMIT. path: a regular file; copied. */
SST_API sst_file *sst_file_open(const char *path, const sst_file_options *options, sst_error *error);
/* fd: a regular file open for reading; the library takes it over and closes it, also when opening fails. Its offset is not used.
 * name: for messages; copied. Fails as sst_file_open does. */
SST_API sst_file *sst_file_open_fd(int fd, const char *name, const sst_file_options *options, sst_error *error);
/* ops and name are copied; context belongs to the caller and is passed to each function of ops. Fails as sst_file_open does;
 * SST_USAGE: ops lacks file_size or pread. */
SST_API sst_file *sst_file_open_callbacks(const sst_read_ops *ops, void *context, const char *name,
                                          const sst_file_options *options, sst_error *error);
/* Scans and bloom filters of the file must be closed before. */
SST_API void sst_file_close(sst_file *file);

/* Kinds of general bloom filters, HBase's BloomType. */
enum sst_bloom_kind { SST_BLOOM_NONE = 0, SST_BLOOM_ROW = 1, SST_BLOOM_ROWCOL = 2, SST_BLOOM_ROW_PREFIX = 3 };

/* A file, by its trailer and file info. Borrowed from the file until it is closed. Sizes and offsets are bytes. */
typedef struct sst_file_info {
    size_t size;
    const char *name; /* path, or the name given */
    uint64_t file_bytes;
    uint32_t major, minor;          /* version of the format, e.g. 3.3 */
    uint64_t cells;                 /* trailer: entryCount */
    const char *codec;              /* trailer: compressionCodec; "NONE", "SNAPPY", "GZ" … */
    const char *encoding;           /* file info DATA_BLOCK_ENCODING; "NONE", "FAST_DIFF" … */
    const char *comparator;         /* trailer: comparatorClassName */
    sst_bytes bloom;                /* file info BLOOM_FILTER_TYPE, empty = none */
    uint32_t bloom_kind;            /* enum sst_bloom_kind; SST_BLOOM_NONE also for kinds that are not known */
    uint32_t bloom_prefix_bytes;    /* SST_BLOOM_ROW_PREFIX: its length */
    uint8_t has_delete_bloom;       /* a filter over rows with delete-family markers */
    uint8_t has_tags, has_sequence; /* cells are stored with tags, with sequence ids */
    uint8_t has_time_range;         /* time_min and time_max are set: file info TIMERANGE */
    uint8_t has_earliest_put;       /* file info EARLIEST_PUT_TS */
    uint64_t max_sequence;          /* file info MAX_MEMSTORE_TS_KEY, 0 = none */
    int64_t time_min, time_max;     /* milliseconds since 1970 */
    int64_t earliest_put;           /* milliseconds since 1970 */
    sst_bytes first_key, last_key;  /* serialised (sst_key_parse); empty = the file holds no cells, or its index is not read */
    /* The first two: trailer. load_on_open_offset: where data blocks end, and what is read at opening begins. */
    uint64_t file_info_offset, load_on_open_offset, trailer_offset, trailer_bytes;
    uint64_t first_data_offset, last_data_offset;    /* trailer; UINT64_MAX = no data block */
    uint32_t data_index_entries, meta_index_entries; /* of the root */
    uint32_t index_levels;                           /* 1 = a root only */
    uint64_t index_unpacked_bytes;                   /* trailer: uncompressedDataIndexSize */
    uint64_t total_unpacked_bytes;                   /* trailer: totalUncompressedBytes */
    uint32_t codec_id, encoding_id;                  /* the ids of codec and encoding: see sst_codec_name, sst_encoding_name */
    uint32_t data_block_bytes;                       /* unpacked size of the first data block, 0 = none */
    size_t scan_bytes;                               /* memory that one scan takes, about */
} sst_file_info;

/* Never NULL. */
SST_API const sst_file_info *sst_file_get_info(const sst_file *file);

/* Names by HBase's ids: of Compression.Algorithm, of DataBlockEncoding, of a kind of block as its header spells it (enum
 * sst_block_kind). "unknown" for other ids. Never freed, any thread. */
SST_API const char *sst_codec_name(unsigned id);
SST_API const char *sst_encoding_name(unsigned id);
SST_API const char *sst_block_kind_name(unsigned kind);

/* ---- file info pairs ---- */

typedef struct sst_pair {
    sst_bytes key, value;
} sst_pair;

/* All pairs of the file info, sorted by key; *n is their number. Borrowed until the file is closed. */
SST_API const sst_pair *sst_file_pairs(const sst_file *file, size_t *n);
/* The value of one pair: 1 = *value is set, borrowed until the file is closed, 0 = no such key. key ends with a zero byte. */
SST_API int sst_file_find(const sst_file *file, const char *key, sst_bytes *value);

/* ---- the index ---- */

/* An entry of the lowest level: one data block. Borrowed during the visit. */
typedef struct sst_index_entry {
    size_t size;
    uint64_t offset;     /* of the block in the file, bytes */
    uint64_t disk_bytes; /* of the block, with header and checksums */
    sst_bytes key; /* serialised; HBase may shorten it: no cell of the block comes before it, none of the block before after it */
} sst_index_entry;

/* Visits all entries in order and verifies the index as it goes. visit returns 0 to continue; another value ends the walk, which
 * returns it. 0 = all visited, -1 = failed (SST_INPUT: the index is damaged); a visit that reports a failure of its own returns a
 * positive value. context belongs to the caller and is passed to visit. */
SST_API int sst_file_walk_index(const sst_file *file, int (*visit)(void *context, const sst_index_entry *entry), void *context,
                                sst_error *error);
/* The middle of the index, where HBase would split the region: the serialised key is copied to buffer, at most `room` bytes
 * of it; *size is its whole length, 0 = the file holds no cells or its index is not read. 0, or -1 (SST_INPUT: damage). */
SST_API int sst_file_mid_key(const sst_file *file, void *buffer, size_t room, size_t *size, sst_error *error);

/* Cuts the data of a file into pieces of whole blocks, for several threads: with *cursor = 0 at first, each call sets the next
 * piece of about want_bytes (unpacked), to be scanned with sst_scan_options.range_start and range_end. Together the pieces hold
 * each cell once. Only block headers are read. *cursor is the library's between calls. 1 = a piece, 0 = no more, -1 = failed
 * (SST_INPUT: damage). */
SST_API int sst_file_next_range(const sst_file *file, uint64_t *cursor, size_t want_bytes, uint64_t *range_start,
                                uint64_t *range_end, sst_error *error);

/* ---- blocks ---- */

/* One block, as its header says. Source: HFileBlock, BlockType. Borrowed during the visit. */
typedef struct sst_block {
    size_t size;
    uint64_t offset;        /* of its header in the file, bytes */
    uint64_t disk_bytes;    /* with header and checksums */
    uint64_t payload_bytes; /* on disk without the header: onDiskSizeWithoutHeader */
    uint64_t plain_bytes;   /* unpacked: uncompressedSizeWithoutHeader */
    int64_t prev_offset;    /* of the block of this kind before, bytes; -1 = none */
    uint32_t kind;          /* enum sst_block_kind */
    const char *kind_name;  /* "DATABLK*", "IDXLEAF2" … as the header spells it */
    const char *checksum;   /* "NULL", "CRC32", "CRC32C" */
    uint32_t bytes_per_checksum;
    uint64_t summed_bytes;     /* onDiskDataSizeWithHeader */
    uint32_t encoding;         /* SST_BLOCK_ENCODED_DATA: id of the data block encoding */
    const char *encoding_name; /* its name (sst_encoding_name) */
} sst_block;

/* Source: BlockType. */
enum sst_block_kind {
    SST_BLOCK_DATA = 0,
    SST_BLOCK_ENCODED_DATA = 1,
    SST_BLOCK_LEAF_INDEX = 2,
    SST_BLOCK_BLOOM_CHUNK = 3,
    SST_BLOCK_META = 4,
    SST_BLOCK_INTERMEDIATE_INDEX = 5,
    SST_BLOCK_ROOT_INDEX = 6,
    SST_BLOCK_FILE_INFO = 7,
    SST_BLOCK_GENERAL_BLOOM_META = 8,
    SST_BLOCK_DELETE_BLOOM_META = 9,
    SST_BLOCK_KINDS = 10
};

/* Visits all blocks from the first to the trailer, as sst_file_walk_index does. Headers are read; of encoded data blocks the
 * whole block is read, verified and unpacked. 0, -1, or what visit returned, as there. */
SST_API int sst_file_walk_blocks(const sst_file *file, int (*visit)(void *context, const sst_block *block), void *context,
                                 sst_error *error);

/* ---- bloom filters ---- */

typedef struct sst_bloom sst_bloom;

/* The general filter of the file, or with deletes != 0 that of the rows with delete-family markers. NULL with error->code SST_OK:
 * the file has none; else it failed (SST_INPUT: damage). An sst_bloom holds one chunk in memory: one thread at a time; ask in
 * ascending order for speed. Close it before its file. */
SST_API sst_bloom *sst_bloom_open(const sst_file *file, int deletes, sst_error *error);
SST_API void sst_bloom_close(sst_bloom *bloom);
/* 1 = the row may be in the file, 0 = certainly not, -1 = failed. A ROWCOL filter knows no rows: 1. */
SST_API int sst_bloom_may_have_row(sst_bloom *bloom, const void *row, size_t row_size, sst_error *error);
/* As sst_bloom_may_have_row, for a column; filters other than ROWCOL answer for the row. Markers of a whole family count as
 * qualifier "". */
SST_API int sst_bloom_may_have_column(sst_bloom *bloom, const void *row, size_t row_size, const void *qualifier,
                                      size_t qualifier_size, sst_error *error);

/* Source: CompoundBloomFilter. Borrowed until the filter is closed. */
typedef struct sst_bloom_info {
    size_t size;
    uint64_t bytes, keys, max_keys; /* of all chunks; keys: those that were added, max_keys: those there is room for */
    uint32_t chunks, hashes;        /* hashes: hash values for each key */
    const char *hash;               /* "jenkins", "murmur", "murmur3" */
    sst_bytes comparator;           /* empty: plain bytes */
} sst_bloom_info;
SST_API const sst_bloom_info *sst_bloom_get_info(const sst_bloom *bloom);

SST_END

#endif
