/* Codecs and Hadoop's block framing: round trips around every size that matters, foreign layouts, damage. */
#include "codec/hadoop_block.h"
#include "codec/codec_snappy.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "hfile/hfile.h"
#include "tests/unit/all_codecs.h"

#include <libdeflate.h>
#include <setjmp.h>
#include <snappy-c.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include <cmocka.h>

static const struct codec *const all[] = {&codec_none, &codec_gz, &codec_snappy, &codec_lz4, &codec_zstd, &codec_brotli};
static const struct codec *const only_read[] = {&codec_lzo, &codec_bzip2, &codec_lzma};

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* kind 0: random bytes, 1: text that repeats itself, 2: one byte. Exact heap blocks, so that ASan sees any overrun. */
static uint8_t *make_plain(size_t n, int kind) {
    uint8_t *p = malloc(n + !n);
    uint64_t seed = n + 17;
    assert_non_null(p);
    for (size_t i = 0; i < n; i++)
        p[i] = kind == 0 ? (uint8_t)next_random(&seed) : kind == 1 ? (uint8_t)("row-0001 cf:q value"[(i + i / 977) % 19]) : 'x';
    return p;
}

static struct bytes compress_all(struct codec_ctx *ctx, const uint8_t *plain, size_t n) {
    struct err err = {0};
    size_t cap = ctx->codec->bound(n), got = 0;
    uint8_t *out = malloc(cap + !cap);
    assert_non_null(out);
    if (codec_compress(ctx, bytes_of(plain, n), out, &got, &err)) fail_msg("%s", err.text);
    assert_true(got <= cap);
    uint8_t *exact = malloc(got + !got);
    assert_non_null(exact);
    memcpy(exact, out, got);
    free(out);
    return bytes_of(exact, got);
}

static void round_trip(struct codec_ctx *ctx, size_t n, int kind) {
    struct err err = {0};
    uint8_t *plain = make_plain(n, kind), *back = malloc(n + !n);
    struct bytes packed = compress_all(ctx, plain, n);
    if (codec_decompress(ctx, packed, back, n, &err)) fail_msg("%s of %zu: %s", ctx->codec->name, n, err.text);
    assert_memory_equal(back, plain, n);
    free(plain);
    free(back);
    free((void *)packed.p);
}

static void round_trips(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 17, 1000, 65536, 218421, 218422, 218423, 262144, 436844, 436845, 1048576};
    for (size_t c = 0; c < countof(all); c++) {
        struct codec_ctx ctx = codec_ctx_make(all[c], 0); /* one context for all of them, as in a worker */
        for (size_t i = 0; i < countof(sizes); i++)
            for (int kind = 0; kind < 3; kind++) round_trip(&ctx, sizes[i], kind);
        codec_ctx_release(&ctx);
    }
}

/* ---- raw Snappy is unpacked as the library does it ---- */

static void unpack_both(struct bytes packed) {
    size_t n = 0, theirs = 0;
    bool sized = codec_snappy_unpacked_size(packed, &n);
    assert_int_equal(sized, snappy_uncompressed_length((const char *)packed.p, packed.n, &theirs) == SNAPPY_OK);
    if (!sized || n > 1 << 20) return;
    assert_int_equal(n, theirs);
    uint8_t *ours = malloc(n + !n), *library = malloc(n + !n);
    assert_true(ours && library);
    bool good = codec_snappy_unpack(packed, ours, n);
    assert_int_equal(good, snappy_uncompress((const char *)packed.p, packed.n, (char *)library, &theirs) == SNAPPY_OK);
    if (good) assert_memory_equal(ours, library, n);
    free(ours);
    free(library);
}

/* Elements of every kind and length, with offsets that mostly are possible, near the ends and far from them. */
static size_t make_elements(uint8_t *p, uint64_t *seed) {
    uint8_t body[4096], *at = body;
    size_t made = 0;
    for (unsigned i = 0, n = next_random(seed) % 60; i < n; i++) {
        unsigned kind = made ? next_random(seed) & 3 : 0, x = next_random(seed) & 63;
        uint32_t offset = (uint32_t)(1 + next_random(seed) % (made + 1 + (next_random(seed) % 50 == 0)));
        size_t length = kind == 1 ? (x & 7) + 4 : x + 1;
        if (kind == 1) offset = offset > 2047 ? 2047 : offset;
        if (kind == 0 && x > 59) {
            length = 61 + next_random(seed) % 40;
            *at++ = 60 << 2;
            *at++ = (uint8_t)(length - 1);
        } else {
            *at++ = (uint8_t)(kind == 1 ? (offset >> 8 << 5) | (x & 7) << 2 | 1 : x << 2 | kind);
        }
        for (unsigned k = 0; kind && k < (kind == 3 ? 4 : kind); k++) *at++ = (uint8_t)(offset >> 8 * k);
        for (size_t k = 0; !kind && k < length; k++) *at++ = (uint8_t)next_random(seed);
        made += length;
        if (at > body + sizeof body - 128) break;
    }
    size_t head = 0;
    for (size_t v = made + (next_random(seed) % 20 == 0); head < 5; v >>= 7) {
        p[head++] = (uint8_t)(v > 127 ? v | 128 : v);
        if (v <= 127) break;
    }
    memcpy(p + head, body, (size_t)(at - body));
    return head + (size_t)(at - body);
}

static void snappy_as_the_library(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        uint8_t made[8192];
        size_t n = make_elements(made, &seed);
        if (i % 4 == 1 && n) made[next_random(&seed) % n] ^= (uint8_t)(1 + next_random(&seed) % 255);
        if (i % 4 == 2 && n) n = next_random(&seed) % n;
        uint8_t *exact = malloc(n + !n);
        assert_non_null(exact);
        memcpy(exact, made, n);
        unpack_both(bytes_of(exact, n));
        free(exact);
    }
    unpack_both(bytes_of("\xff\xff\xff\xff\x0f", 5));
    unpack_both(bytes_of("\xff\xff\xff\xff\x1f", 5));
    unpack_both(bytes_of("\x80\x80\x80\x80\x80\x00", 6));
    unpack_both(bytes_of("\x80", 1));
    unpack_both(bytes_of("\x00", 1));
}

static void levels(void **state) {
    (void)state;
    for (size_t c = 0; c < countof(all); c++) {
        for (int level = 1; level <= all[c]->level_max; level += 5) {
            struct codec_ctx ctx = codec_ctx_make(all[c], level);
            round_trip(&ctx, 70000, 1);
            codec_ctx_release(&ctx);
        }
    }
}

static void table(void **state) {
    (void)state;
    assert_ptr_equal(codec_by_ordinal(HFILE_NONE), &codec_none);
    assert_ptr_equal(codec_by_ordinal(HFILE_GZ), &codec_gz);
    assert_ptr_equal(codec_by_ordinal(HFILE_SNAPPY), &codec_snappy);
    assert_ptr_equal(codec_by_ordinal(HFILE_LZ4), &codec_lz4);
    assert_ptr_equal(codec_by_ordinal(HFILE_ZSTD), &codec_zstd);
    assert_ptr_equal(codec_by_ordinal(HFILE_LZO), &codec_lzo);
    assert_ptr_equal(codec_by_ordinal(HFILE_BZIP2), &codec_bzip2);
    assert_ptr_equal(codec_by_ordinal(HFILE_LZMA), &codec_lzma);
    assert_ptr_equal(codec_by_ordinal(HFILE_BROTLI), &codec_brotli);
    assert_null(codec_by_ordinal(9));
    assert_ptr_equal(codec_by_name("snappy"), &codec_snappy);
    assert_ptr_equal(codec_by_name("Brotli"), &codec_brotli);
    assert_null(codec_by_name("lzop"));
    for (size_t c = 0; c < countof(all); c++) assert_true(!all[c]->decode_only && all[c]->compress && all[c]->bound);
    for (size_t c = 0; c < countof(only_read); c++) assert_true(only_read[c]->decode_only && !only_read[c]->compress);
}

/* A payload must give exactly the bytes it is said to hold. */
static void wrong_sizes(void **state) {
    (void)state;
    for (size_t c = 0; c < countof(all); c++) {
        struct codec_ctx ctx = codec_ctx_make(all[c], 0);
        uint8_t *plain = make_plain(5000, 1), *back = malloc(5001);
        struct bytes packed = compress_all(&ctx, plain, 5000);
        for (size_t n = 4999; n <= 5001; n += 2) {
            struct err err = {0};
            assert_int_equal(codec_decompress(&ctx, packed, back, n, &err), -1);
            assert_int_equal(err.code, ERR_INPUT);
            assert_non_null(strstr(err.text, all[c]->name));
        }
        codec_ctx_release(&ctx);
        free(plain);
        free(back);
        free((void *)packed.p);
    }
}

/* No prefix of compressed data passes, and none reads or writes out of bounds (for the sanitizers). */
static void truncated(void **state) {
    (void)state;
    enum { N = 3000 };
    for (size_t c = 0; c < countof(all); c++) {
        struct codec_ctx ctx = codec_ctx_make(all[c], 0);
        uint8_t *plain = make_plain(N, 1), *back = malloc(N);
        struct bytes packed = compress_all(&ctx, plain, N);
        for (size_t n = 0; n < packed.n; n++) {
            uint8_t *cut = malloc(n + !n);
            struct err err = {0};
            memcpy(cut, packed.p, n);
            if (codec_decompress(&ctx, bytes_of(cut, n), back, N, &err) != -1) fail_msg("%s cut at %zu passes", all[c]->name, n);
            free(cut);
        }
        codec_ctx_release(&ctx);
        free(plain);
        free(back);
        free((void *)packed.p);
    }
}

static void flipped(void **state) {
    (void)state;
    enum { N = 700 };
    for (size_t c = 0; c < countof(all); c++) {
        struct codec_ctx ctx = codec_ctx_make(all[c], 0);
        uint8_t *plain = make_plain(N, 1), *back = malloc(N);
        struct bytes packed = compress_all(&ctx, plain, N);
        uint8_t *bad = (uint8_t *)packed.p;
        for (size_t i = 0; i < 8 * packed.n; i++) {
            struct err err = {0};
            bad[i / 8] ^= (uint8_t)(1u << i % 8);
            int rc = codec_decompress(&ctx, packed, back, N, &err); /* may pass: checksums are the block's */
            assert_true((rc == 0) == (err.code == ERR_NONE));
            bad[i / 8] ^= (uint8_t)(1u << i % 8);
        }
        codec_ctx_release(&ctx);
        free(plain);
        free(back);
        free((void *)packed.p);
    }
}

static void several_gzip_members(void **state) {
    (void)state;
    struct libdeflate_compressor *z = libdeflate_alloc_compressor(1);
    uint8_t *plain = make_plain(9000, 1), back[9000], packed[20000];
    size_t n = 0;
    for (size_t at = 0; at < 9000; at += 3000) n += libdeflate_gzip_compress(z, plain + at, 3000, packed + n, sizeof packed - n);
    n += libdeflate_gzip_compress(z, plain, 0, packed + n, sizeof packed - n); /* and an empty one */
    struct codec_ctx ctx = codec_ctx_make(&codec_gz, 0);
    struct err err = {0};
    if (codec_decompress(&ctx, bytes_of(packed, n), back, sizeof back, &err)) fail_msg("%s", err.text);
    assert_memory_equal(back, plain, sizeof back);
    packed[n++] = 'x';
    assert_int_equal(codec_decompress(&ctx, bytes_of(packed, n), back, sizeof back, &err), -1);
    codec_ctx_release(&ctx);
    libdeflate_free_compressor(z);
    free(plain);
}

/* Tests the bytes that Java's GZIPOutputStream writes for an empty payload, as found in HBase's files. */
static void empty_gzip_member(void **state) {
    (void)state;
    static const uint8_t packed[20] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 3};
    struct codec_ctx ctx = codec_ctx_make(&codec_gz, 0);
    struct err err = {0};
    uint8_t none[1];
    assert_int_equal(codec_decompress(&ctx, bytes_of(packed, sizeof packed), none, 0, &err), 0);
    codec_ctx_release(&ctx);
}

/* Groups and chunks of any number and size, empty groups anywhere. */
static void framing(void **state) {
    (void)state;
    static const struct codec *const framed[] = {&codec_snappy, &codec_lz4, &codec_zstd, &codec_brotli};
    uint8_t *plain = make_plain(1000, 1), back[1000], one[3000];
    for (size_t c = 0; c < countof(framed); c++) {
        struct codec_ctx ctx = codec_ctx_make(framed[c], 0);
        struct err err = {0};
        struct buf b = {0};
        size_t n;
        assert_int_equal(buf_put_be32(&b, 0, &err), 0);
        for (size_t at = 0; at < 1000; at += 250) { /* two groups of two chunks */
            if (at % 500 == 0) assert_int_equal(buf_put_be32(&b, 500, &err), 0);
            assert_int_equal(codec_compress(&ctx, bytes_of(plain + at, 250), one, &n, &err), 0);
            assert_int_equal(be32(one), 250);
            assert_int_equal(buf_put(&b, one + 4, n - 4, &err), 0);
            if (at == 250) assert_int_equal(buf_put_be32(&b, 0, &err), 0);
        }
        assert_int_equal(buf_put_be32(&b, 0, &err), 0);
        if (codec_decompress(&ctx, buf_bytes(&b), back, sizeof back, &err)) fail_msg("%s", err.text);
        assert_memory_equal(back, plain, sizeof back);
        assert_int_equal(buf_put_byte(&b, 0, &err), 0);
        assert_int_equal(codec_decompress(&ctx, buf_bytes(&b), back, sizeof back, &err), -1);
        assert_non_null(strstr(err.text, "stray"));
        buf_free(&b);
        codec_ctx_release(&ctx);
    }
    free(plain);
}

/* Native Hadoop's buffers take no more than this from one chunk; long payloads end in an empty group. */
static void chunk_sizes(void **state) {
    (void)state;
    size_t n = 3 * HADOOP_CHUNK_BYTES + 5, chunks = 0;
    uint8_t *plain = make_plain(n, 0);
    struct codec_ctx ctx = codec_ctx_make(&codec_lz4, 0);
    struct bytes p = compress_all(&ctx, plain, n);
    assert_int_equal(be32(p.p), n);
    size_t at = 4;
    for (; at + 4 < p.n; chunks++) {
        assert_true(be32(p.p + at) <= 262144);
        at += 4 + be32(p.p + at);
    }
    assert_int_equal(chunks, 4);
    assert_int_equal(at + 4, p.n);
    assert_int_equal(be32(p.p + at), 0);
    free((void *)p.p);
    for (size_t c = 2; c < countof(all); c++) {
        struct codec_ctx empty = codec_ctx_make(all[c], 0);
        p = compress_all(&empty, plain, 0);
        assert_int_equal(p.n, 4);
        assert_int_equal(be32(p.p), 0);
        free((void *)p.p);
        codec_ctx_release(&empty);
    }
    codec_ctx_release(&ctx);
    free(plain);
}

static void plain_zstd_frames(void **state) {
    (void)state;
    enum { N = 30000 };
    uint8_t *plain = make_plain(N, 1), *back = malloc(N), *packed = malloc(2 * N);
    size_t n = ZSTD_compress(packed, 2 * N, plain, 10000, 3);
    n += ZSTD_compress(packed + n, 2 * N - n, plain + 10000, N - 10000, 3);
    struct codec_ctx ctx = codec_ctx_make(&codec_zstd, 0);
    struct err err = {0};
    if (codec_decompress(&ctx, bytes_of(packed, n), back, N, &err)) fail_msg("%s", err.text);
    assert_memory_equal(back, plain, N);
    n = ZSTD_compress(packed, 2 * N, plain, 0, 3);
    assert_int_equal(codec_decompress(&ctx, bytes_of(packed, n), back, 0, &err), 0);
    codec_ctx_release(&ctx);
    free(plain);
    free(back);
    free(packed);
}

/* A frame header that names dictionary 7: plain, behind another frame, and as a chunk. */
static void zstd_dictionary(void **state) {
    (void)state;
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x21, 7, 1, 9, 0, 0, 'x'};
    static const uint8_t empty[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0};
    uint8_t framed[8 + sizeof frame] = {0, 0, 0, 1, 0, 0, 0, sizeof frame}, second[sizeof empty + sizeof frame], out[1];
    memcpy(framed + 8, frame, sizeof frame);
    memcpy(second, empty, sizeof empty);
    memcpy(second + sizeof empty, frame, sizeof frame);
    struct codec_ctx ctx = codec_ctx_make(&codec_zstd, 0);
    struct bytes all_of[] = {bytes_of(frame, sizeof frame), bytes_of(framed, sizeof framed), bytes_of(second, sizeof second)};
    for (size_t i = 0; i < countof(all_of); i++) {
        struct err err = {0};
        assert_int_equal(codec_decompress(&ctx, all_of[i], out, 1, &err), -1);
        assert_int_equal(err.code, ERR_UNSUPPORTED);
        assert_non_null(strstr(err.text, "dictionary 7"));
    }
    codec_ctx_release(&ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),     cmocka_unit_test(snappy_as_the_library), cmocka_unit_test(levels),
        cmocka_unit_test(table),           cmocka_unit_test(wrong_sizes),           cmocka_unit_test(truncated),
        cmocka_unit_test(flipped),         cmocka_unit_test(several_gzip_members),  cmocka_unit_test(empty_gzip_member),
        cmocka_unit_test(framing),         cmocka_unit_test(chunk_sizes),           cmocka_unit_test(plain_zstd_frames),
        cmocka_unit_test(zstd_dictionary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
