/* BROTLI: brotli streams as chunks of Hadoop's block framing, as hbase-compression-brotli writes and reads them. libbrotli
 * keeps nothing between two streams, so contexts hold nothing either. */
#include "codec/hadoop_block.h"

#include <brotli/decode.h>
#include <brotli/encode.h>

/* Level is brotli's quality; 6 is HBase's default. A window of 2^18 bytes covers a chunk. */
enum { QUALITY_DEFAULT = 6, QUALITY_MAX = 11, WINDOW_BITS = 18 };

static int quality_of(int level) {
    return level ? level : QUALITY_DEFAULT;
}

/* libbrotli 1.0.9 has no query for it: measured with chunks of random bytes and of text, rounded up. */
static size_t memory(int level) {
    static const uint8_t megabytes[QUALITY_MAX + 1] = {1, 2, 2, 2, 3, 3, 4, 10, 18, 36, 10, 17};
    return ((size_t)megabytes[quality_of(level)] << 20) + (512u << 10);
}

static int raw_compress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err) {
    *dst_n = BrotliEncoderMaxCompressedSize(src.n);
    if (BrotliEncoderCompress(quality_of(ctx->level), WINDOW_BITS, BROTLI_DEFAULT_MODE, src.n, src.p, dst_n, dst)) return 0;
    return err_nomem(err, memory(ctx->level), "a brotli compressor"); /* room there is */
}

static int fault(const BrotliDecoderState *z, BrotliDecoderResult r, struct err *err) {
    if (r == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) return err_set(err, ERR_INPUT, "ends too early");
    if (r == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) return err_set(err, ERR_INPUT, "holds more than was expected");
    BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(z);
    if (code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES)
        return err_nomem(err, 0, "a brotli decompressor");
    return err_set(err, ERR_INPUT, "is not valid brotli data (%s)", BrotliDecoderErrorString(code));
}

static int raw_decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t cap, size_t *made, struct err *err) {
    (void)ctx;
    BrotliDecoderState *z = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    if (!z) return err_nomem(err, 0, "a brotli decompressor");
    size_t left = cap;
    BrotliDecoderResult r = BrotliDecoderDecompressStream(z, &src.n, &src.p, &left, &dst, NULL);
    int rc = r == BROTLI_DECODER_RESULT_SUCCESS ? 0 : fault(z, r, err);
    BrotliDecoderDestroyInstance(z);
    *made = cap - left;
    if (!rc && src.n) return err_set(err, ERR_INPUT, "has %zu bytes after its end", src.n);
    return rc;
}

static const struct hadoop_raw raw = {"BROTLI", BrotliEncoderMaxCompressedSize, raw_compress, raw_decompress, 0};

static size_t bound(size_t n) {
    return hadoop_block_bound(&raw, n);
}

static int compress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err) {
    return hadoop_block_compress(&raw, ctx, src, dst, dst_n, err);
}

static int decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t dst_n, struct err *err) {
    return hadoop_block_decompress(&raw, ctx, src, dst, dst_n, err);
}

const struct codec codec_brotli = {.name = "BROTLI",
                                   .ordinal = 8,
                                   .level_max = QUALITY_MAX,
                                   .bound = bound,
                                   .memory = memory,
                                   .compress = compress,
                                   .decompress = decompress,
                                   .raw = &raw};
