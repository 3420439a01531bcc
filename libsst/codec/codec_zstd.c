/* ZSTD. Two layouts share the ordinal; only the bytes distinguish them:
 *   (a) plain zstd frames: Hadoop's own ZStandardCodec
 *   (b) zstd frames as chunks of Hadoop's block framing: HBase's hbase-compression-zstd and -aircompressor
 * Both are read. We write (b): what the codecs that come with HBase 2.6 read back without native Hadoop. */
#include "codec/hadoop_block.h"

#include "base/bytes.h"

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

enum { ZSTD_DEFAULT_LEVEL = 3 };

static int level_of(int level) {
    return level ? level : ZSTD_DEFAULT_LEVEL;
}

static int raw_compress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err) {
    if (!ctx->enc && !(ctx->enc = ZSTD_createCCtx())) return err_nomem(err, 0, "a zstd compressor");
    size_t n = ZSTD_compressCCtx(ctx->enc, dst, ZSTD_compressBound(src.n), src.p, src.n, level_of(ctx->level));
    if (ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation) return err_nomem(err, 0, "a zstd compressor");
    if (ZSTD_isError(n)) return err_set(err, ERR_INTERNAL, "ZSTD: cannot compress %zu bytes: %s", src.n, ZSTD_getErrorName(n));
    *dst_n = n;
    return 0;
}

/* Any of the frames may name a dictionary. */
static int check_dictionaries(struct bytes src, struct err *err) {
    while (src.n) {
        unsigned id = ZSTD_getDictID_fromFrame(src.p, src.n);
        size_t n = ZSTD_findFrameCompressedSize(src.p, src.n);
        if (id)
            return err_set(err, ERR_UNSUPPORTED,
                           "zstd frame needs dictionary %u; dictionaries are not supported; rewrite the table "
                           "without hbase.io.compress.zstd.dictionary",
                           id);
        if (ZSTD_isError(n)) return 0; /* decompressing will say what is wrong */
        src = bytes_of(src.p + n, src.n - n);
    }
    return 0;
}

static int raw_decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t cap, size_t *made, struct err *err) {
    if (!ctx->dec && !(ctx->dec = ZSTD_createDCtx())) return err_nomem(err, 0, "a zstd decompressor");
    if (check_dictionaries(src, err)) return -1;
    size_t n = ZSTD_decompressDCtx(ctx->dec, dst, cap, src.p, src.n);
    if (ZSTD_isError(n)) return err_set(err, ERR_INPUT, "zstd: %s", ZSTD_getErrorName(n));
    *made = n;
    return 0;
}

static const struct hadoop_raw raw = {"ZSTD", ZSTD_compressBound, raw_compress, raw_decompress, 0};

static size_t bound(size_t n) {
    return hadoop_block_bound(&raw, n);
}

static size_t memory(int level) {
    ZSTD_compressionParameters p = ZSTD_getCParams(level_of(level), HADOOP_CHUNK_BYTES, 0);
    return ZSTD_estimateCCtxSize_usingCParams(p) + ZSTD_estimateDCtxSize();
}

static bool has_magic(struct bytes b) {
    return b.n >= 4 && le32(b.p) == ZSTD_MAGICNUMBER;
}

static bool is_plain(struct bytes src, size_t dst_n) {
    if (!has_magic(src)) return false;
    bool framed = be32(src.p) == dst_n && src.n >= 12 && has_magic(bytes_of(src.p + 8, 4));
    return !framed;
}

static int compress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err) {
    return hadoop_block_compress(&raw, ctx, src, dst, dst_n, err);
}

static int decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t dst_n, struct err *err) {
    if (!is_plain(src, dst_n)) return hadoop_block_decompress(&raw, ctx, src, dst, dst_n, err);
    size_t made = 0;
    if (raw_decompress(ctx, src, dst, dst_n, &made, err)) return -1;
    if (made != dst_n) return err_set(err, ERR_INPUT, "ZSTD: %zu bytes came out, %zu expected", made, dst_n);
    return 0;
}

static void release(struct codec_ctx *ctx) {
    ZSTD_freeCCtx(ctx->enc);
    ZSTD_freeDCtx(ctx->dec);
}

const struct codec codec_zstd = {.name = "ZSTD",
                                 .ordinal = 6,
                                 .level_max = 22,
                                 .bound = bound,
                                 .memory = memory,
                                 .compress = compress,
                                 .decompress = decompress,
                                 .release = release,
                                 .raw = &raw};
