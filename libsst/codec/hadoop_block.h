/* Hadoop's block framing (BlockCompressorStream) around raw codecs:
 *   group := u32be uncompressedLen | chunk…      chunks until uncompressedLen bytes have come out
 *   chunk := u32be compressedLen | codec bytes   each chunk is decompressed on its own
 * One group per payload; an empty payload is 00000000; a payload of several chunks is followed by an empty group. */
#ifndef CODEC_HADOOP_BLOCK_H
#define CODEC_HADOOP_BLOCK_H

#include "base/buf.h"
#include "codec/codec.h"

/* Bytes of a chunk that fit native Hadoop's 256 KiB buffers with the largest overhead of all codecs (snappy: size/6 + 32). */
enum { HADOOP_CHUNK_BYTES = 218422 };

/* The codec inside: bound, compress one chunk, decompress one chunk (*made <= cap bytes). */
struct hadoop_raw {
    const char *name;
    size_t (*bound)(size_t n);
    int (*compress)(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err);
    int (*decompress)(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t cap, size_t *made, struct err *err);
    size_t most_of_one; /* no compressed byte stands for more than so many; 0: no such bound */
};

size_t hadoop_block_bound(const struct hadoop_raw *raw, size_t n);
int hadoop_block_compress(const struct hadoop_raw *raw, struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n,
                          struct err *err);
int hadoop_block_decompress(const struct hadoop_raw *raw, struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t dst_n,
                            struct err *err);
/* Unpacks content of unknown size, as in SequenceFiles: appends it to out, which may grow to limit bytes (else ERR_LIMIT). */
int hadoop_block_unpack(const struct hadoop_raw *raw, struct codec_ctx *ctx, struct bytes src, size_t limit, struct buf *out,
                        struct err *err);

#endif
