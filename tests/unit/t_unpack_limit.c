/* Windows that a limit on memory refuses, and what only xz and zstd files can have behind their first frame. */
#include "packed_files.h"

#include "base/size_text.h"

#include <lzma.h>

enum { WINDOW_BYTES = 64 << 20 };

static struct buf data_file(const char *path) {
    struct buf b = {0};
    struct err err = {0};
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(buf_reserve(&b, 4096, &err), 0);
    b.n = fread(b.p, 1, 4096, f);
    assert_true(b.n > 0 && b.n < 4096);
    fclose(f);
    return b;
}

/* ERR_LIMIT that names the path, --memory, and these two figures; what came out before is right. */
static void expect_limit(size_t memory, struct bytes file, struct bytes before, uint64_t least, uint64_t most, uint64_t allowed) {
    struct buf got = {0};
    struct err err = {0};
    char text[64], size[SIZE_TEXT], *unit;
    assert_int_equal(unpacked_within(memory, file, 5000, &got, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_non_null(strstr(err.text, "/proc/self/fd/"));
    assert_non_null(strstr(err.text, "--memory"));
    const char *needs = strpbrk(strstr(err.text, " needs "), "0123456789");
    assert_non_null(needs);
    const uint64_t number = strtoull(needs, &unit, 10), bytes = number << (*unit == 'G' ? 30 : 20);
    assert_true(*unit == 'M' || *unit == 'G');
    assert_in_range(bytes, least, most + (1 << 20) - 1); /* the next whole megabyte */
    snprintf(text, sizeof text, " %s are allowed", size_text(allowed, size));
    assert_non_null(strstr(err.text, text));
    assert_true(bytes_eq(buf_bytes(&got), before));
    buf_free(&got);
}

static void expect_within(size_t memory, struct bytes file, struct bytes want) {
    struct buf got = {0};
    struct err err = {0};
    assert_int_equal(unpacked_within(memory, file, 5000, &got, &err), 0);
    assert_true(bytes_eq(buf_bytes(&got), want));
    buf_free(&got);
}

static const char data_content[] = "row1,small\nrow2,data in a large window\n";

static void test_xz_dictionary(void **state) {
    (void)state;
    enum { STATE_BYTES = 1 << 20 };
    struct err err = {0};
    struct bytes want = bytes_str(data_content);
    struct buf file = data_file("tests/data/compressed/dictionary_64m.csv.xz"), small = {0};
    expect_within(WINDOW_BYTES, buf_bytes(&file), want);
    expect_within(0, buf_bytes(&file), want);
    expect_limit(WINDOW_BYTES / 2, buf_bytes(&file), bytes_of("", 0), WINDOW_BYTES, WINDOW_BYTES + STATE_BYTES,
                 WINDOW_BYTES / 2 + STATE_BYTES);
    expect_limit(1, buf_bytes(&file), bytes_of("", 0), WINDOW_BYTES, WINDOW_BYTES + STATE_BYTES, 1 + STATE_BYTES);
    pack("xz", want, &small); /* preset 6: 8 MiB */
    expect_within(8 << 20, buf_bytes(&small), want);
    buf_put(&small, file.p, file.n, &err); /* a later stream is held to it, too */
    expect_limit(8 << 20, buf_bytes(&small), want, WINDOW_BYTES, WINDOW_BYTES + STATE_BYTES, (8 << 20) + STATE_BYTES);
    buf_free(&file);
    buf_free(&small);
}

/* A frame whose window is as large as asked for: of a content of known size, zstd would cut it down to that. */
static void pack_window(int window_log, struct bytes content, struct buf *out) {
    struct err err = {0};
    size_t cap = content.n * 2 + 4096;
    assert_int_equal(buf_reserve(out, cap, &err), 0);
    ZSTD_CCtx *z = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(z, ZSTD_c_windowLog, window_log);
    ZSTD_inBuffer in = {content.p, content.n, 0}, none = {content.p, 0, 0};
    ZSTD_outBuffer to = {out->p + out->n, cap, 0};
    assert_false(ZSTD_isError(ZSTD_compressStream2(z, &to, &in, ZSTD_e_continue)));
    assert_int_equal(ZSTD_compressStream2(z, &to, &none, ZSTD_e_end), 0);
    assert_int_equal(in.pos, content.n);
    out->n += to.pos;
    ZSTD_freeCCtx(z);
}

static void test_zstd_window(void **state) {
    (void)state;
    struct buf content = sample(20000), file = {0}, data = data_file("tests/data/compressed/window_64m.csv.zst");
    pack_window(26, buf_bytes(&content), &file);
    expect_within(WINDOW_BYTES, buf_bytes(&file), buf_bytes(&content));
    expect_within(0, buf_bytes(&file), buf_bytes(&content));
    expect_limit(WINDOW_BYTES - 1, buf_bytes(&file), bytes_of("", 0), WINDOW_BYTES, WINDOW_BYTES, WINDOW_BYTES / 2);
    expect_limit(1, buf_bytes(&file), bytes_of("", 0), WINDOW_BYTES, WINDOW_BYTES, 1024);
    expect_within(WINDOW_BYTES, buf_bytes(&data), bytes_str(data_content));
    expect_limit(4 << 20, buf_bytes(&data), bytes_of("", 0), WINDOW_BYTES, WINDOW_BYTES, 4 << 20);
    expect_limit(0, bytes_of("\x28\xb5\x2f\xfd\0\x89\1\0\0", 9), bytes_of("", 0), 9u << 24, 9u << 24, 1 << 27);
    data.p[5] |= 7; /* fractions of a power of two */
    expect_limit(WINDOW_BYTES, buf_bytes(&data), bytes_of("", 0), 15u << 23, 15u << 23, WINDOW_BYTES);
    /* One segment of 1 GiB, of 4 GiB: the content is the window. */
    expect_limit(0, bytes_of("\x28\xb5\x2f\xfd\xa0\0\0\0\x40\1\0\0", 12), bytes_of("", 0), 1u << 30, 1u << 30, 1 << 27);
    expect_limit(0, bytes_of("\x28\xb5\x2f\xfd\xe0\0\0\0\0\1\0\0\0\1\0\0", 16), bytes_of("", 0), UINT64_C(1) << 32,
                 UINT64_C(1) << 32, 1 << 27);
    buf_free(&content);
    buf_free(&file);
    buf_free(&data);
}

/* The header of the second frame lies on both sides of a read. */
static void test_zstd_header_in_two_reads(void **state) {
    (void)state;
    enum { FIRST_READ_BYTES = 65536 };
    static const uint8_t zeros[FIRST_READ_BYTES];
    struct buf content = sample(2000);
    for (size_t before = 1; before < 8; before++) {
        struct buf file = {0};
        struct err err = {0};
        pack("zstd", buf_bytes(&content), &file);
        uint32_t skip = (uint32_t)(FIRST_READ_BYTES - before - file.n - 8);
        buf_put(&file, "\x50\x2a\x4d\x18", 4, &err);
        buf_put(&file, &skip, sizeof skip, &err);
        buf_put(&file, zeros, skip, &err);
        assert_int_equal(file.n, FIRST_READ_BYTES - before);
        pack_window(26, buf_bytes(&content), &file);
        expect_limit(1 << 20, buf_bytes(&file), buf_bytes(&content), WINDOW_BYTES, WINDOW_BYTES, 1 << 20);
        buf_free(&file);
    }
    buf_free(&content);
}

static void test_frames_before_zstd_1(void **state) {
    (void)state;
    struct buf content = sample(2000), file = {0}, got = {0};
    struct err err = {0};
    pack("zstd", buf_bytes(&content), &file);
    buf_put(&file, "\x27\xb5\x2f\xfd\x88\x88\0\0\0\0\0\0", 12, &err); /* version 0.7 */
    assert_int_equal(unpacked(buf_bytes(&file), 5000, &got, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, "not a zstd frame")); /* ours: a library built with legacy formats would take it */
    assert_true(bytes_eq(buf_bytes(&got), buf_bytes(&content)));
    buf_free(&content);
    buf_free(&file);
    buf_free(&got);
}

/* Zero bytes behind a stream count by fours, wherever reads end. */
static void test_xz_padding(void **state) {
    (void)state;
    static const uint8_t zeros[300000];
    static const size_t pads[] = {4, 8, 200000, 1, 2, 3, 5, 200001};
    struct buf content = sample(3000), twice = {0};
    struct err err = {0};
    buf_put(&twice, content.p, content.n, &err);
    buf_put(&twice, content.p, content.n, &err);
    for (size_t i = 0; i < countof(pads); i++) {
        struct buf file = {0};
        pack("xz", buf_bytes(&content), &file);
        buf_put(&file, zeros, pads[i], &err);
        if (pads[i] % 4)
            expect_damage(buf_bytes(&file), buf_bytes(&content));
        else
            expect_content(buf_bytes(&file), 777, buf_bytes(&content));
        size_t one = file.n;
        pack("xz", buf_bytes(&content), &file);
        if (pads[i] % 4)
            expect_damage(buf_bytes(&file), buf_bytes(&content));
        else
            expect_content(buf_bytes(&file), 777, buf_bytes(&twice));
        file.n = one;
        buf_put(&file, "no stream", 9, &err);
        expect_damage(buf_bytes(&file), buf_bytes(&content));
        buf_free(&file);
    }
    buf_free(&content);
    buf_free(&twice);
}

/* A stream header that is whole, of a kind liblzma does not know. */
static void test_xz_of_unknown_kind(void **state) {
    (void)state;
    static const uint8_t flags[][2] = {{0, 2}, {1, 4}, {0, 0x14}};
    for (size_t i = 0; i < countof(flags); i++) {
        struct buf file = data_file("tests/data/compressed/dictionary_64m.csv.xz"), got = {0};
        struct err err = {0};
        memcpy(file.p + 6, flags[i], 2);
        uint32_t crc = lzma_crc32(flags[i], 2, 0);
        memcpy(file.p + 8, &crc, sizeof crc);
        assert_int_equal(unpacked(buf_bytes(&file), 100, &got, &err), -1);
        assert_int_equal(err.code, ERR_UNSUPPORTED);
        assert_non_null(strstr(err.text, "/proc/self/fd/"));
        assert_int_equal(got.n, 0);
        buf_free(&file);
        buf_free(&got);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xz_dictionary),
        cmocka_unit_test(test_zstd_window),
        cmocka_unit_test(test_zstd_header_in_two_reads),
        cmocka_unit_test(test_frames_before_zstd_1),
        cmocka_unit_test(test_xz_padding),
        cmocka_unit_test(test_xz_of_unknown_kind),
    };
    return cmocka_run_group_tests_name("unpack_limit", tests, NULL, NULL);
}
