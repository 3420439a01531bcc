#include "codec/codec.h"

static size_t none_bound(size_t n) {
    return n;
}

static int none_compress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err) {
    (void)ctx, (void)err;
    if (src.n) memcpy(dst, src.p, src.n);
    *dst_n = src.n;
    return 0;
}

static int none_decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t dst_n, struct err *err) {
    (void)ctx;
    if (src.n != dst_n) return err_set(err, ERR_INPUT, "NONE: %zu bytes stored, %zu expected", src.n, dst_n);
    if (dst_n) memcpy(dst, src.p, dst_n);
    return 0;
}

const struct codec codec_none = {
    .name = "NONE", .ordinal = 2, .bound = none_bound, .compress = none_compress, .decompress = none_decompress};
