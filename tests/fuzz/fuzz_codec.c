/* Any bytes as a compressed payload, framing included. First byte: which codec; the next two: how many bytes are expected.
 * As raw Snappy they are what the library says of them.
 * What can be compressed comes back. Contexts live on from input to input, as in a worker: a failure must not spoil them. */
#include "base/bytes.h"
#include "codec/codec.h"
#include "codec/codec_snappy.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/all_codecs.h"

#include <snappy-c.h>
#include <stdlib.h>

static const struct codec *const all[] = {&codec_none, &codec_gz,   &codec_snappy, &codec_lz4,   &codec_zstd,
                                          &codec_lzo,  &codec_lzma, &codec_bzip2,  &codec_brotli};

static void there_and_back(struct codec_ctx *ctx, struct bytes plain) {
    const struct codec *codec = ctx->codec;
    struct err err = {0};
    size_t n = 0;
    uint8_t *packed = malloc(codec->bound(plain.n) + 1), *back = malloc(plain.n + 1);
    if (packed && back) {
        if (codec_compress(ctx, plain, packed, &n, &err) || n > codec->bound(plain.n)) __builtin_trap();
        if (codec_decompress(ctx, bytes_of(packed, n), back, plain.n, &err)) __builtin_trap();
        if (!bytes_eq(bytes_of(back, plain.n), plain)) __builtin_trap();
    }
    free(packed);
    free(back);
}

/* Our own unpacking beside the library's: the same sizes, verdicts and bytes. But the library takes a literal of 4 GiB for an
 * empty one, since its 32 bits overflow; ours refuses it. */
static void as_snappy(struct bytes packed) {
    size_t n = 0, theirs = 0;
    bool sized = codec_snappy_unpacked_size(packed, &n);
    if (sized != (snappy_uncompressed_length((const char *)packed.p, packed.n, &theirs) == SNAPPY_OK)) __builtin_trap();
    if (!sized || n > 65536) return;
    if (n != theirs) __builtin_trap();
    uint8_t *a = malloc(n + !n), *b = malloc(n + !n);
    if (a && b) {
        bool good = codec_snappy_unpack(packed, a, n);
        bool wraps = memmem(packed.p, packed.n, "\xfc\xff\xff\xff\xff", 5);
        bool their_good = snappy_uncompress((const char *)packed.p, packed.n, (char *)b, &theirs) == SNAPPY_OK;
        if (good != their_good && (good || !wraps)) __builtin_trap();
        if (good && n && memcmp(a, b, n) != 0) __builtin_trap();
    }
    free(a);
    free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3) return 0;
    static struct codec_ctx contexts[countof(all)];
    struct codec_ctx *ctx = &contexts[data[0] % countof(all)];
    const struct codec *codec = all[data[0] % countof(all)];
    if (!ctx->codec) *ctx = codec_ctx_make(codec, 1 % (codec->level_max + 1));
    struct err err = {0};
    size_t n = be16(data + 1);
    uint8_t *out = malloc(n + !n);
    if (out) {
        int rc = codec_decompress(ctx, bytes_of(data + 3, size - 3), out, n, &err);
        if ((rc != 0) != (err.code != ERR_NONE) || err.code == ERR_INTERNAL) __builtin_trap();
    }
    free(out);
    as_snappy(bytes_of(data + 1, size - 1));
    if (codec->compress && size < 4096) there_and_back(ctx, bytes_of(data + 3, size - 3));
    return 0;
}
