/* LZO: raw LZO1X chunks in Hadoop's block framing, decompressed by a library that is opened at run time and never linked. Its
 * decoder reads and writes slightly beyond the end of its buffers, so both are padded copies. */
#include "codec/codec_lzo.h"

#include "base/buf.h"
#include "codec/hadoop_block.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int lzo_library_open(struct lzo_library *l, const char *const *sonames, size_t n, struct err *err) {
    *l = (struct lzo_library){0};
    for (size_t i = 0; i < n; i++) {
        void *handle = dlopen(sonames[i], RTLD_LAZY | RTLD_LOCAL);
        void *decode = handle ? dlsym(handle, "av_lzo1x_decode") : NULL;
        if (decode) {
            l->handle = handle;
            memcpy(&l->decode, &decode, sizeof decode); /* ISO C has no cast from an object's address to a function's */
            return 0;
        }
        if (handle) dlclose(handle);
    }
    return err_set(err, ERR_UNSUPPORTED,
                   "compression LZO needs libavutil, which was not found; install it (Debian 12: apt-get install "
                   "libavutil57), or set the family to another compression and major-compact the table");
}

void lzo_library_close(struct lzo_library *l) {
    if (l->handle) dlclose(l->handle);
    *l = (struct lzo_library){0};
}

struct lzo {
    struct lzo_library library;
    struct buf in, out; /* copies, because the decoder reads and writes a little beyond the end */
};

static void lzo_free(struct lzo *z) {
    if (!z) return;
    lzo_library_close(&z->library);
    buf_free(&z->in);
    buf_free(&z->out);
    free(z);
}

static struct lzo *lzo_make(struct err *err) {
    static const char *const sonames[] = {"libavutil.so.57", "libavutil.so.58", "libavutil.so.59", "libavutil.so.56"};
    struct lzo *z = calloc(1, sizeof *z);
    if (!z) {
        err_nomem(err, sizeof *z, "LZO");
        return NULL;
    }
    if (lzo_library_open(&z->library, sonames, countof(sonames), err) == 0) return z;
    lzo_free(z);
    return NULL;
}

static int raw_decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t cap, size_t *made, struct err *err) {
    if (!ctx->dec && !(ctx->dec = lzo_make(err))) return -1;
    struct lzo *z = ctx->dec;
    if (src.n > INT_MAX || cap > INT_MAX) return err_set(err, ERR_LIMIT, "of %zu bytes is too large", src.n);
    buf_clear(&z->in);
    buf_clear(&z->out);
    if (buf_reserve(&z->in, src.n + LZO_INPUT_PADDING, err) || buf_reserve(&z->out, cap + LZO_OUTPUT_PADDING, err)) return -1;
    memcpy(z->in.p, src.p, src.n);
    memset(z->in.p + src.n, 0, LZO_INPUT_PADDING);
    int in_left = (int)src.n, out_left = (int)cap;
    if (z->library.decode(z->out.p, &out_left, z->in.p, &in_left) || in_left)
        return err_set(err, ERR_INPUT, "is not valid LZO1X data of at most %zu bytes", cap);
    *made = cap - (size_t)out_left;
    if (*made) memcpy(dst, z->out.p, *made);
    return 0;
}

static const struct hadoop_raw raw = {"LZO", NULL, NULL, raw_decompress, 256};

static size_t memory(int level) {
    (void)level;
    return 512u << 10; /* both copies, of HBase's usual chunk */
}

static int decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t dst_n, struct err *err) {
    if (!ctx->dec && !(ctx->dec = lzo_make(err))) return -1; /* here its message names no chunk, which is not to blame */
    return hadoop_block_decompress(&raw, ctx, src, dst, dst_n, err);
}

static void release(struct codec_ctx *ctx) {
    lzo_free(ctx->dec);
}

const struct codec codec_lzo = {.name = "LZO",
                                .ordinal = 0,
                                .decode_only = "all compressors for it are under the GPL",
                                .memory = memory,
                                .decompress = decompress,
                                .release = release,
                                .raw = &raw};
