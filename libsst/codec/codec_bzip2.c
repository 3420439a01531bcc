/* BZIP2: bzip2 streams, one after the other, as Hadoop's BZip2Codec reads and writes them. Only read. A stream
 * says nothing of its size, so that of the block header bounds it; libbz2 keeps nothing between two streams. */
#include "codec/codec.h"

#include <bzlib.h>

static size_t memory(int level) {
    (void)level;
    return 3700u << 10; /* libbzip2's manual: 100 KB and four bytes for each of a block's 900,000 */
}

/* One stream from the head of *src. BZIP2 blocks are at most as long as an HFile block, so lengths fit 32 bits. */
static int take_stream(struct bytes *src, uint8_t *dst, size_t cap, size_t *made, struct err *err) {
    bz_stream z = {.next_in = (char *)src->p, .avail_in = (unsigned)src->n, .next_out = (char *)dst, .avail_out = (unsigned)cap};
    if (BZ2_bzDecompressInit(&z, 0, 0) != BZ_OK) return err_nomem(err, memory(0), "a bzip2 decompressor");
    int rc = BZ2_bzDecompress(&z);
    BZ2_bzDecompressEnd(&z);
    *made = cap - z.avail_out;
    *src = bytes_of(z.next_in, z.avail_in);
    switch (rc) {
    case BZ_STREAM_END: return 0;
    case BZ_MEM_ERROR: return err_nomem(err, memory(0), "a bzip2 decompressor");
    case BZ_OK: return err_set(err, ERR_INPUT, "%s", z.avail_in ? "holds more than the block header says" : "ends too early");
    default: return err_set(err, ERR_INPUT, "is not a valid bzip2 stream");
    }
}

static int decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t dst_n, struct err *err) {
    const uint8_t *start = src.p;
    size_t out = 0;
    (void)ctx;
    while (src.n) {
        size_t at = (size_t)(src.p - start), made = 0;
        if (take_stream(&src, dst + out, dst_n - out, &made, err))
            return err_prefix(err, "BZIP2: stream at compressed byte %zu", at);
        out += made;
    }
    if (out != dst_n) return err_set(err, ERR_INPUT, "BZIP2: %zu bytes came out, %zu expected", out, dst_n);
    return 0;
}

const struct codec codec_bzip2 = {
    .name = "BZIP2", .ordinal = 5, .decode_only = "HBase 2 cannot read its own back", .memory = memory, .decompress = decompress};
