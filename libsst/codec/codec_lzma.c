/* LZMA: .lzma files of the old kind ("LZMA alone", not .xz) in Hadoop's block framing, as hbase-compression-xz wrote them:
 *   properties u8 | dictionary size u32le | uncompressed size u64le, all ones = an end marker follows | data */
#include "codec/hadoop_block.h"

#include "base/bytes.h"

#include <lzma.h>
#include <stdlib.h>

enum { HEADER_BYTES = 13, DICTIONARY_MIN_BYTES = 4096 };

/* No match in a chunk reaches back before its start, so a dictionary as large as the output (at most cap) is enough, even if the
 * header asks for up to 4 GiB. */
static void limit_dictionary(uint8_t *head, size_t cap) {
    uint64_t most = le64(head + 5) < cap ? le64(head + 5) : cap;
    uint32_t n = DICTIONARY_MIN_BYTES;
    while (n < most && n < 1u << 31) n *= 2;
    if (n < le32(head + 1)) memcpy(head + 1, &n, sizeof n);
}

static int fault(lzma_ret r, bool full, struct err *err) {
    switch (r) {
    case LZMA_MEM_ERROR: return err_nomem(err, 0, "an LZMA decompressor");
    case LZMA_OK:
    case LZMA_BUF_ERROR: return err_set(err, ERR_INPUT, "%s", full ? "holds more than was expected" : "ends too early");
    default: return err_set(err, ERR_INPUT, "is not valid LZMA data");
    }
}

static int raw_decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t cap, size_t *made, struct err *err) {
    uint8_t head[HEADER_BYTES];
    if (src.n < sizeof head) return err_set(err, ERR_INPUT, "of %zu bytes is too short for an LZMA header", src.n);
    if (!ctx->dec && !(ctx->dec = calloc(1, sizeof(lzma_stream)))) return err_nomem(err, sizeof(lzma_stream), "LZMA");
    lzma_stream *z = ctx->dec; /* all zero is LZMA_STREAM_INIT */
    memcpy(head, src.p, sizeof head);
    limit_dictionary(head, cap);
    lzma_ret r = lzma_alone_decoder(z, UINT64_MAX);
    z->next_in = head;
    z->avail_in = sizeof head;
    z->next_out = dst;
    z->avail_out = cap;
    if (r == LZMA_OK) r = lzma_code(z, LZMA_RUN);
    if (r == LZMA_OK && z->avail_in == 0) {
        z->next_in = src.p + sizeof head;
        z->avail_in = src.n - sizeof head;
        r = lzma_code(z, LZMA_FINISH);
    }
    if (r != LZMA_STREAM_END) return fault(r, z->avail_out == 0, err);
    if (z->avail_in) return err_set(err, ERR_INPUT, "has %zu bytes after its end", z->avail_in);
    *made = cap - z->avail_out;
    return 0;
}

static const struct hadoop_raw raw = {"LZMA", NULL, NULL, raw_decompress, 0};

static size_t memory(int level) {
    (void)level;
    return 512u << 10; /* a dictionary of HBase's usual chunk, 256 KiB, and what liblzma 5.4 adds: measured */
}

static int decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t dst_n, struct err *err) {
    return hadoop_block_decompress(&raw, ctx, src, dst, dst_n, err);
}

static void release(struct codec_ctx *ctx) {
    if (ctx->dec) lzma_end(ctx->dec);
    free(ctx->dec);
}

const struct codec codec_lzma = {.name = "LZMA",
                                 .ordinal = 7,
                                 .decode_only = "HBase 2.6 no longer has a codec for it",
                                 .memory = memory,
                                 .decompress = decompress,
                                 .release = release,
                                 .raw = &raw};
