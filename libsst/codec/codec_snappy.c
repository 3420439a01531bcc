/* SNAPPY: raw snappy chunks (not the snappy frame format) in Hadoop's block framing. A chunk begins with the size of its content,
 * which is checked before anything is decompressed. The library packs; unpacking is our own. A chunk is a varint with the size of
 * the content, then elements, each a tag byte with what follows it:
 *   xxxxxx00  literal: xxxxxx + 1 bytes follow; from 60 on the length - 1 is in the next 1 to 4 bytes
 *   ooolll01  copy of lll + 4 bytes from ooo and the next byte back          xxxxxx10  copy of xxxxxx + 1, 2 bytes of offset
 *   xxxxxx11  the same with 4 bytes of offset
 * Elements of HBase's blocks are short and of both kinds in turn, so that a branch on the kind would be guessed wrongly all the
 * time. Away from the ends of both buffers source and length are therefore computed for either kind, and 64 bytes are copied
 * whatever the length; what this cannot do (long literals, copies that overlap) is done one element at a time, exactly. */
#include "codec/codec_snappy.h"

#include "codec/hadoop_block.h"
#include "codec/snappy_guard.h"

#include <snappy-c.h>

/* ---- unpacking ---- */

enum { WIDE_BYTES = 64, MARGIN_BYTES = WIDE_BYTES + 8, LITERAL = 0, COPY_1 = 1, COPY_2 = 2, LONG_LITERAL = 60 };

/* Length of each tag, and above it the bits of the offset that are in the tag. Literals get an offset of 256, so that they pass
 * the tests for copies. 0: not for the fast loop. */
#define TAG_LITERAL(x) ((x) < LONG_LITERAL ? (256 << 8) + (x) + 1 : 0)
#define TAG_COPY_1(x) (((x) >> 3 << 16) + ((x)&7) + 4)
#define TAG_COPY_2(x) ((x) + 1)
#define TAGS_4(x) TAG_LITERAL(x), TAG_COPY_1(x), TAG_COPY_2(x), 0
#define TAGS_16(x) TAGS_4(x), TAGS_4((x) + 1), TAGS_4((x) + 2), TAGS_4((x) + 3)
#define TAGS_64(x) TAGS_16(x), TAGS_16((x) + 4), TAGS_16((x) + 8), TAGS_16((x) + 12)
static const uint32_t tags[256] = {TAGS_64(0), TAGS_64(16), TAGS_64(32), TAGS_64(48)};
/* Bits of the offset in the four bytes that follow a tag, by its kind. */
static const uint32_t offset_masks[4] = {0, 0xff, 0xffff, 0};

struct snappy_unpack {
    const uint8_t *in, *in_end;
    uint8_t *start, *out, *out_end;
};

static bool take_size(const uint8_t **p, const uint8_t *end, uint32_t *n) {
    *n = 0;
    for (unsigned shift = 0; shift < 32 && *p < end; shift += 7) {
        uint32_t byte = *(*p)++;
        if (shift == 28 && (byte & 0x7f) > 0xf) return false;
        *n |= (byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

bool codec_snappy_unpacked_size(struct bytes packed, size_t *n) {
    const uint8_t *p = packed.p;
    uint32_t size;
    if (!take_size(&p, p + packed.n, &size)) return false;
    *n = size;
    return true;
}

/* All is read before anything is written: source and copy may overlap where the copy is at most WIDE_BYTES after the source. */
static inline void copy_wide(uint8_t *to, const uint8_t *from) {
    struct {
        uint64_t words[WIDE_BYTES / 8];
    } all;
    memcpy(&all, from, sizeof all);
    memcpy(to, &all, sizeof all);
}

/* Elements until a margin is reached, or one that is not for this loop. */
static void run_fast(struct snappy_unpack *u) {
    const uint8_t *in = u->in;
    uint8_t *out = u->out;
    if (u->in_end - in < MARGIN_BYTES || u->out_end - out < WIDE_BYTES) return;
    const uint8_t *in_last = u->in_end - MARGIN_BYTES;
    uint8_t *out_last = u->out_end - WIDE_BYTES;
    while (in <= in_last && out <= out_last) {
        uint32_t tag = *in, kind = tag & 3, entry = tags[tag], length = entry & 0xff;
        uint32_t offset = (entry >> 8) + (le32(in + 1) & offset_masks[kind]);
        if (offset < length || offset > (size_t)(out - u->start) || !length) break;
        const uint8_t *literal = in + 1, *copy = out - offset;
        const uint8_t *behind_copy = in + 1 + kind, *behind_literal = in + 2 + (tag >> 2); /* sooner known than length */
        copy_wide(out, kind == LITERAL ? literal : copy);
        in = kind == LITERAL ? behind_literal : behind_copy;
        out += length;
    }
    u->in = in;
    u->out = out;
}

static bool put_literal(struct snappy_unpack *u, size_t n) {
    if (n > (size_t)(u->in_end - u->in) || n > (size_t)(u->out_end - u->out)) return false;
    memcpy(u->out, u->in, n);
    u->in += n;
    u->out += n;
    return true;
}

static bool put_copy(struct snappy_unpack *u, size_t n, size_t offset) {
    if (!offset || offset > (size_t)(u->out - u->start) || n > (size_t)(u->out_end - u->out)) return false;
    const uint8_t *from = u->out - offset;
    for (size_t i = 0; i < n; i++) u->out[i] = from[i]; /* what is copied may be part of the copy */
    u->out += n;
    return true;
}

/* A number of 0 to 4 bytes. */
static bool take_number(struct snappy_unpack *u, unsigned bytes, uint32_t *v) {
    *v = 0;
    if (bytes > (size_t)(u->in_end - u->in)) return false;
    for (unsigned i = 0; i < bytes; i++) *v |= (uint32_t)u->in[i] << 8 * i;
    u->in += bytes;
    return true;
}

/* One element, whatever it is. */
static bool run_one(struct snappy_unpack *u) {
    unsigned tag = *u->in++, kind = tag & 3, x = tag >> 2;
    uint32_t v;
    if (kind == LITERAL) {
        if (!take_number(u, x < LONG_LITERAL ? 0 : x - LONG_LITERAL + 1, &v)) return false;
        return put_literal(u, x < LONG_LITERAL ? x + 1 : (size_t)v + 1);
    }
    if (!take_number(u, kind == COPY_1 ? 1 : kind == COPY_2 ? 2 : 4, &v)) return false;
    return kind == COPY_1 ? put_copy(u, (x & 7) + 4, v | x >> 3 << 8) : put_copy(u, x + 1, v);
}

bool codec_snappy_unpack(struct bytes packed, uint8_t *dst, size_t n) {
    struct snappy_unpack u = {packed.p, packed.p + packed.n, dst, dst, dst + n};
    uint32_t size;
    if (!take_size(&u.in, u.in_end, &size) || size != n) return false;
    while (u.in < u.in_end) {
        run_fast(&u);
        if (u.in < u.in_end && !run_one(&u)) return false;
    }
    return u.out == u.out_end;
}

/* ---- the codec ---- */

static int raw_compress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err) {
    (void)ctx;
    *dst_n = snappy_max_compressed_length(src.n);
    int rc = snappy_guard_compress((const char *)src.p, src.n, (char *)dst, dst_n);
    if (rc > 0) return err_nomem(err, 0, "a snappy compressor");
    return !rc ? 0 : err_set(err, ERR_INTERNAL, "SNAPPY: cannot compress %zu bytes", src.n);
}

static int raw_decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t cap, size_t *made, struct err *err) {
    (void)ctx;
    size_t n = 0;
    if (!codec_snappy_unpacked_size(src, &n)) return err_set(err, ERR_INPUT, "its length is not readable");
    if (n > cap) return err_set(err, ERR_INPUT, "holds %zu bytes, %zu at most were expected", n, cap);
    *made = n;
    if (codec_snappy_unpack(src, dst, n)) return 0;
    return err_set(err, ERR_INPUT, "is not valid snappy data");
}

static const struct hadoop_raw raw = {"SNAPPY", snappy_max_compressed_length, raw_compress, raw_decompress, 64};

static size_t bound(size_t n) {
    return hadoop_block_bound(&raw, n);
}

/* The library's own working memory while it compresses: hash table, fragment and its output. */
static size_t memory(int level) {
    (void)level;
    return 256u << 10;
}

static int compress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t *dst_n, struct err *err) {
    return hadoop_block_compress(&raw, ctx, src, dst, dst_n, err);
}

static int decompress(struct codec_ctx *ctx, struct bytes src, uint8_t *dst, size_t dst_n, struct err *err) {
    return hadoop_block_decompress(&raw, ctx, src, dst, dst_n, err);
}

const struct codec codec_snappy = {.name = "SNAPPY",
                                   .ordinal = 3,
                                   .bound = bound,
                                   .memory = memory,
                                   .compress = compress,
                                   .decompress = decompress,
                                   .raw = &raw};
