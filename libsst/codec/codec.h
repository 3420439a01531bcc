/* Block compressors as HFile uses them: one payload in, one self-contained byte string out, Hadoop framing included. Adding a
 * codec = one file codec_NAME.c with one `const struct codec codec_NAME` (docs/add-a-codec.md).
 *
 * A codec_ctx holds what a compressor needs between calls (libdeflate objects, ZSTD contexts). It belongs to one worker at a
 * time, is made once and used for many blocks: no allocation per block, but for BZIP2 and BROTLI, whose libraries keep nothing
 * between two streams. Everything else here is constant: calls with different contexts may run side by side. */
#ifndef CODEC_CODEC_H
#define CODEC_CODEC_H

#include "base/bytes.h"
#include "base/err.h"

struct codec;
struct hadoop_raw;

struct codec_ctx {
    const struct codec *codec;
    int level;       /* 0 = the codec's default */
    void *enc, *dec; /* made on first use */
};

struct codec {
    const char *name;            /* as HBase spells it */
    unsigned ordinal;            /* Compression.Algorithm: stored in HFile trailers */
    int level_max;               /* 0: the codec has no levels */
    const char *decode_only;     /* why there is neither bound nor compress; NULL: there is */
    size_t (*bound)(size_t n);   /* most bytes compress can write for n */
    size_t (*memory)(int level); /* heap of one context that compresses and decompresses; NULL: none worth naming */
    /* dst has room for bound(src.n). */
    int (*compress)(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err);
    /* Exactly dst_n bytes must come out and all of src must be used: else ERR_INPUT saying what was wrong. */
    int (*decompress)(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t dst_n, struct err *err);
    void (*release)(struct codec_ctx *ctx); /* NULL: nothing to release */
    const struct hadoop_raw *raw;           /* what is inside Hadoop's block framing; NULL: another framing */
};

/* Returns the codec; NULL: there is no such algorithm. */
const struct codec *codec_by_ordinal(unsigned ordinal);
const struct codec *codec_by_name(const char *name); /* any case */
const struct codec *codec_number(size_t i);          /* all but NONE, in the order of their files; NULL: no more */
struct codec_ctx codec_ctx_make(const struct codec *codec, int level);
void codec_ctx_release(struct codec_ctx *ctx);
/* Heap one context may take. */
size_t codec_ctx_memory(const struct codec *codec, int level);

static inline int codec_compress(struct codec_ctx *c, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err) {
    return c->codec->compress(c, src, dst, dst_n, err);
}
static inline int codec_decompress(struct codec_ctx *c, struct bytes src, uint8_t *dst, size_t dst_n, struct err *err) {
    return c->codec->decompress(c, src, dst, dst_n, err);
}

extern const struct codec codec_none; /* the only one that callers treat in a way of its own: payloads stay where they are */

#endif
