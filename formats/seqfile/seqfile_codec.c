/* The codecs of SequenceFiles: a class name in the header, and streams of which only the compressed size is known. They are not
 * the codecs of HFile blocks: zlib, gzip, bzip2 and zstd come as plain streams, the others in Hadoop's block framing. */
#include "base/bytes.h"
#include "codec/hadoop_block.h"
#include "formats/seqfile/seqfile_codec.h"

#include <bzlib.h>
#include <libdeflate.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

struct seqfile_codec {
    const char *suffix; /* of the class name */
    const char *raw;    /* name of the codec inside Hadoop's block framing; NULL: another framing */
    int (*unpack)(struct seqfile_unpacker *u, struct bytes src, size_t limit, struct buf *out, struct err *err);
    void (*release)(struct seqfile_unpacker *u);
};

static int too_large(size_t limit, struct err *err) {
    return err_set(err, ERR_LIMIT, "needs more than %zu bytes decompressed, which is the limit", limit);
}

/* Makes room at the end: as much again as the stream has produced so far, within the limit. */
static int more_room(struct buf *out, size_t so_far, size_t limit, struct err *err) {
    size_t left = limit - out->n, more = so_far < 4096 ? 4096 : so_far;
    return buf_reserve(out, more < left ? more : left, err);
}

/* ---- zlib and gzip: libdeflate wants the whole content at once, so a stream that does not fit begins again ---- */

typedef enum libdeflate_result inflate_fn(struct libdeflate_decompressor *, const void *, size_t, void *, size_t, size_t *,
                                          size_t *);

static int inflate_one(struct seqfile_unpacker *u, inflate_fn *inflate, struct bytes *src, size_t limit, struct buf *out,
                       struct err *err) {
    if (!u->state && !(u->state = libdeflate_alloc_decompressor())) return err_nomem(err, 64u << 10, "a decompressor");
    size_t room = 4 * src->n;
    for (;;) {
        size_t left = limit - out->n, used = 0, made = 0;
        if (more_room(out, room, limit, err)) return -1;
        room = out->cap - out->n < left ? out->cap - out->n : left;
        enum libdeflate_result r = inflate(u->state, src->p, src->n, out->p + out->n, room, &used, &made);
        if (r == LIBDEFLATE_SUCCESS) {
            out->n += made;
            *src = bytes_of(src->p + used, src->n - used);
            return 0;
        }
        if (r != LIBDEFLATE_INSUFFICIENT_SPACE) return err_set(err, ERR_INPUT, "not a valid deflate stream");
        if (room == left) return too_large(limit, err);
        room *= 2;
    }
}

static int zlib_unpack(struct seqfile_unpacker *u, struct bytes src, size_t limit, struct buf *out, struct err *err) {
    if (inflate_one(u, libdeflate_zlib_decompress_ex, &src, limit, out, err)) return -1;
    return src.n ? err_set(err, ERR_INPUT, "%zu stray bytes after the zlib stream", src.n) : 0;
}

static int gzip_unpack(struct seqfile_unpacker *u, struct bytes src, size_t limit, struct buf *out, struct err *err) {
    do
        if (inflate_one(u, libdeflate_gzip_decompress_ex, &src, limit, out, err)) return -1;
    while (src.n);
    return 0;
}

static void deflate_release(struct seqfile_unpacker *u) {
    libdeflate_free_decompressor(u->state);
}

/* ---- bzip2 ---- */

static int bzip2_run(bz_stream *z, size_t limit, struct buf *out, struct err *err) {
    int rc = BZ_OK;
    while (rc == BZ_OK) {
        if (out->n == limit) return too_large(limit, err);
        if (more_room(out, out->n, limit, err)) return -1;
        size_t room = out->cap < limit ? out->cap - out->n : limit - out->n;
        unsigned had = z->avail_in;
        z->next_out = (char *)out->p + out->n;
        z->avail_out = room > UINT32_MAX / 2 ? UINT32_MAX / 2 : (unsigned)room;
        rc = BZ2_bzDecompress(z);
        size_t made = (size_t)((uint8_t *)z->next_out - (out->p + out->n));
        out->n += made;
        if (rc == BZ_OK && !made && had == z->avail_in) break;
    }
    if (rc == BZ_MEM_ERROR) return err_nomem(err, 4u << 20, "bzip2");
    return rc == BZ_STREAM_END
               ? 0
               : err_set(err, ERR_INPUT, rc == BZ_OK ? "ends inside its bzip2 stream" : "not a valid bzip2 stream");
}

/* Several streams may follow each other, as at Hadoop's split points. */
static int bzip2_unpack(struct seqfile_unpacker *u, struct bytes src, size_t limit, struct buf *out, struct err *err) {
    (void)u;
    do {
        bz_stream z = {0};
        if (BZ2_bzDecompressInit(&z, 0, 0) != BZ_OK) return err_nomem(err, 4u << 20, "bzip2");
        z.next_in = (char *)src.p;
        z.avail_in = (unsigned)src.n; /* a buffer of a SequenceFile has less than 2 GiB */
        int rc = bzip2_run(&z, limit, out, err);
        src = bytes_of(src.p + (src.n - z.avail_in), z.avail_in);
        BZ2_bzDecompressEnd(&z);
        if (rc) return -1;
    } while (src.n);
    return 0;
}

/* ---- zstd: plain frames of Hadoop's codec, or block framing of HBase's ---- */

static int zstd_fault(size_t code, struct bytes src, size_t limit, struct err *err) {
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation: return err_nomem(err, 0, "zstd");
    case ZSTD_error_frameParameter_windowTooLarge:
        return err_set(err, ERR_LIMIT, "needs a zstd window of more than %zu bytes, which is the limit", limit);
    case ZSTD_error_dictionary_wrong:
        return err_set(err, ERR_UNSUPPORTED, "needs zstd dictionary %u, and dictionaries are not supported",
                       ZSTD_getDictID_fromFrame(src.p, src.n));
    default: return err_set(err, ERR_INPUT, "not a valid zstd stream: %s", ZSTD_getErrorName(code));
    }
}

/* Returns the nearest limit of a window that the zstd library accepts. */
static size_t zstd_window(size_t limit) {
    const size_t least = (size_t)1 << 20, most = (size_t)1 << ZSTD_WINDOWLOG_MAX;
    return limit < least ? least : limit > most ? most : limit;
}

static int zstd_plain(struct seqfile_unpacker *u, struct bytes src, size_t limit, struct buf *out, struct err *err) {
    if (!u->state && !(u->state = ZSTD_createDCtx())) return err_nomem(err, 0, "zstd");
    ZSTD_inBuffer in = {src.p, src.n, 0};
    ZSTD_DCtx_reset(u->state, ZSTD_reset_session_only);
    ZSTD_DCtx_setMaxWindowSize(u->state, zstd_window(limit));
    for (;;) {
        if (more_room(out, out->n, limit, err)) return -1;
        size_t before = out->n, used = in.pos;
        ZSTD_outBuffer to = {out->p, out->cap < limit ? out->cap : limit, out->n};
        size_t rc = ZSTD_decompressStream(u->state, &to, &in);
        out->n = to.pos;
        if (ZSTD_isError(rc)) return zstd_fault(rc, src, limit, err);
        if (!rc && in.pos == src.n) return 0;
        if (out->n == limit) return too_large(limit, err);
        if (out->n == before && in.pos == used) return err_set(err, ERR_INPUT, "ends inside its zstd frame");
    }
}

static int framed_unpack(struct seqfile_unpacker *u, struct bytes src, size_t limit, struct buf *out, struct err *err) {
    if (!u->raw.codec) u->raw = codec_ctx_make(codec_by_name(u->codec->raw), 0);
    return hadoop_block_unpack(u->raw.codec->raw, &u->raw, src, limit, out, err);
}

static int zstd_unpack(struct seqfile_unpacker *u, struct bytes src, size_t limit, struct buf *out, struct err *err) {
    bool plain = src.n >= 4 && le32(src.p) == ZSTD_MAGICNUMBER;
    return plain ? zstd_plain(u, src, limit, out, err) : framed_unpack(u, src, limit, out, err);
}

static void zstd_release(struct seqfile_unpacker *u) {
    ZSTD_freeDCtx(u->state);
}

/* ---- the table ---- */

static const struct seqfile_codec codecs[] = {
    {"DefaultCodec", NULL, zlib_unpack, deflate_release},
    {"DeflateCodec", NULL, zlib_unpack, deflate_release},
    {"GzipCodec", NULL, gzip_unpack, deflate_release},
    {"BZip2Codec", NULL, bzip2_unpack, NULL},
    {"ZStandardCodec", "ZSTD", zstd_unpack, zstd_release},
    {"ZstdCodec", "ZSTD", zstd_unpack, zstd_release},
    {"SnappyCodec", "SNAPPY", framed_unpack, NULL},
    {"Lz4Codec", "LZ4", framed_unpack, NULL},
    {"LzoCodec", "LZO", framed_unpack, NULL},
};

static bool usable(const struct seqfile_codec *c) {
    const struct codec *inside = c->raw ? codec_by_name(c->raw) : NULL;
    return !c->raw || (inside && inside->raw);
}

const struct seqfile_codec *seqfile_codec_find(struct bytes name, struct err *err) {
    if (!name.n) return &codecs[0];
    for (size_t i = 0; i < countof(codecs); i++) {
        size_t n = strlen(codecs[i].suffix);
        if (name.n >= n && !memcmp(name.p + name.n - n, codecs[i].suffix, n) && usable(&codecs[i])) return &codecs[i];
    }
    err_set(err, ERR_UNSUPPORTED,
            "is compressed with %.*s, which is not one of Default, Deflate, Gzip, BZip2, ZStandard, Zstd, Snappy, Lz4 and "
            "LzoCodec; export again with one of these",
            (int)name.n, (const char *)name.p);
    return NULL;
}

int seqfile_unpack(struct seqfile_unpacker *u, struct bytes src, size_t limit, struct buf *out, struct err *err) {
    return src.n ? u->codec->unpack(u, src, limit, out, err) : 0;
}

void seqfile_unpacker_release(struct seqfile_unpacker *u) {
    if (u->state && u->codec->release) u->codec->release(u);
    codec_ctx_release(&u->raw);
}
