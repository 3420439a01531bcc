/* Input streams: every compression whole, doubled, cut short, with bytes behind it and with flipped bits; pipes and stops. */
#include "packed_files.h"

#include "base/stop.h"

#include <sys/stat.h>

static const char *const kinds[] = {"gzip", "bzip2", "xz", "zstd", "lz4"};

static void test_whole_and_doubled(void **state) {
    (void)state;
    struct buf content = sample(700000), twice = {0};
    struct err err = {0};
    buf_put(&twice, content.p, content.n, &err);
    buf_put(&twice, content.p, content.n, &err);
    expect_content(buf_bytes(&content), 999, buf_bytes(&content));
    for (size_t i = 0; i < countof(kinds); i++) {
        struct buf packed = {0};
        pack(kinds[i], buf_bytes(&content), &packed);
        expect_content(buf_bytes(&packed), 65536, buf_bytes(&content));
        expect_content(buf_bytes(&packed), 777, buf_bytes(&content));
        pack(kinds[i], bytes_of("", 0), &packed); /* a member without content ends nothing */
        pack(kinds[i], buf_bytes(&content), &packed);
        expect_content(buf_bytes(&packed), 65536, buf_bytes(&twice));
        buf_clear(&packed);
        pack(kinds[i], bytes_of("", 0), &packed);
        expect_content(buf_bytes(&packed), 10, bytes_of("", 0));
        buf_free(&packed);
    }
    buf_free(&content);
    buf_free(&twice);
}

static void test_cut_short(void **state) {
    (void)state;
    struct buf content = sample(60000);
    for (size_t i = 0; i < countof(kinds); i++) {
        struct buf packed = {0};
        pack(kinds[i], buf_bytes(&content), &packed);
        for (size_t n = 6; n < packed.n; n += n < 40 || packed.n - n <= 40 ? 1 : 997)
            expect_damage(bytes_of(packed.p, n), buf_bytes(&content));
        buf_free(&packed);
    }
    buf_free(&content);
}

static void test_bytes_behind(void **state) {
    (void)state;
    struct buf content = sample(60000);
    struct err err = {0};
    for (size_t i = 0; i < countof(kinds); i++) {
        struct buf packed = {0};
        pack(kinds[i], buf_bytes(&content), &packed);
        size_t n = packed.n;
        buf_put(&packed, "garbage that is no member", 25, &err);
        expect_damage(buf_bytes(&packed), buf_bytes(&content));
        packed.n = n;
        buf_put(&packed, packed.p, 7, &err); /* the start of another one */
        expect_damage(buf_bytes(&packed), buf_bytes(&content));
        buf_free(&packed);
    }
    buf_free(&content);
}

/* A flipped bit is found, or it was in a field that does not matter. */
static void test_flipped_bits(void **state) {
    (void)state;
    struct buf content = sample(20000);
    uint64_t seed = 42;
    for (size_t i = 0; i < countof(kinds); i++) {
        struct buf packed = {0};
        size_t found = 0;
        pack(kinds[i], buf_bytes(&content), &packed);
        for (int k = 0; k < 200; k++) {
            struct buf got = {0};
            struct err err = {0};
            size_t bit = 80 + rnd(&seed) % (packed.n * 8 - 80); /* behind the magic: without that it is no compressed file */
            packed.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
            int rc = unpacked(buf_bytes(&packed), 4096, &got, &err);
            packed.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
            if (rc == 0) assert_true(bytes_eq(buf_bytes(&got), buf_bytes(&content)));
            if (rc) assert_int_equal(err.code, ERR_INPUT);
            found += rc != 0;
            buf_free(&got);
        }
        assert_true(found > 190);
        buf_free(&packed);
    }
    buf_free(&content);
}

static void test_pzstd_and_nested(void **state) {
    (void)state;
    struct err err = {0};
    struct buf content = sample(3000), packed = {0}, outer = {0};
    buf_put(&packed, "\x50\x2a\x4d\x18\4\0\0\0abcd", 12, &err);
    pack("zstd", buf_bytes(&content), &packed);
    expect_content(buf_bytes(&packed), 100, buf_bytes(&content));
    pack("gzip", buf_bytes(&packed), &outer); /* unpacked once: what is inside is content */
    expect_content(buf_bytes(&outer), 100, buf_bytes(&packed));
    buf_free(&content);
    buf_free(&packed);
    buf_free(&outer);
}

static void test_text_that_begins_like_a_magic(void **state) {
    (void)state;
    const char *texts[] = {"BZh9,1\n", "BZh", "", "\x1f\x8b", "BZh91AXand so on"};
    for (size_t i = 0; i < countof(texts); i++) expect_content(bytes_str(texts[i]), 3, bytes_str(texts[i]));
}

static void test_peek(void **state) {
    (void)state;
    struct buf content = sample(100000), packed = {0};
    struct err err = {0};
    struct bytes head;
    char path[64];
    uint8_t got[70000];
    for (int gz = 0; gz < 2; gz++) {
        if (gz) pack("gzip", buf_bytes(&content), &packed);
        struct buf *file = gz ? &packed : &content;
        int fd = memfd_create("test", 0);
        assert_int_equal(write(fd, file->p, file->n), file->n);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        struct instream *s = instream_open(path, NULL, 0, &err);
        assert_non_null(s);
        assert_int_equal(instream_is_compressed(s), gz);
        assert_string_equal(instream_path(s), path);
        assert_int_equal(instream_peek(s, 3, &head, &err), 0);
        assert_true(bytes_eq(head, bytes_of(content.p, 3)));
        assert_int_equal(instream_read(s, got, 2, &err), 2);
        assert_int_equal(instream_peek(s, 65536, &head, &err), 0);
        assert_true(bytes_eq(head, bytes_of(content.p + 2, 65536)));
        size_t n = 2;
        for (ssize_t r = 1; r > 0; n += (size_t)r) {
            if ((r = instream_read(s, got, sizeof got, &err)) > 0) assert_memory_equal(got, content.p + n, r);
            assert_true(r >= 0);
        }
        assert_int_equal(n, content.n);
        assert_int_equal(instream_peek(s, 10, &head, &err), 0);
        assert_int_equal(head.n, 0);
        assert_int_equal(instream_is_compressed(s), gz);
        instream_close(s);
        close(fd);
    }
    buf_free(&content);
    buf_free(&packed);
}

static void test_refused(void **state) {
    (void)state;
    struct err err = {0};
    assert_null(instream_open("tests", NULL, 0, &err));
    assert_int_equal(err.code, ERR_INPUT);
    assert_string_equal(err.text, "tests: is a directory, a file is needed");
    err = (struct err){0};
    assert_null(instream_open("tests/no such file", NULL, 0, &err));
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, "tests/no such file: cannot open: No such file"));
}

static void test_pipe_and_stop(void **state) {
    (void)state;
    int p[2], wake[2];
    char path[64], got[16];
    struct err err = {0};
    assert_int_equal(pipe(p) || pipe(wake), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", p[0]);
    struct stop stop = {.fd = wake[0]};
    assert_int_equal(write(p[1], "0123456789abcdefgh", 18), 18);
    struct instream *s = instream_open(path, &stop, 0, &err);
    assert_non_null(s);
    assert_int_equal(instream_read(s, got, 16, &err), 16);
    assert_memory_equal(got, "0123456789abcdef", 16);
    assert_int_equal(instream_read(s, got, 16, &err), 2);
    assert_int_equal(write(wake[1], "x", 1), 1);
    assert_int_equal(instream_read(s, got, 16, &err), -1); /* nothing to read and no end: only the stop request wakes it */
    assert_int_equal(err.code, ERR_STOPPED);
    instream_close(s);
    for (int i = 0; i < 2; i++) close(p[i]), close(wake[i]);
}

static void test_named_pipe_without_writer(void **state) {
    (void)state;
    char dir[] = "/tmp/t_instream.XXXXXX", path[64];
    int wake[2];
    struct err err = {0};
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/fifo", dir);
    assert_int_equal(mkfifo(path, 0600) || pipe(wake), 0);
    struct stop stop = {.fd = wake[0]};
    assert_int_equal(write(wake[1], "x", 1), 1);
    assert_null(instream_open(path, &stop, 0, &err));
    assert_int_equal(err.code, ERR_STOPPED);
    close(wake[0]);
    close(wake[1]);
    unlink(path);
    rmdir(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_and_doubled),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_bytes_behind),
        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_pzstd_and_nested),
        cmocka_unit_test(test_text_that_begins_like_a_magic),
        cmocka_unit_test(test_peek),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_pipe_and_stop),
        cmocka_unit_test(test_named_pipe_without_writer),
    };
    return cmocka_run_group_tests_name("instream", tests, NULL, NULL);
}
