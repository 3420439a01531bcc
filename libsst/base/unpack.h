/* Decompression of a whole stream: gzip, bzip2, xz, zstd and lz4 frames, several one after the other as one.
 *
 * Each by its own library, stricter than libarchive's filters (tried, 3.6.2): gzip's CRC and length are checked, bytes after the
 * last frame are damage, and an lz4 frame without content does not end the stream. */
#ifndef BASE_UNPACK_H
#define BASE_UNPACK_H

#include "base/unpack_kind.h"

enum { UNPACK_MAGIC_BYTES = 16, SKIPPABLE_HEADER_BYTES = 8 };

struct unpack;
/* Name of the compression that a stream with this head has; NULL: none. Wants UNPACK_MAGIC_BYTES, fewer if there are no more. Of
 * a frame without content it is "zstd", and may be lz4: the magic that follows such frames decides. */
const char *unpack_kind(struct bytes head);
/* Names the compression by the head that follows frames without content; kind: that of the first one. */
const char *unpack_kind_behind(struct bytes head, const char *kind);
/* Bytes of the frame without content (zstd, lz4) that the head begins with; 0: it does not. */
uint64_t unpack_skippable_bytes(struct bytes head);
/* Length of the path without an ending of these compressions, such as .gz; all of it if there is none. */
size_t unpack_plain_length(const char *path);
/* Returns whether the path ends as that of a compressed file, or of an archive that is. An empty file is then none: each
 * compression writes bytes. */
bool unpack_is_named(const char *path);
/* `kind` is what unpack_kind returned; `head` are bytes taken from `from` already (copied). */
struct unpack *unpack_open(const char *kind, struct bytes head, const struct unpack_from *from, struct err *err);
/* Sets unpack_from.threads, before the first unpack_read. */
void unpack_use_threads(struct unpack *u, unsigned threads);
/* > 0 bytes of content, 0 = end, -1 = error; damaged or truncated data is ERR_INPUT naming the offset,
 * a window above memory_bytes ERR_LIMIT naming both sizes. */
ssize_t unpack_read(struct unpack *u, void *p, size_t n, struct err *err);
void unpack_close(struct unpack *u);

#endif
