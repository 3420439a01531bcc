/* Streams of zstd and lz4 that begin with frames without content, longer than one read, and that come byte by byte. */
#include "given_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/instream.h"

#include <lz4frame.h>
#include <stdlib.h>
#include <zstd.h>

static const char text[] = "r1,v1\nr2,v2\n";

static void put_skippable(struct buf *out, uint32_t n) {
    struct err err = {0};
    const uint8_t head[8] = {0x5e, 0x2a, 0x4d, 0x18, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};
    assert_int_equal(buf_put(out, head, sizeof head, &err), 0);
    for (uint32_t i = 0; i < n; i++) assert_int_equal(buf_put_byte(out, (uint8_t)i, &err), 0);
}

static void put_frame(struct buf *out, bool lz4) {
    struct err err = {0};
    char packed[256];
    size_t n = lz4 ? LZ4F_compressFrame(packed, sizeof packed, text, sizeof text - 1, NULL)
                   : ZSTD_compress(packed, sizeof packed, text, sizeof text - 1, 1);
    assert_int_equal(buf_put(out, packed, n, &err), 0);
}

/* The content, as a string; NULL: refused, see err. */
static char *content_of(const struct buf *stream, size_t at_a_time, struct err *err) {
    struct given_bytes source = {buf_bytes(stream), at_a_time};
    struct unpack_from from = {.read = given_bytes_read, .arg = &source, .path = "s"};
    struct instream *in = instream_over(&from, err);
    char *out = calloc(1, 1000);
    size_t n = 0;
    ssize_t r = in ? 1 : -1;
    while (r > 0 && (r = instream_read(in, out + n, 100, err)) > 0) n += (size_t)r;
    if (in && r >= 0) assert_true(instream_is_compressed(in));
    instream_close(in);
    if (r >= 0) return out;
    free(out);
    return NULL;
}

static void expect(const struct buf *stream, const char *want, const char *why) {
    for (size_t at_a_time = 1; at_a_time < 2000000; at_a_time *= 1000) {
        struct err err = {0};
        char *got = content_of(stream, at_a_time, &err);
        if (want) assert_string_equal(got, want);
        if (why) assert_non_null(strstr(err.text, why));
        assert_true(!want == !got);
        free(got);
    }
}

static void test_long_frames(void **state) {
    static const uint32_t lengths[] = {0, 1, 7, 8, 100, 65528, 65536, 300000};
    (void)state;
    for (int lz4 = 0; lz4 < 2; lz4++)
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            struct buf stream = {0};
            put_skippable(&stream, lengths[i]);
            put_skippable(&stream, 3);
            expect(&stream, "", NULL);
            put_frame(&stream, lz4);
            expect(&stream, text, NULL);
            buf_free(&stream);
        }
}

static void test_refused(void **state) {
    struct err err = {0};
    struct buf stream = {0};
    (void)state;
    put_skippable(&stream, 300000);
    stream.n--;
    expect(&stream, NULL, "the data ends in the middle");
    stream.n = 5;
    expect(&stream, NULL, "the data ends in the middle");
    buf_clear(&stream);
    put_skippable(&stream, 300000);
    assert_int_equal(buf_put(&stream, text, sizeof text - 1, &err), 0);
    expect(&stream, NULL, "damaged zstd data before byte 300008");
    buf_free(&stream);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_long_frames), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests_name("unpack_skippable", tests, NULL, NULL);
}
