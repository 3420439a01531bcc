/* Bytes in, sequentially: a file, stdin or what a function gives, as it is or unpacked (gz, bz2, xz, zst, lz4, found by content:
 * unpack.h). Waiting for a pipe is interrupted by a stop request. */
#ifndef BASE_INSTREAM_H
#define BASE_INSTREAM_H

#include "base/bytes.h"
#include "base/err.h"

#include <sys/types.h>

struct disk_quota;
struct stop;
struct unpack_from;

struct instream;
/* path "-" is stdin. stop may be NULL. memory_bytes: largest window a decompressor may hold, which it gives back at the end of
 * the content (unpack.h says what 0 means). */
struct instream *instream_open(const char *path, const struct stop *stop, size_t memory_bytes, struct err *err);
/* Opens a stream over bytes that come from elsewhere, such as a member of an archive; from->path is copied, from->arg outlives
 * the reading. */
struct instream *instream_over(const struct unpack_from *from, struct err *err);
/* Has `unpacked` called with every number of bytes that were unpacked, before they are handed out; not 0: reading fails. */
void instream_watch(struct instream *s, int (*unpacked)(void *arg, uint64_t bytes, struct err *err), void *arg);
/* Reads up to n bytes of content: > 0 = that many, 0 = end, -1 = error (damaged compressed data is ERR_INPUT with the offset, a
 * window too large ERR_LIMIT). */
ssize_t instream_read(struct instream *s, void *p, size_t n, struct err *err);
/* The first bytes (up to n <= 65536) without consuming them; *out valid until the next read. */
int instream_peek(struct instream *s, size_t n, struct bytes *out, struct err *err);
uint64_t instream_input_bytes(const struct instream *s); /* bytes taken from the file (compressed): for progress */
/* XXH3-64 of the bytes taken from the file so far, as 16 hex digits: of the whole file at its end. */
void instream_checksum(const struct instream *s, char hex[17]);
/* Makes the checksum of a file on disk the sum over stretches (stretch_sum.h), so that parts add up. Before its first 64 KiB are
 * read. */
void instream_sum_stretches(struct instream *s);
/* Sets, before anything is read or peeked at, how many threads unpack the content, where it can be unpacked in pieces. */
void instream_use_threads(struct instream *s, unsigned threads);
bool instream_is_compressed(const struct instream *s);
/* The content is in a file on disk as it is: instream_file gives a new descriptor of it, for reading at any offset. */
bool instream_is_file(const struct instream *s);
int instream_file(const struct instream *s, struct err *err);
/* Writes the rest of the content to an unnamed file in dir, which is read from then on. quota may be NULL. */
int instream_to_file(struct instream *s, const char *dir, struct disk_quota *quota, struct err *err);
/* Continues at `begin` of a file on disk, a multiple of STRETCH_BYTES. The checksum is that of the bytes from there to `end`,
 * though more may be read. */
int instream_part(struct instream *s, uint64_t begin, uint64_t end, struct err *err);
bool instream_is_temporary(const struct instream *s); /* that was done */
const char *instream_path(const struct instream *s);
void instream_close(struct instream *s);

#endif
