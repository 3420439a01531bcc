/* Blocks out of a file: read with read-ahead, verified (header, how sizes hang together, checksums) and decompressed.
 * One block_reader belongs to one thread; what it hands out borrows its buffers until the next call. */
#ifndef HFILE_BLOCK_READER_H
#define HFILE_BLOCK_READER_H

#include "base/buf.h"
#include "codec/codec.h"
#include "hfile/block.h"

struct block_source { /* what many readers of one file share */
    struct hfile_bytes bytes;
    const char *path;
    const struct codec *codec;
    uint32_t header_bytes;  /* of every block: see block_header_parse */
    size_t max_block_bytes; /* larger blocks are ERR_LIMIT: nothing is allocated for them */
};

/* A local file: fd is taken over, also on failure. ERR_INPUT: not a regular file. path only names it. */
int hfile_bytes_of_fd(int fd, const char *path, struct hfile_bytes *out, struct err *err);
void hfile_bytes_close(struct hfile_bytes *b);
/* n bytes from offset on. Fewer = ERR_INPUT "ends at …". */
int hfile_bytes_read(const struct hfile_bytes *b, void *p, size_t n, uint64_t offset, const char *path, struct err *err);

struct block_reader {
    const struct block_source *src;
    uint64_t limit; /* no block reaches beyond this offset */
    size_t ahead;   /* bytes read at once; 0 = only the block asked for */
    struct codec_ctx ctx;
    struct buf window; /* the bytes at window_at of the file */
    uint64_t window_at;
    struct buf plain;
};

#define BLOCK_ANY UINT32_MAX

struct block {
    uint64_t offset, next; /* next: offset behind it */
    struct block_header header;
    struct bytes payload; /* decompressed; p == NULL when it was not asked for */
};

void block_reader_init(struct block_reader *r, const struct block_source *src, uint64_t limit, size_t ahead);
void block_reader_release(struct block_reader *r);
/* The block at offset; its checksums are verified in any case, its payload is decompressed when payload_types has the
 * bit of its type (BLOCK_ANY: always). */
int block_reader_get(struct block_reader *r, uint64_t offset, uint32_t payload_types, struct block *out, struct err *err);
/* Only the header, unverified but for its own sense, without read-ahead. */
int block_reader_header(const struct block_source *src, uint64_t offset, uint64_t limit, struct block *out, struct err *err);
/* ERR_INPUT naming file, block type and offset. */
int block_fault(const struct block_source *src, const struct block *b, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
