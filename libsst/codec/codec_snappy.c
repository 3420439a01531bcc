/* SNAPPY: raw snappy chunks (not the snappy frame format) in Hadoop's block framing. A chunk begins with the size of its content,
 * which is checked before anything is decompressed. */
#include "codec/hadoop_block.h"

#include <snappy-c.h>

static int raw_compress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err) {
    (void)ctx;
    *dst_n = snappy_max_compressed_length(src.n);
    if (snappy_compress((const char *)src.p, src.n, (char *)dst, dst_n) == SNAPPY_OK) return 0;
    return err_set(err, ERR_INTERNAL, "SNAPPY: cannot compress %zu bytes", src.n);
}

static int raw_decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t cap, size_t *made, struct err *err) {
    (void)ctx;
    size_t n = 0;
    if (snappy_uncompressed_length((const char *)src.p, src.n, &n) != SNAPPY_OK)
        return err_set(err, ERR_INPUT, "its length is not readable");
    if (n > cap) return err_set(err, ERR_INPUT, "holds %zu bytes, %zu at most were expected", n, cap);
    *made = cap;
    if (snappy_uncompress((const char *)src.p, src.n, (char *)dst, made) == SNAPPY_OK) return 0;
    return err_set(err, ERR_INPUT, "is not valid snappy data");
}

static const struct hadoop_raw raw = {"SNAPPY", snappy_max_compressed_length, raw_compress, raw_decompress, 64};

static size_t bound(size_t n) {
    return hadoop_block_bound(&raw, n);
}

/* The library's own working memory while it compresses: hash table, fragment and its output. */
static size_t memory(int level) {
    (void)level;
    return 256u << 10;
}

static int compress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err) {
    return hadoop_block_compress(&raw, ctx, src, dst, dst_n, err);
}

static int decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t dst_n, struct err *err) {
    return hadoop_block_decompress(&raw, ctx, src, dst, dst_n, err);
}

const struct codec codec_snappy = {.name = "SNAPPY",
                                   .ordinal = 3,
                                   .bound = bound,
                                   .memory = memory,
                                   .compress = compress,
                                   .decompress = decompress,
                                   .raw = &raw};
