/* HFile v3: constants and small types that reader and writer share. Source: HBase's HFile, HFileBlock,
 * FixedFileTrailer, HFileInfo (branch 2.6); docs/formats/hfile.md tells the bytes. */
#ifndef HFILE_HFILE_H
#define HFILE_HFILE_H

#include "base/bytes.h"

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

/* General bloom filters; bloom_kind.h has their names and keys. */
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

/* Where the bytes of a file come from: a local file (hfile_bytes_of_fd), or anything that can be read at an offset. */
struct hfile_bytes {
    /* Up to n bytes from offset on into p: their number, 0 at the end of the file, or a negative errno. Is called by several
     * threads side by side when several read the file. */
    ssize_t (*pread)(void *arg, void *p, size_t n, uint64_t offset);
    void (*close)(void *arg); /* NULL: nothing to release */
    void *arg;
    uint64_t size;
};

/* One of the file info. */
struct hfile_pair {
    struct bytes key, value;
};

#endif
