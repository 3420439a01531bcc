/* What a decompression reads: for callers, and for the files that know a compression. */
#ifndef BASE_UNPACK_FROM_H
#define BASE_UNPACK_FROM_H

#include "base/bytes.h"
#include "base/err.h"

#include <sys/types.h>

/* Where compressed bytes come from: > 0 bytes, 0 = end, -1 = error. */
struct unpack_from {
    ssize_t (*read)(void *arg, uint8_t *p, size_t n, struct err *err);
    void *arg;
    const char *path; /* for messages; outlives the unpack */
    /* Largest window or dictionary; the decoder's own state (about 1 MiB) comes on top. zstd rounds down to a power of two.
     * 0 = 128 MiB for zstd, no limit for xz. gzip (32 KiB), bzip2 (4 MB) and lz4 (8 MiB) never need more than that. */
    size_t memory_bytes;
};

#endif
