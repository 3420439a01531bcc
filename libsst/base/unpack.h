/* Decompression of a whole stream: gzip, bzip2, xz, zstd and lz4 frames, several one after the other as one.
 *
 * Stricter than libarchive's filters (tried, 3.6.2): gzip's CRC and length are checked, bytes after the last frame are damage, and
 * an lz4 frame without content does not end the stream. libarchive still does bzip2. */
#ifndef BASE_UNPACK_H
#define BASE_UNPACK_H

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

enum { UNPACK_MAGIC_BYTES = 16 };

struct unpack;
/* Name of the compression that a stream with this head has; NULL: none. Wants UNPACK_MAGIC_BYTES, fewer if there are no more. */
const char *unpack_kind(struct bytes head);
/* `kind` is what unpack_kind returned; `head` are bytes taken from `from` already (copied). */
struct unpack *unpack_open(const char *kind, struct bytes head, const struct unpack_from *from, struct err *err);
/* > 0 bytes of content, 0 = end, -1 = error; damaged or truncated data is ERR_INPUT naming the offset,
 * a window above memory_bytes ERR_LIMIT naming both sizes. */
ssize_t unpack_read(struct unpack *u, void *p, size_t n, struct err *err);
void unpack_close(struct unpack *u);

#endif
