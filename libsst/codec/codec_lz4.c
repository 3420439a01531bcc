/* LZ4: raw LZ4 blocks (no LZ4 frame, no size) in Hadoop's block framing. A raw block does not record its size; the framing limits
 * the output. */
#include "codec/hadoop_block.h"

#include <limits.h>
#include <lz4.h>
#include <stdlib.h>

static size_t raw_bound(size_t n) {
    return (size_t)LZ4_compressBound((int)n); /* chunks are small: see HADOOP_CHUNK_BYTES */
}

static int raw_compress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err) {
    if (!ctx->enc && !(ctx->enc = malloc((size_t)LZ4_sizeofState())))
        return err_nomem(err, (unsigned long long)LZ4_sizeofState(), "an LZ4 compressor");
    int n = LZ4_compress_fast_extState(ctx->enc, (const char *)src.p, (char *)dst, (int)src.n, (int)raw_bound(src.n), 1);
    if (n <= 0) return err_set(err, ERR_INTERNAL, "LZ4: cannot compress %zu bytes", src.n);
    *dst_n = (size_t)n;
    return 0;
}

static int raw_decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t cap, size_t *made, struct err *err) {
    (void)ctx;
    int room = cap > INT_MAX ? INT_MAX : (int)cap;
    int n = src.n > INT_MAX ? -1 : LZ4_decompress_safe((const char *)src.p, (char *)dst, (int)src.n, room);
    if (n < 0) return err_set(err, ERR_INPUT, "is not valid LZ4 data of at most %d bytes", room);
    *made = (size_t)n;
    return 0;
}

static const struct hadoop_raw raw = {"LZ4", raw_bound, raw_compress, raw_decompress, 255};

static size_t bound(size_t n) {
    return hadoop_block_bound(&raw, n);
}

static size_t memory(int level) {
    (void)level;
    return (size_t)LZ4_sizeofState();
}

static int compress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err) {
    return hadoop_block_compress(&raw, ctx, src, dst, dst_n, err);
}

static int decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t dst_n, struct err *err) {
    return hadoop_block_decompress(&raw, ctx, src, dst, dst_n, err);
}

static void release(struct codec_ctx *ctx) {
    free(ctx->enc);
}

const struct codec codec_lz4 = {.name = "LZ4",
                                .ordinal = 4,
                                .bound = bound,
                                .memory = memory,
                                .compress = compress,
                                .decompress = decompress,
                                .release = release,
                                .raw = &raw};
