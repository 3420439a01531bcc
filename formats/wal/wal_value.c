/* Values of a log with value compression. GZ is one stream over all values of the log: members follow each other and begin or end
 * anywhere, so zlib keeps its state from value to value. Other codecs write each value as a block of Hadoop's, which the codec of
 * HFiles reads. */
#include "codec/codec.h"
#include "formats/wal/wal.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum { GZ_ORDINAL = 1, ZLIB_GZIP_WINDOW = 15 + 16 };

struct wal_value_codec {
    struct codec_ctx block;
    bool is_stream;
    z_stream z;
};

struct wal_value_codec *wal_value_codec_open(unsigned ordinal, struct err *err) {
    const struct codec *codec = codec_by_ordinal(ordinal);
    if (!codec) {
        err_set(err, ERR_UNSUPPORTED, "values are compressed with codec %u, which is not known", ordinal);
        return NULL;
    }
    struct wal_value_codec *c = calloc(1, sizeof *c);
    if (!c) {
        err_nomem(err, sizeof *c, "decompressing values");
        return NULL;
    }
    c->block = codec_ctx_make(codec, 0);
    c->is_stream = ordinal == GZ_ORDINAL;
    if (!c->is_stream || inflateInit2(&c->z, ZLIB_GZIP_WINDOW) == Z_OK) return c;
    free(c);
    err_nomem(err, 64 * 1024, "gzip");
    return NULL;
}

/* Takes all of src. The last bytes of a value may be the head of the next member, from which nothing comes yet. */
static int unpack_stream(z_stream *z, struct bytes src, uint8_t *out, size_t n, struct err *err) {
    uint8_t none;
    if (src.n > UINT_MAX || n > UINT_MAX) return err_set(err, ERR_INPUT, "a value of %zu bytes is too long", n);
    z->next_in = (uint8_t *)src.p;
    z->avail_in = (uInt)src.n;
    z->next_out = n ? out : &none;
    z->avail_out = (uInt)n;
    while (z->avail_in) {
        uInt before = z->avail_in;
        int rc = inflate(z, Z_SYNC_FLUSH);
        if (rc == Z_STREAM_END && inflateReset(z) == Z_OK) continue;
        if (rc == Z_MEM_ERROR) return err_nomem(err, 64 * 1024, "gzip");
        if (rc != Z_OK && rc != Z_BUF_ERROR)
            return err_set(err, ERR_INPUT, "GZ: damaged compressed value: %s", z->msg ? z->msg : "not gzip");
        if (z->avail_in == before) break;
    }
    if (z->avail_in) return err_set(err, ERR_INPUT, "GZ: the value is longer than the %zu bytes announced", n);
    if (z->avail_out) return err_set(err, ERR_INPUT, "GZ: the value is %u bytes shorter than announced", z->avail_out);
    return 0;
}

int wal_value_unpack(struct wal_value_codec *c, struct bytes src, uint8_t *out, size_t n, struct err *err) {
    if (c->is_stream) return unpack_stream(&c->z, src, out, n, err);
    if (!n) return 0; /* what codecs write for it differs, and HBase passes it by */
    return codec_decompress(&c->block, src, out, n, err);
}

void wal_value_codec_close(struct wal_value_codec *c) {
    if (!c) return;
    if (c->is_stream) inflateEnd(&c->z);
    codec_ctx_release(&c->block);
    free(c);
}
