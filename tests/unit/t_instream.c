/* Input streams: every compression whole, doubled, cut short, with bytes behind it and with flipped bits; pipes and stops. */
#include "given_bytes.h"
#include "packed_files.h"

#include "base/outfile.h"
#include "base/stop.h"
#include "base/stretch_sum.h"
#include "base/unpack.h"

#include <sys/stat.h>
#include <xxhash.h>

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
    assert_string_equal(err.text, "tests: is a directory, but a file is needed");
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

/* ---- bytes that a function gives ---- */

struct giver {
    struct given_bytes bytes;
    uint64_t watched;
    bool fails;
};

static ssize_t give(void *arg, uint8_t *p, size_t n, struct err *err) {
    struct giver *g = arg;
    if (g->fails && !g->bytes.left.n) return err_set(err, ERR_INPUT, "the giver failed");
    return given_bytes_read(&g->bytes, p, n, err);
}

static int watch(void *arg, uint64_t bytes, struct err *err) {
    struct giver *g = arg;
    g->watched += bytes;
    return g->watched > 20 ? err_set(err, ERR_LIMIT, "enough") : 0;
}

static void test_over_a_function(void **state) {
    (void)state;
    for (size_t most = 1; most < 30; most++) {
        struct giver g = {.bytes = {bytes_str("some content, and more"), most}};
        struct unpack_from from = {.read = give, .arg = &g, .path = "the name"};
        struct err err = {0};
        struct bytes head;
        uint8_t got[64];
        size_t n = 0;
        struct instream *s = instream_over(&from, &err);
        assert_string_equal(instream_path(s), "the name");
        assert_false(instream_is_compressed(s) || instream_is_file(s) || instream_is_temporary(s));
        assert_int_equal(instream_file(s, &err), -1);
        err = (struct err){0};
        assert_int_equal(instream_peek(s, 18, &head, &err), 0);
        assert_memory_equal(head.p, "some content, and ", 18);
        for (ssize_t r = 1; r > 0; n += (size_t)r) assert_true((r = instream_read(s, got + n, 7, &err)) >= 0);
        assert_int_equal(n, 22);
        assert_memory_equal(got, "some content, and more", 22);
        assert_int_equal(instream_input_bytes(s), 22);
        instream_close(s);
    }
    struct giver bad = {.bytes.most = 10, .fails = true};
    struct unpack_from from = {.read = give, .arg = &bad, .path = "x"};
    struct err err = {0};
    assert_null(instream_over(&from, &err));
    assert_string_equal(err.text, "the giver failed");
}

/* Packed bytes of a function: what comes out of them is watched, and may go to a temporary file. */
static void test_watch_and_temporary_file(void **state) {
    (void)state;
    static const uint8_t gz[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0x4c, 0x4a, 6, 0, 0xc2, 0x41, 0x24, 0x35, 3, 0, 0, 0};
    struct giver g = {.bytes = {bytes_of(gz, sizeof gz), 5}};
    struct unpack_from from = {.read = give, .arg = &g, .path = "x"};
    struct disk_quota quota = {.limit_bytes = 3};
    struct err err = {0};
    struct bytes head;
    char got[4] = "";
    struct instream *s = instream_over(&from, &err);
    assert_string_equal(err.text, "");
    instream_watch(s, watch, &g);
    assert_true(instream_is_compressed(s));
    assert_int_equal(instream_peek(s, 2, &head, &err), 0);
    assert_int_equal(instream_to_file(s, "/tmp", &quota, &err), 0);
    assert_int_equal(g.watched, 3);
    assert_true(instream_is_file(s) && instream_is_temporary(s) && !instream_is_compressed(s));
    int fd = instream_file(s, &err);
    assert_int_equal(pread(fd, got, 3, 0), 3);
    close(fd);
    assert_string_equal(got, "abc");
    assert_int_equal(instream_read(s, (uint8_t *)got, 4, &err), 3);
    assert_int_equal(instream_read(s, (uint8_t *)got, 4, &err), 0);
    assert_int_equal(instream_input_bytes(s), sizeof gz);
    assert_int_equal(quota.used_bytes, 3);
    instream_close(s);
    assert_int_equal(quota.used_bytes, 0);
    quota.limit_bytes = 2;
    g = (struct giver){.bytes = {bytes_of(gz, sizeof gz), 50}};
    s = instream_over(&from, &err);
    assert_int_equal(instream_to_file(s, "/tmp", &quota, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    err = (struct err){0};
    assert_int_equal(instream_to_file(s, NULL, NULL, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    err = (struct err){0};
    assert_int_equal(instream_to_file(s, "/nowhere/at/all", NULL, &err), -1);
    assert_int_equal(err.code, ERR_OUTPUT);
    instream_close(s);
    err = (struct err){0};
    g = (struct giver){.bytes = {bytes_of(gz, sizeof gz), 50}, .watched = 18};
    s = instream_over(&from, &err);
    instream_watch(s, watch, &g);
    assert_int_equal(instream_read(s, (uint8_t *)got, 4, &err), -1);
    assert_string_equal(err.text, "enough");
    instream_close(s);
}

/* Read to the end, `at` bytes at a time, from begin to end where end is not 0. */
static uint64_t sum_read(const char *path, bool stretches, uint64_t begin, uint64_t end, size_t at) {
    struct err err = {0};
    struct bytes head;
    char hex[17];
    uint8_t *p = malloc(at);
    struct instream *s = instream_open(path, NULL, 0, &err);
    assert_non_null(s);
    assert_int_equal(instream_peek(s, 65536, &head, &err), 0);
    if (stretches) instream_sum_stretches(s);
    if (end) assert_int_equal(instream_part(s, begin, end, &err), 0);
    while (instream_read(s, p, at, &err) > 0) {
    }
    instream_checksum(s, hex);
    instream_close(s);
    free(p);
    return strtoull(hex, NULL, 16);
}

/* As docs/formats/manifest.md describes both kinds. */
static void test_checksums(void **state) {
    static const size_t sizes[] = {0, 1, 70000, STRETCH_BYTES - 1, STRETCH_BYTES, STRETCH_BYTES + 1, 3 * STRETCH_BYTES, 3500000};
    char path[] = "/tmp/t_instream.XXXXXX", hex[17];
    struct err err = {0};
    (void)state;
    close(mkstemp(path));
    for (size_t i = 0; i < countof(sizes); i++) {
        struct buf content = sample(sizes[i]);
        FILE *f = fopen(path, "w");
        assert_int_equal(sizes[i] ? fwrite(content.p, 1, sizes[i], f) : 0, sizes[i]);
        fclose(f);
        uint64_t whole = XXH3_64bits(content.p, sizes[i]), sum = sizes[i] ? 0 : whole, parts = 0;
        for (size_t at = 0; at < sizes[i]; at += STRETCH_BYTES) {
            size_t n = sizes[i] - at < STRETCH_BYTES ? sizes[i] - at : STRETCH_BYTES;
            sum += XXH3_64bits_withSeed(content.p + at, n, at / STRETCH_BYTES);
            parts += sum_read(path, true, at, at + n, 99999);
        }
        for (size_t at = 1000; at <= 4000000; at *= 7) {
            assert_true(sum_read(path, false, 0, 0, at) == whole);
            assert_true(sum_read(path, true, 0, 0, at) == sum);
        }
        assert_true(!sizes[i] || parts == sum);
        assert_int_equal(stretch_sum_of(path, hex, &err), 0);
        assert_true(strtoull(hex, NULL, 16) == sum);
        assert_true((whole == sum) == (sizes[i] <= STRETCH_BYTES));
        buf_free(&content);
    }
    unlink(path);
    assert_int_equal(stretch_sum_of(path, hex, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
}

/* A file that ends before its size, as those of sysfs do: what is missing is not taken for the end. */
static void test_ends_before_its_size(void **state) {
    const char *path = "/sys/kernel/uevent_seqnum";
    struct err err = {0};
    struct stat st;
    char p[100];
    (void)state;
    if (stat(path, &st) || st.st_size < 100) skip();
    struct instream *s = instream_open(path, NULL, 1 << 20, &err);
    while (s && instream_read(s, p, sizeof p, &err) > 0) {
    }
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, "its size is 4096"));
    instream_close(s);
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
        cmocka_unit_test(test_over_a_function),
        cmocka_unit_test(test_watch_and_temporary_file),
        cmocka_unit_test(test_checksums),
        cmocka_unit_test(test_ends_before_its_size),
    };
    return cmocka_run_group_tests_name("instream", tests, NULL, NULL);
}
