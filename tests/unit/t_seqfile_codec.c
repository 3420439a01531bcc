/* Streams of SequenceFiles, whose content has no known size: round trips, limits, damage, foreign framings. */

#include "formats/seqfile/seqfile_codec.h"
#include "seqfile_make.h"
#include "tests/unit/all_codecs.h"

#include <stdlib.h>

static const struct {
    const char *name;
    enum make_framing framing;
} kinds[] = {{"org.apache.hadoop.io.compress.DefaultCodec", MAKE_ZLIB},
             {"org.apache.hadoop.io.compress.DeflateCodec", MAKE_ZLIB},
             {"", MAKE_ZLIB},
             {"org.apache.hadoop.io.compress.GzipCodec", MAKE_GZIP},
             {"org.apache.hadoop.io.compress.BZip2Codec", MAKE_BZIP2},
             {"org.apache.hadoop.io.compress.ZStandardCodec", MAKE_ZSTD},
             {"org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec", MAKE_ZSTD_FRAMED},
             {"org.apache.hadoop.io.compress.SnappyCodec", MAKE_SNAPPY},
             {"org.apache.hadoop.hbase.io.compress.xerial.SnappyCodec", MAKE_SNAPPY},
             {"org.apache.hadoop.io.compress.Lz4Codec", MAKE_LZ4}};

static struct bytes exact(struct bytes b) {
    uint8_t *p = malloc(b.n + !b.n);
    assert_non_null(p);
    if (b.n) memcpy(p, b.p, b.n);
    return bytes_of(p, b.n);
}

static struct seqfile_unpacker unpacker(const char *name) {
    struct err err = {0};
    struct seqfile_unpacker u = {.codec = seqfile_codec_find(bytes_str(name), &err)};
    assert_string_equal(err.text, "");
    return u;
}

static struct buf sample(size_t n) {
    struct buf b = {0};
    for (size_t i = 0; i < n; i++)
        make_byte(&b, (uint8_t)("row-0001 cf:q value"[(i + i / 977) % 19] ^ (i % 31 == 7 ? i >> 5 : 0)));
    return b;
}

/* All prefixes of short streams, some of long ones: none may look whole. */
static void expect_truncation_is_found(struct seqfile_unpacker *u, struct bytes packed, struct bytes plain) {
    size_t step = packed.n < 3000 ? 1 : packed.n / 40;
    for (size_t n = 1; n < packed.n; n += step) {
        struct err err = {0};
        struct buf out = {0};
        struct bytes cut = exact(bytes_of(packed.p, n));
        int rc = seqfile_unpack(u, cut, 1 << 24, &out, &err);
        assert_true(rc ? err.code == ERR_INPUT : out.n < plain.n || !plain.n);
        free((void *)cut.p);
        buf_free(&out);
    }
}

static void round_trip(struct seqfile_unpacker *u, enum make_framing framing, size_t n) {
    struct err err = {0};
    struct buf plain = sample(n), packed = {0}, out = {0};
    make_packed(&packed, buf_bytes(&plain), framing);
    struct bytes src = exact(buf_bytes(&packed));
    make_put(&out, "before", 6);
    if (seqfile_unpack(u, src, n + 6 + 4096, &out, &err)) fail_msg("%d, %zu bytes: %s", framing, n, err.text);
    assert_true(bytes_eq(bytes_of(out.p + 6, out.n - 6), buf_bytes(&plain)));
    buf_clear(&out);
    if (n > 2) {
        assert_int_equal(seqfile_unpack(u, src, n - 1, &out, &err), -1);
        assert_int_equal(err.code, ERR_LIMIT);
        assert_true(out.n <= n - 1);
    }
    expect_truncation_is_found(u, src, buf_bytes(&plain));
    free((void *)src.p);
    buf_free(&plain);
    buf_free(&packed);
    buf_free(&out);
}

static void test_round_trips(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 100, 4095, 4096, 4097, 300000};
    for (size_t k = 0; k < countof(kinds); k++) {
        struct seqfile_unpacker u = unpacker(kinds[k].name);
        for (size_t i = 0; i < countof(sizes); i++) round_trip(&u, kinds[k].framing, sizes[i]);
        seqfile_unpacker_release(&u);
    }
}

/* The most that deflate can do: room is found in steps. */
static void test_zeros(void **state) {
    (void)state;
    for (size_t k = 0; k < countof(kinds); k++) {
        struct seqfile_unpacker u = unpacker(kinds[k].name);
        struct buf plain = {0}, packed = {0}, out = {0};
        struct err err = {0};
        make_ok(buf_reserve(&plain, 3 << 20, &err));
        memset(plain.p, 0, plain.n = 3 << 20);
        make_packed(&packed, buf_bytes(&plain), kinds[k].framing);
        make_ok(seqfile_unpack(&u, buf_bytes(&packed), 4 << 20, &out, &err));
        assert_int_equal(out.n, plain.n);
        assert_true(out.cap <= (8u << 20));
        seqfile_unpacker_release(&u);
        buf_free(&plain);
        buf_free(&packed);
        buf_free(&out);
    }
}

static void test_several_streams(void **state) {
    (void)state;
    for (size_t k = 0; k < countof(kinds); k++) {
        struct seqfile_unpacker u = unpacker(kinds[k].name);
        struct buf packed = {0}, out = {0};
        struct err err = {0};
        make_packed(&packed, bytes_str("one"), kinds[k].framing);
        make_packed(&packed, bytes_str("two"), kinds[k].framing);
        int rc = seqfile_unpack(&u, buf_bytes(&packed), 100, &out, &err);
        if (kinds[k].framing == MAKE_ZLIB) {
            assert_int_equal(rc, -1);
            assert_non_null(strstr(err.text, "stray bytes after the zlib stream"));
        } else {
            assert_string_equal(err.text, "");
            assert_true(bytes_eq(buf_bytes(&out), bytes_str("onetwo")));
        }
        seqfile_unpacker_release(&u);
        buf_free(&packed);
        buf_free(&out);
    }
}

/* Tests damage that no stream has: other first bytes, and a byte after its end. */
static void test_damage(void **state) {
    (void)state;
    for (size_t k = 0; k < countof(kinds); k++) {
        struct seqfile_unpacker u = unpacker(kinds[k].name);
        struct buf packed = {0}, out = {0};
        struct err err = {0}, again = {0};
        assert_int_equal(seqfile_unpack(&u, bytes_str("\x7fnothing at all"), 1 << 20, &out, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        buf_clear(&out);
        make_packed(&packed, bytes_str("content"), kinds[k].framing);
        make_byte(&packed, '!');
        assert_int_equal(seqfile_unpack(&u, buf_bytes(&packed), 1 << 20, &out, &again), -1);
        assert_int_equal(again.code, ERR_INPUT);
        seqfile_unpacker_release(&u);
        buf_free(&packed);
        buf_free(&out);
    }
}

/* Hadoop's writers divide what is longer than their buffer: chunks of one group, several groups, empty ones anywhere. */
static void test_chunks(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const struct codec *codec;
    } framed[] = {{"SnappyCodec", &codec_snappy}, {"Lz4Codec", &codec_lz4}, {"ZstdCodec", &codec_zstd}};
    for (size_t k = 0; k < countof(framed); k++) {
        struct seqfile_unpacker u = unpacker(framed[k].name);
        struct buf packed = {0}, out = {0}, one = {0};
        struct err err = {0};
        if (framed[k].codec != &codec_zstd) make_i32(&packed, 0);
        for (int group = 0; group < 3; group++) {
            make_i32(&packed, group == 1 ? 0 : 12);
            for (int chunk = 0; chunk < 4 && group != 1; chunk++) {
                buf_clear(&one);
                make_by_codec(&one, bytes_of(&"abcdefghijkl"[3 * chunk], 3), framed[k].codec);
                make_put(&packed, one.p + 4, one.n - 4); /* without the length of its group */
            }
        }
        make_i32(&packed, 0);
        make_ok(seqfile_unpack(&u, buf_bytes(&packed), 100, &out, &err));
        assert_true(bytes_eq(buf_bytes(&out), bytes_str("abcdefghijklabcdefghijkl")));
        expect_truncation_is_found(&u, bytes_of(packed.p, packed.n - 4), buf_bytes(&out));
        seqfile_unpacker_release(&u);
        buf_free(&packed);
        buf_free(&out);
        buf_free(&one);
    }
}

/* A length that its bytes cannot stand for is damage, not a lack of memory. */
static void test_impossible_group(void **state) {
    (void)state;
    static const char *const names[] = {"SnappyCodec", "Lz4Codec"};
    for (size_t k = 0; k < countof(names); k++) {
        struct seqfile_unpacker u = unpacker(names[k]);
        struct buf out = {0};
        struct err err = {0};
        assert_int_equal(seqfile_unpack(&u, bytes_of("\x7f\0\0\0\0\0\0\1x", 9), 1000, &out, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        assert_non_null(strstr(err.text, "group of 2130706432 bytes"));
        seqfile_unpacker_release(&u);
        buf_free(&out);
    }
}

/* One group of two chunks, each a run of literals and the end mark. */
static void test_lzo(void **state) {
    (void)state;
    static const char packed[] = "\0\0\0\x0c\0\0\0\x0a\x17sixsix\x11\0\0\0\0\0\x0a\x17"
                                 "eleven\x11\0\0\0\0\0\0";
    struct seqfile_unpacker u = unpacker("com.hadoop.compression.lzo.LzoCodec");
    struct buf out = {0};
    struct err err = {0};
    if (seqfile_unpack(&u, bytes_of(packed, sizeof packed - 1), 100, &out, &err)) fail_msg("%s", err.text);
    assert_true(bytes_eq(buf_bytes(&out), bytes_str("sixsixeleven")));
    assert_int_equal(seqfile_unpack(&u, bytes_of("\0\0\0\5\0\0\0\3\x17so", 11), 100, &out, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    seqfile_unpacker_release(&u);
    buf_free(&out);
}

static void test_dictionary(void **state) {
    (void)state;
    struct seqfile_unpacker u = unpacker("org.apache.hadoop.io.compress.ZStandardCodec");
    struct buf out = {0};
    struct err err = {0};
    /* single segment, 4-byte dictionary id, 1-byte content size, one raw block */
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x23, 42, 0, 0, 0, 2, 0x11, 0, 0, 'h', 'i'};
    assert_int_equal(seqfile_unpack(&u, bytes_of(frame, sizeof frame), 1 << 20, &out, &err), -1);
    assert_int_equal(err.code, ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "dictionary 42"));
    seqfile_unpacker_release(&u);
    buf_free(&out);
}

static void test_unknown(void **state) {
    (void)state;
    static const char *const names[] = {"com.hadoop.compression.lzo.LzopCodec",
                                        "org.apache.hadoop.hbase.io.compress.brotli.BrotliCodec", "Codec", "DefaultCodec2"};
    for (size_t i = 0; i < countof(names); i++) {
        struct err err = {0};
        assert_null(seqfile_codec_find(bytes_str(names[i]), &err));
        assert_int_equal(err.code, ERR_UNSUPPORTED);
        assert_non_null(strstr(err.text, names[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_zeros),      cmocka_unit_test(test_several_streams),
        cmocka_unit_test(test_damage),      cmocka_unit_test(test_chunks),     cmocka_unit_test(test_impossible_group),
        cmocka_unit_test(test_lzo),         cmocka_unit_test(test_dictionary), cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests_name("seqfile_codec", tests, NULL, NULL);
}
