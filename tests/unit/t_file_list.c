/* Track files: the one that HBase 2.6 wrote, which of several counts, damage. */
#include "formats/hbase/file_list.h"
#include "metadata_files.h"

#include "base/bytes.h"

#include <libdeflate.h>

static void real_one(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint64_t bytes;
    } want[] = {{"508263d884f94cd690849faac9f73035", 10503},
                {"c8e4c400837e4850913f9d4f63cd5c01", 10303},
                {"c8add2770ffc4dcd9b68065bc658a2a9", 10705}};
    struct file_list l;
    struct err err = {0};
    if (file_list_read(SAMPLES "filelist", &l, &err) != 1) fail_msg("%s", err.text);
    assert_int_equal(l.n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(l.files[i].name, want[i].name);
        assert_int_equal(l.files[i].bytes, want[i].bytes);
        assert_false(l.files[i].is_reference);
    }
    file_list_free(&l);
}

/* length, message, CRC-32 */
static struct buf track_file(struct buf *message) {
    struct buf b = {0};
    struct err err = {0};
    uint32_t crc = libdeflate_crc32(0, message->p, message->n);
    assert_int_equal(buf_put_be32(&b, (uint32_t)message->n, &err), 0);
    assert_int_equal(buf_put(&b, message->p, message->n, &err), 0);
    assert_int_equal(buf_put_be32(&b, crc, &err), 0);
    buf_free(message);
    return b;
}

/* A list of one file. */
static struct buf list_of(const char *name, uint64_t timestamp) {
    struct buf m = {0}, entry = {0};
    put_uint(&m, 1, timestamp);
    put_text(&entry, 1, name);
    put_uint(&entry, 2, 12);
    put_message(&m, 2, &entry);
    put_uint(&m, 3, 1);
    return track_file(&m);
}

static void write_list(const char *dir, const char *track, const char *name, uint64_t timestamp) {
    struct buf b = list_of(name, timestamp);
    char path[100];
    snprintf(path, sizeof path, ".filelist/%s", track);
    write_sample(dir, path, buf_bytes(&b));
    buf_free(&b);
}

static void expect_list(const char *dir, const char *name) {
    struct file_list l;
    struct err err = {0};
    int rc = file_list_read(dir, &l, &err);
    if (rc != 1) fail_msg("%d %s, wanted %s", rc, err.text, name);
    assert_int_equal(l.n, 1);
    assert_string_equal(l.files[0].name, name);
    file_list_free(&l);
}

static void which_counts(void **state) {
    (void)state;
    struct file_list l;
    struct err err = {0};
    char *dir = make_directory();
    assert_int_equal(file_list_read(dir, &l, &err), 0);
    write_sample(dir, ".filelist/other", bytes_str("x"));
    write_sample(dir, ".filelist/.f1.99.crc", bytes_str("x"));
    write_sample(dir, ".filelist/f1.x", bytes_str("x"));
    write_sample(dir, ".filelist/f3.99", bytes_str("x"));
    assert_int_equal(file_list_read(dir, &l, &err), 1);
    assert_int_equal(l.n, 0);
    file_list_free(&l);
    write_list(dir, "f1", "a1", 1000);
    expect_list(dir, "a1");
    write_list(dir, "f2.0", "a2", 5);
    expect_list(dir, "a2");
    write_list(dir, "f1.100", "a3", 6); /* sequences are numbers */
    write_list(dir, "f1.99", "a4", 700);
    expect_list(dir, "a3");
    write_list(dir, "f2.100", "a5", 7);
    expect_list(dir, "a5");
    write_list(dir, "f1.100", "a6", 8);
    expect_list(dir, "a6");
    /* half written: the older one of the same sequence, then that of the sequence before */
    write_sample(dir, ".filelist/f1.100", bytes_of("\0\0\0\x30\x08\1", 6));
    expect_list(dir, "a5");
    write_sample(dir, ".filelist/f2.100", bytes_str(""));
    expect_list(dir, "a4");
    /* a damaged one that is older does not matter */
    write_sample(dir, ".filelist/f1.98", bytes_of("\0\0\0\1xyyyy", 9));
    expect_list(dir, "a4");
    write_sample(dir, ".filelist/f1.101", bytes_of("\0\0\0\1xyyyy", 9));
    assert_int_equal(file_list_read(dir, &l, &err), -1);
    expect_said(&err, ERR_INPUT, "f1.101: checksum at byte 5 is 79797979");
    remove_directory(dir);
}

static void none_whole(void **state) {
    (void)state;
    struct file_list l;
    struct err err = {0};
    char *dir = make_directory();
    write_sample(dir, ".filelist/f1.5", bytes_of("\0\0\0\x30\x08\1", 6));
    assert_int_equal(file_list_read(dir, &l, &err), -1);
    expect_said(&err, ERR_INPUT, ".filelist/f1.5: is cut short");
    remove_directory(dir);
}

static bool parses(struct bytes content, struct err *err) {
    struct file_list l;
    uint64_t timestamp;
    struct bytes exact = exact_copy(content);
    *err = (struct err){0};
    int rc = file_list_parse(exact, &timestamp, &l, err);
    free_bytes(exact);
    if (rc)
        assert_null(l.files);
    else
        file_list_free(&l);
    return rc == 0;
}

static void truncated(void **state) {
    (void)state;
    struct buf b = list_of("abc", 1);
    struct err err;
    for (size_t n = 0; n < b.n; n++) {
        if (parses(bytes_of(b.p, n), &err)) fail_msg("the first %zu bytes pass", n);
        assert_int_equal(err.code, ERR_INPUT);
    }
    assert_true(parses(buf_bytes(&b), &err));
    for (size_t i = 0; i < b.n; i++) {
        b.p[i] ^= 1;
        if (parses(buf_bytes(&b), &err)) fail_msg("passes with byte %zu changed", i);
        b.p[i] ^= 1;
    }
    buf_free(&b);
}

static void refused(struct buf *message, enum err_code code, const char *part) {
    struct err err;
    struct buf b = track_file(message);
    if (parses(buf_bytes(&b), &err)) fail_msg("passes, wanted: %s", part);
    expect_said(&err, code, part);
    buf_free(&b);
}

static void damaged(void **state) {
    (void)state;
    struct buf m = {0}, entry = {0};
    struct err err;
    put_uint(&m, 3, 1);
    refused(&m, ERR_INPUT, "no timestamp");
    put_uint(&m, 1, 1);
    put_uint(&m, 3, 2);
    refused(&m, ERR_UNSUPPORTED, "version 2");
    put_uint(&m, 1, 1);
    put_uint(&entry, 2, 5);
    put_message(&m, 2, &entry);
    refused(&m, ERR_INPUT, "store file 1: it has no name");
    put_uint(&m, 1, 1);
    put_text(&entry, 1, "a/b");
    put_message(&m, 2, &entry);
    refused(&m, ERR_INPUT, "'a/b' holds a '/'");
    assert_false(parses(bytes_of("\0\0\0\0\0\0\0\0", 8), &err));
    expect_said(&err, ERR_INPUT, "a length of 0 bytes");
    assert_false(parses(bytes_of("\x7f\0\0\0\0\0\0\0", 8), &err));
    expect_said(&err, ERR_INPUT, "a length of 2130706432 bytes");
}

/* Newer releases keep references here only. */
static void references(void **state) {
    (void)state;
    static const uint8_t key[] = {0, 1, 'm', 0, 0x7f, 255, 255, 255, 255, 255, 255, 255, 255};
    struct buf m = {0}, entry = {0}, r = {0};
    struct err err = {0};
    struct file_list l;
    uint64_t timestamp;
    assert_int_equal(pbwire_put_bytes(&r, 1, bytes_of(key, sizeof key), &err), 0);
    put_uint(&r, 2, 1);
    put_text(&entry, 1, "abc.def");
    put_uint(&entry, 2, 77);
    put_message(&entry, 3, &r);
    put_uint(&m, 1, 42);
    put_message(&m, 2, &entry);
    struct buf b = track_file(&m);
    assert_int_equal(file_list_parse(buf_bytes(&b), &timestamp, &l, &err), 0);
    assert_int_equal(timestamp, 42);
    assert_true(l.n == 1 && l.files[0].is_reference && !l.files[0].reference.top);
    assert_true(bytes_eq(buf_bytes(&l.files[0].reference.split_row), bytes_str("m")));
    file_list_free(&l);
    buf_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_one),  cmocka_unit_test(which_counts), cmocka_unit_test(none_whole),
                                       cmocka_unit_test(truncated), cmocka_unit_test(damaged),      cmocka_unit_test(references)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
