/* Opens an HFile. */
#ifndef HFILE_HFILE_OPEN_H
#define HFILE_HFILE_OPEN_H

#include "base/bytes.h"
#include "base/err.h"
#include "hfile/hfile.h"
#include "hfile/trailer.h"

struct hfile;

/* Returns the trailer without its comparator, which hfile_info has. */
const struct trailer *hfile_trailer(const struct hfile *h);

/* n raw bytes of the file, from offset on. */
int hfile_read_raw(const struct hfile *h, void *p, size_t n, uint64_t offset, struct err *err);
/* Returns what everything after the scanned section adds to that total. */
uint64_t hfile_open_plain_bytes(const struct hfile *h);

/* max_block_bytes: refuse larger blocks with ERR_LIMIT (0 = 1 GiB). */
struct hfile *hfile_open(const char *path, size_t max_block_bytes, struct err *err);
/* Does without index and bloom filters when they are damaged, which it reports; trailer and file info must be whole. */
struct hfile *hfile_open_damaged(const char *path, size_t max_block_bytes, const struct hfile_lost_sink *lost, struct err *err);
/* Reads from fd, and takes ownership of it, also on failure; path only names it. lost: as hfile_open_damaged; NULL: damage is an
 * error. */
struct hfile *hfile_open_fd(int fd, const char *path, size_t max_block_bytes, const struct hfile_lost_sink *lost,
                            struct err *err);
/* As hfile_open_fd, for a file that is read through callbacks. Takes ownership of `bytes`, also on failure. */
struct hfile *hfile_open_bytes(struct hfile_bytes bytes, const char *path, size_t max_block_bytes,
                               const struct hfile_lost_sink *lost, struct err *err);
/* The number of cells according to the trailer, for a file that cannot be opened. fd remains the caller's. */
int hfile_claims(int fd, const char *path, uint64_t *cells, struct err *err);
const struct hfile_info *hfile_info(const struct hfile *h);
void hfile_close(struct hfile *h); /* NULL is fine */
/* Returns whether this is the end of an HFile, to detect the format. Needs the last 4096 bytes, or the whole file. */
bool hfile_looks_like(struct bytes tail);
const char *hfile_codec_name(unsigned ordinal);
const char *hfile_encoding_name(unsigned id);

#endif
