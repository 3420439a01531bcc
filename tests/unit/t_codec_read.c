/* Codecs that are only read: what their own libraries, or HBase, wrote comes out, and nothing else passes. */
#include "base/buf.h"
#include "base/bytes.h"
#include "codec/codec.h"
#include "codec/codec_lzo.h"
#include "tests/unit/all_codecs.h"

#include <bzlib.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { N = 50000 };

static uint8_t *make_plain(size_t n) {
    uint8_t *p = malloc(n + !n);
    assert_non_null(p);
    for (size_t i = 0; i < n; i++) p[i] = (uint8_t)("row-0001 cf:q value"[(i + i / 977) % 19] + (i % 1313 == 0));
    return p;
}

/* Decompresses exact copies, so that ASan sees any overrun. NULL, or the error's text. */
static const char *unpack(const struct codec *codec, struct bytes packed, const uint8_t *plain, size_t n, struct err *err) {
    struct codec_ctx ctx = codec_ctx_make(codec, 0);
    uint8_t *in = malloc(packed.n + !packed.n), *out = malloc(n + !n);
    memcpy(in, packed.p, packed.n);
    *err = (struct err){0};
    int rc = codec_decompress(&ctx, bytes_of(in, packed.n), out, n, err);
    if (!rc && plain) assert_memory_equal(out, plain, n);
    codec_ctx_release(&ctx);
    free(in);
    free(out);
    return rc ? err->text : NULL;
}

static void expect(const struct codec *codec, struct bytes packed, const uint8_t *plain, size_t n) {
    struct err err;
    const char *fault = unpack(codec, packed, plain, n, &err);
    if (fault) fail_msg("%s", fault);
}

static void expect_fault(const struct codec *codec, struct bytes packed, size_t n, const char *word) {
    struct err err;
    const char *fault = unpack(codec, packed, NULL, n, &err);
    if (!fault || err.code != ERR_INPUT || !strstr(fault, word) || !strstr(fault, codec->name))
        fail_msg("expected '%s', got %d: %s", word, err.code, fault ? fault : "(no error)");
}

/* Cut anywhere, one byte too many, sizes that are wrong, every byte changed. */
static void torture(const struct codec *codec, struct bytes packed, size_t n) {
    struct err err;
    for (size_t cut = 1; cut < packed.n; cut++)
        if (!unpack(codec, bytes_of(packed.p, cut), NULL, n, &err)) fail_msg("%s cut at %zu passes", codec->name, cut);
    uint8_t *copy = malloc(packed.n + 1);
    memcpy(copy, packed.p, packed.n);
    copy[packed.n] = 0;
    assert_non_null(unpack(codec, bytes_of(copy, packed.n + 1), NULL, n, &err));
    assert_non_null(unpack(codec, packed, NULL, n + 1, &err));
    assert_non_null(unpack(codec, packed, NULL, n - 1, &err));
    for (size_t i = 0; i < packed.n; i++) {
        copy[i] ^= 0xff;
        unpack(codec, bytes_of(copy, packed.n), NULL, n, &err);
        assert_true(err.code == ERR_NONE || err.code == ERR_INPUT || err.code == ERR_UNSUPPORTED);
        copy[i] = packed.p[i];
    }
    free(copy);
}

/* ---- BZIP2 ---- */

static void put_bzip2(struct buf *out, const uint8_t *plain, size_t n, int level) {
    struct err err = {0};
    unsigned made = (unsigned)n + n / 50 + 1000;
    assert_int_equal(buf_reserve(out, made, &err), 0);
    assert_int_equal(BZ2_bzBuffToBuffCompress((char *)out->p + out->n, &made, (char *)plain, (unsigned)n, level, 0, 0), BZ_OK);
    out->n += made;
}

static void bzip2_streams(void **state) {
    (void)state;
    uint8_t *plain = make_plain(N);
    struct buf b = {0};
    for (int level = 1; level <= 9; level += 4) { /* one stream */
        buf_clear(&b);
        put_bzip2(&b, plain, N, level);
        expect(&codec_bzip2, buf_bytes(&b), plain, N);
    }
    buf_clear(&b);
    put_bzip2(&b, plain, 0, 1); /* four, two of them empty */
    put_bzip2(&b, plain, 700, 1);
    put_bzip2(&b, plain + 700, N - 700, 9);
    put_bzip2(&b, plain, 0, 1);
    expect(&codec_bzip2, buf_bytes(&b), plain, N);
    buf_clear(&b);
    put_bzip2(&b, plain, 0, 9);
    expect(&codec_bzip2, buf_bytes(&b), plain, 0);
    buf_clear(&b);
    put_bzip2(&b, plain, 900, 1);
    torture(&codec_bzip2, buf_bytes(&b), 900);
    expect_fault(&codec_bzip2, bytes_of(b.p, b.n - 5), 900, "ends too early");
    expect_fault(&codec_bzip2, buf_bytes(&b), 800, "more than the block header says");
    expect_fault(&codec_bzip2, buf_bytes(&b), 901, "900 bytes came out");
    buf_free(&b);
    free(plain);
}

/* ---- LZMA ---- */

/* One chunk. known: its header tells the size, as HBase's does; else an end marker follows. */
static void put_lzma(struct buf *out, const uint8_t *plain, size_t n, bool known, uint32_t dictionary) {
    struct err err = {0};
    lzma_options_lzma o;
    lzma_stream z = LZMA_STREAM_INIT;
    lzma_lzma_preset(&o, 1);
    assert_int_equal(buf_put_be32(out, 0, &err), 0);
    assert_int_equal(buf_reserve(out, n + 1000, &err), 0);
    uint8_t *p = out->p + out->n;
    assert_int_equal(lzma_alone_encoder(&z, &o), LZMA_OK);
    z.next_in = plain;
    z.avail_in = n;
    z.next_out = p;
    z.avail_out = n + 1000;
    assert_int_equal(lzma_code(&z, LZMA_FINISH), LZMA_STREAM_END);
    if (dictionary) memcpy(p + 1, &dictionary, 4);
    if (known) memcpy(p + 5, &(uint64_t){n}, 8);
    put_be32(p - 4, (uint32_t)z.total_out);
    out->n += z.total_out;
    lzma_end(&z);
}

static void lzma_chunks(void **state) {
    (void)state;
    struct err err = {0};
    uint8_t *plain = make_plain(N);
    struct buf b = {0};
    for (int known = 0; known < 2; known++) {
        buf_clear(&b);
        buf_put_be32(&b, 0, &err);
        buf_put_be32(&b, N, &err);
        put_lzma(&b, plain, 30000, known, 0);
        put_lzma(&b, plain + 30000, N - 30000, known, UINT32_MAX); /* asks for 4 GiB */
        buf_put_be32(&b, 0, &err);
        expect(&codec_lzma, buf_bytes(&b), plain, N);
    }
    expect(&codec_lzma, bytes_of("\0\0\0\0", 4), plain, 0);
    buf_clear(&b);
    buf_put_be32(&b, 900, &err);
    put_lzma(&b, plain, 900, true, 0);
    torture(&codec_lzma, buf_bytes(&b), 900);
    expect_fault(&codec_lzma, bytes_of(b.p, b.n - 1), 900, "are left");
    expect_fault(&codec_lzma, bytes_of("\0\0\0\7\0\0\0\5\x5d\0\0\1\0", 13), 7, "too short for an LZMA header");
    b.p[8 + 5]--; /* says that it holds less than it does */
    expect_fault(&codec_lzma, buf_bytes(&b), 900, "LZMA");
    buf_free(&b);
    free(plain);
}

/* ---- LZO ---- */

/* "the same ten times " ten times by way of LZO1X: a literal run of 19 bytes, a match of 171 bytes at distance 19, the
 * end. */
static const uint8_t lzo_block[] = {0,   0,   0,   190, 0,   0,        0,       27,  17 + 19, 't', 'h', 'e',
                                    ' ', 's', 'a', 'm', 'e', ' ',      't',     'e', 'n',     ' ', 't', 'i',
                                    'm', 'e', 's', ' ', 32,  171 - 33, 18 << 2, 0,   17,      0,   0};

static void lzo_blocks(void **state) {
    (void)state;
    struct bytes packed = bytes_of(lzo_block, sizeof lzo_block);
    uint8_t plain[190];
    for (size_t i = 0; i < sizeof plain; i++) plain[i] = (uint8_t) "the same ten times "[i % 19];
    expect(&codec_lzo, packed, plain, sizeof plain);
    torture(&codec_lzo, packed, sizeof plain);
    expect_fault(&codec_lzo, bytes_of("\0\0\0\2\0\0\0\2\xff\xff", 10), 2, "not valid LZO1X");
    expect(&codec_lzo, bytes_of("\0\0\0\0", 4), plain, 0);
}

static void lzo_without_library(void **state) {
    (void)state;
    static const char *const absent[] = {"libavutil-of-no-version.so.1", "libc.so.6"}; /* the second has no such decoder */
    struct lzo_library l;
    struct err err = {0};
    assert_int_equal(lzo_library_open(&l, absent, countof(absent), &err), -1);
    assert_int_equal(err.code, ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "apt-get install libavutil57"));
    assert_null(l.handle);
    lzo_library_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bzip2_streams),
        cmocka_unit_test(lzma_chunks),
        cmocka_unit_test(lzo_blocks),
        cmocka_unit_test(lzo_without_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
