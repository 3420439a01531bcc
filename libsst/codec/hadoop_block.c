/* Hadoop's block framing, written in one group and read in any. Lengths in it are claims of a file that may be damaged: none is
 * believed, and no memory taken for it, before it fits what is left. */
#include "codec/hadoop_block.h"

#include "base/bytes.h"

size_t hadoop_block_bound(const struct hadoop_raw *raw, size_t n) {
    size_t whole = n / HADOOP_CHUNK_BYTES, rest = n % HADOOP_CHUNK_BYTES;
    return 8 + whole * (4 + raw->bound(HADOOP_CHUNK_BYTES)) + (rest ? 4 + raw->bound(rest) : 0);
}

int hadoop_block_compress(const struct hadoop_raw *raw, struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n,
                          struct err *err) {
    uint8_t *p = put_be32(dst, (uint32_t)src.n);
    for (size_t at = 0; at < src.n; at += HADOOP_CHUNK_BYTES) {
        size_t n = src.n - at < HADOOP_CHUNK_BYTES ? src.n - at : HADOOP_CHUNK_BYTES, made = 0;
        if (raw->compress(ctx, bytes_of(src.p + at, n), p + 4, &made, err)) return -1;
        p = put_be32(p, (uint32_t)made) + made;
    }
    if (src.n > HADOOP_CHUNK_BYTES) p = put_be32(p, 0);
    *dst_n = (size_t)(p - dst);
    return 0;
}

/* One group's chunks: n bytes must come out of them. */
static int take_group(const struct hadoop_raw *raw, struct codec_ctx *ctx, struct bytes src, size_t *at, uint8_t *dst, size_t n,
                      struct err *err) {
    for (size_t out = 0; out < n;) {
        if (src.n - *at < 4) return err_set(err, ERR_INPUT, "%s: compressed data ends inside a group", raw->name);
        size_t chunk = be32(src.p + *at), made = 0;
        *at += 4;
        if (chunk > src.n - *at)
            return err_set(err, ERR_INPUT, "%s: chunk of %zu bytes at compressed byte %zu, %zu are left", raw->name, chunk, *at,
                           src.n - *at);
        if (raw->decompress(ctx, bytes_of(src.p + *at, chunk), dst + out, n - out, &made, err))
            return err_prefix(err, "%s: chunk at compressed byte %zu", raw->name, *at);
        *at += chunk;
        out += made;
    }
    return 0;
}

int hadoop_block_decompress(const struct hadoop_raw *raw, struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t dst_n,
                            struct err *err) {
    size_t out = 0, at = 0;
    while (at < src.n) {
        if (src.n - at < 4) return err_set(err, ERR_INPUT, "%s: %zu stray bytes after the last group", raw->name, src.n - at);
        size_t group = be32(src.p + at);
        at += 4;
        if (group > dst_n - out)
            return err_set(err, ERR_INPUT, "%s: group of %zu bytes, %zu of %zu are missing", raw->name, group, dst_n - out,
                           dst_n);
        if (take_group(raw, ctx, src, &at, dst + out, group, err)) return -1;
        out += group;
    }
    if (out != dst_n) return err_set(err, ERR_INPUT, "%s: %zu bytes came out, %zu expected", raw->name, out, dst_n);
    return 0;
}

/* Makes room for the group at byte `at`, once its length has been found possible: damage must not look like a lack of memory. */
static int group_room(const struct hadoop_raw *raw, struct bytes src, size_t at, size_t limit, struct buf *out, struct err *err) {
    size_t group = be32(src.p + at), left = src.n - at - 4;
    bool chunk_fits = !group || (left >= 4 && be32(src.p + at + 4) <= left - 4);
    if (!chunk_fits || (raw->most_of_one && group / raw->most_of_one > left))
        return err_set(err, ERR_INPUT, "%s: group of %zu bytes at compressed byte %zu, but only %zu follow", raw->name, group, at,
                       left);
    if (group > limit - out->n)
        return err_set(err, ERR_LIMIT, "%s: needs %zu bytes, the limit is %zu", raw->name, out->n + group, limit);
    return buf_reserve(out, group, err);
}

int hadoop_block_unpack(const struct hadoop_raw *raw, struct codec_ctx *ctx, struct bytes src, size_t limit, struct buf *out,
                        struct err *err) {
    size_t at = 0;
    while (at < src.n) {
        if (src.n - at < 4) return err_set(err, ERR_INPUT, "%s: %zu stray bytes after the last group", raw->name, src.n - at);
        if (group_room(raw, src, at, limit, out, err)) return -1;
        size_t group = be32(src.p + at);
        at += 4;
        if (group && take_group(raw, ctx, src, &at, out->p + out->n, group, err)) return -1;
        out->n += group;
    }
    return 0;
}
