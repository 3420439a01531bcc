/* GZ: RFC 1952 members, one after the other; we write one. An empty payload is a member with empty content. libdeflate does a
 * whole member at once, which suits blocks and is faster than zlib. */
#include "codec/codec.h"

#include <libdeflate.h>

enum { GZ_DEFAULT_LEVEL = 6, GZ_MEMBER_OVERHEAD = 18 };

static size_t gz_bound(size_t n) {
    /* libdeflate's promise for stored blocks: 5 bytes per 5,000, plus header and trailer of the member. */
    return GZ_MEMBER_OVERHEAD + n + 5 * (n / 5000 + 1) + 9;
}

static size_t gz_memory(int level) {
    /* libdeflate 1.14 has no query for it; measured with malloc_usable_size, rounded up. */
    return (level > 9 ? 9u << 20 : 1u << 20) + (64u << 10);
}

static int gz_compress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err) {
    if (!ctx->enc && !(ctx->enc = libdeflate_alloc_compressor(ctx->level ? ctx->level : GZ_DEFAULT_LEVEL)))
        return err_nomem(err, gz_memory(ctx->level), "a gzip compressor");
    *dst_n = libdeflate_gzip_compress(ctx->enc, src.p, src.n, dst, gz_bound(src.n));
    if (!*dst_n) return err_set(err, ERR_INTERNAL, "GZ: %zu bytes do not fit the computed bound", src.n);
    return 0;
}

static const char *gz_fault(enum libdeflate_result r) {
    return r == LIBDEFLATE_INSUFFICIENT_SPACE ? "holds more than the block header says" : "is not a valid gzip member";
}

static int gz_decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t dst_n, struct err *err) {
    if (!ctx->dec && !(ctx->dec = libdeflate_alloc_decompressor())) return err_nomem(err, 64u << 10, "a gzip decompressor");
    size_t in = 0, out = 0;
    while (in < src.n) {
        size_t used = 0, made = 0;
        enum libdeflate_result r =
            libdeflate_gzip_decompress_ex(ctx->dec, src.p + in, src.n - in, dst + out, dst_n - out, &used, &made);
        if (r != LIBDEFLATE_SUCCESS) return err_set(err, ERR_INPUT, "GZ: compressed byte %zu %s", in, gz_fault(r));
        in += used;
        out += made;
    }
    if (out != dst_n) return err_set(err, ERR_INPUT, "GZ: %zu bytes came out, %zu expected", out, dst_n);
    return 0;
}

static void gz_release(struct codec_ctx *ctx) {
    libdeflate_free_compressor(ctx->enc);
    libdeflate_free_decompressor(ctx->dec);
}

const struct codec codec_gz = {.name = "GZ",
                               .ordinal = 1,
                               .level_max = 12,
                               .bound = gz_bound,
                               .memory = gz_memory,
                               .compress = gz_compress,
                               .decompress = gz_decompress,
                               .release = gz_release};
