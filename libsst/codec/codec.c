/* The table of codecs, and the context that a worker keeps for one of them. A codec is one file codec_NAME.c with one
 * `const struct codec codec_NAME`: the build lists the files. NONE, which copies, needs no file. */
#include "codec/codec.h"

#include "gen/codec_list.h"

#include <strings.h>

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

#define DECLARE(name) extern const struct codec name;
#define ADDRESS(name) &name,
CODEC_LIST(DECLARE)
static const struct codec *const table[] = {CODEC_LIST(ADDRESS) & codec_none};

const struct codec *codec_by_ordinal(unsigned ordinal) {
    for (size_t i = 0; i < countof(table); i++)
        if (table[i]->ordinal == ordinal) return table[i];
    return NULL;
}

const struct codec *codec_by_name(const char *name) {
    for (size_t i = 0; i < countof(table); i++)
        if (!strcasecmp(table[i]->name, name)) return table[i];
    return NULL;
}

const struct codec *codec_number(size_t i) {
    return i + 1 < countof(table) ? table[i] : NULL;
}

struct codec_ctx codec_ctx_make(const struct codec *codec, int level) {
    return (struct codec_ctx){.codec = codec, .level = level};
}

void codec_ctx_release(struct codec_ctx *ctx) {
    if (ctx->codec && ctx->codec->release) ctx->codec->release(ctx);
    ctx->enc = ctx->dec = NULL;
}

size_t codec_ctx_memory(const struct codec *codec, int level) {
    return codec->memory ? codec->memory(level) : 0;
}
