#include "codec/codec.h"

#include <strings.h>

static const struct codec *const table[] = {&codec_lzo,   &codec_gz,   &codec_none, &codec_snappy, &codec_lz4,
                                            &codec_bzip2, &codec_zstd, &codec_lzma, &codec_brotli};

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
