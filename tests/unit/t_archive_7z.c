/* Headers of 7z archives, made by hand: what they would make libarchive allocate is known before it does. */
#include "archive_maker.h"

#include "formats/archive/archive_source.h"

#include <sys/mman.h>
#include <unistd.h>

static void put_byte(struct buf *b, unsigned v) {
    struct err err = {0};
    assert_int_equal(buf_put_byte(b, (uint8_t)v, &err), 0);
}

static void put_hex(struct buf *b, const char *hex) {
    for (unsigned v; sscanf(hex, "%2x", &v) == 1; hex += hex[2] == ' ' ? 3 : 2) {
        put_byte(b, v);
        if (!hex[2]) return;
    }
}

/* Writes a number: up to 8 bytes after FF, low one first. */
static void put_number(struct buf *b, uint64_t v) {
    put_byte(b, 0xff);
    for (int i = 0; i < 8; i++) put_byte(b, (unsigned)(v >> 8 * i & 255));
}

/* An archive with 3 packed bytes and this header. */
static void make_7z(struct buf *out, const struct buf *header) {
    struct err err = {0};
    buf_clear(out);
    put_hex(out, "37 7a bc af 27 1c 00 04 00 00 00 00");
    for (int i = 0; i < 8; i++) put_byte(out, i ? 0 : 3);
    for (int i = 0; i < 8; i++) put_byte(out, (unsigned)(header->n >> 8 * i & 255));
    put_hex(out, "00 00 00 00 61 62 63");
    assert_int_equal(buf_put(out, header->p, header->n, &err), 0);
}

/* One folder of one coder (its hex: id size and flags, id, properties), then substreams and files as given. */
static void begin_header(struct buf *h, const char *coder) {
    buf_clear(h);
    put_hex(h, "01 04 06 00 01 09 03 00 07 0b 01 00 01");
    put_hex(h, coder);
    put_hex(h, "0c 03 00");
}

static void expect_7z(struct fixture *f, const struct buf *header, enum err_code code, const char *text) {
    struct buf a = {0};
    make_7z(&a, header);
    expect_error_of(f, buf_bytes(&a), code, text);
    buf_free(&a);
}

static void test_7z_headers(void **state) {
    (void)state;
    struct fixture f;
    struct buf h = {0};
    archive_begin(&f, NULL, NULL);
    f.o.memory.unpack = 1 << 20;
    begin_header(&h, "23 03 01 01 05 5d 01 00 10 00"); /* LZMA, dictionary of 1 MiB and a byte */
    put_hex(&h, "00 00");
    expect_7z(&f, &h, ERR_LIMIT, "the dictionary of this 7z archive needs 1048577 bytes of memory, 1048576 are allowed");
    begin_header(&h, "21 21 01 28"); /* LZMA2, as large as can be */
    expect_7z(&f, &h, ERR_LIMIT, "needs 4294967295 bytes of memory");
    begin_header(&h, "23 03 04 01 05 06 00 00 00 40"); /* PPMd */
    expect_7z(&f, &h, ERR_LIMIT, "needs 1073741824 bytes of memory");
    begin_header(&h, "24 06 f1 07 01 01 00"); /* AES */
    expect_7z(&f, &h, ERR_UNSUPPORTED, "is an encrypted 7z archive");
    begin_header(&h, "14 03 03 01 1b 04 01"); /* BCJ2 */
    expect_7z(&f, &h, ERR_UNSUPPORTED, "the BCJ2 filter");
    begin_header(&h, "01 00");
    put_hex(&h, "08 0d"); /* so many parts of the folder */
    put_number(&h, 100000000);
    put_hex(&h, "00 00 00");
    expect_7z(&f, &h, ERR_INPUT, "its header is invalid");
    begin_header(&h, "01 00");
    put_hex(&h, "08 00 00 05"); /* so many files */
    put_number(&h, 100000000);
    put_hex(&h, "00 00");
    expect_7z(&f, &h, ERR_LIMIT, "the directory of this 7z archive needs 12800000000 bytes of memory");
    begin_header(&h, "01 00");
    put_hex(&h, "08 00 00 05 01 15 06 01 00 00 00 ff a1 00 00"); /* a symbolic link, by its mode */
    expect_7z(&f, &h, ERR_UNSUPPORTED, "with symbolic links");
    buf_clear(&h);
    put_hex(&h, "17 06 00 01 09 03 00 07 0b 01 00 01 23 03 01 01 05 5d 00 00 00 ff 0c 03 00 00"); /* the header is packed so */
    expect_7z(&f, &h, ERR_LIMIT, "needs 4278190080 bytes of memory");
    buf_clear(&h);
    put_hex(&h, "17 06 00 01 09 03 00 07 0b 01 00 01 23 03 01 01 05 5d 00 00 01 00 0c");
    put_number(&h, UINT64_C(1) << 40);
    put_hex(&h, "00 00");
    expect_7z(&f, &h, ERR_LIMIT, "the directory of this 7z archive needs");
    buf_clear(&h);
    put_hex(&h, "99");
    expect_7z(&f, &h, ERR_INPUT, "its header is invalid");
    buf_free(&h);
    fixture_end(&f);
}

/* More files than memory allows are no damage: more memory helps. */
static void many_files_of_a_folder(void **state) {
    (void)state;
    struct fixture f;
    struct buf h = {0};
    archive_begin(&f, NULL, NULL);
    f.o.memory.unpack = 1 << 20;
    begin_header(&h, "01 00");
    put_hex(&h, "08 0d");
    put_number(&h, 9000);
    put_hex(&h, "09");
    for (int i = 0; i < 8999; i++) put_byte(&h, 0);
    put_hex(&h, "00 00 00");
    expect_7z(&f, &h, ERR_LIMIT, "the directory of this 7z archive needs 1152000 bytes of memory, 1048576 are allowed");
    buf_free(&h);
    fixture_end(&f);
}

/* Checks an archive: taken, or refused with its name and a reason. */
static enum err_code check(struct bytes archive) {
    struct err err = {0};
    int fd = memfd_create("7z", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, archive.p, archive.n), archive.n);
    int rc = archive_7z_check(fd, "a.7z", 1 << 20, &err);
    close(fd);
    if (rc && strncmp(err.text, "a.7z: ", 6) != 0) fail_msg("no name: %s", err.text);
    assert_int_equal(rc != 0, err.code != ERR_NONE);
    assert_true(err.code == ERR_NONE || err.code == ERR_INPUT || err.code == ERR_LIMIT || err.code == ERR_UNSUPPORTED);
    return err.code;
}

/* Puts every byte of the header in turn to values that mean most, and cuts the archive before it. */
static unsigned change_each(const struct buf *good, size_t from) {
    static const uint8_t values[] = {0,  1,    2,    5,    6,    7,    8,    9,    10,   11,   12,
                                     13, 0x14, 0x15, 0x17, 0x21, 0x24, 0x33, 0x40, 0x7f, 0x80, 0xff};
    struct buf bad = {0};
    struct err err = {0};
    unsigned refused = 0;
    for (size_t i = from; i < good->n; i++)
        for (size_t k = 0; k < countof(values); k++) {
            assert_int_equal(buf_copy(&bad, buf_bytes(good), &err), 0);
            bad.p[i] = values[k];
            refused += check(buf_bytes(&bad)) != ERR_NONE;
        }
    for (size_t n = 0; n < good->n; n++) refused += check(bytes_of(good->p, n)) != ERR_NONE;
    buf_free(&bad);
    return refused;
}

static void changed_headers(void **state) {
    (void)state;
    static const char *const headers[] = {
        /* two folders, one with two coders, sums of packs and folders, counts, sizes, sums of files, names and attributes */
        "01 04 06 00 02 09 03 03 0a 01 11 22 33 44 55 66 77 88 00 07 0b 02 00 02 21 21 01 00 01 00 01 00 01 00 0c 09 08 07 "
        "0a 00 80 11 22 33 44 00 08 0d 02 01 09 04 0a 00 e0 11 22 33 44 55 66 77 88 99 aa bb cc 00 00 05 03 11 03 00 61 00 "
        "15 0e 01 00 20 00 00 00 20 00 00 00 20 00 00 00 00 00",
        /* a header that is packed by none */
        "17 06 00 01 09 03 00 07 0b 01 00 01 01 00 0c 03 00 00",
        /* streams with several inputs, and a time for some files only */
        "01 04 06 00 01 09 03 00 07 0b 01 00 01 14 03 03 01 03 01 01 0c 03 00 00 05 02 14 05 00 40 00 00 00 00 00"};
    for (size_t i = 0; i < countof(headers); i++) {
        struct buf h = {0}, a = {0};
        put_hex(&h, headers[i]);
        make_7z(&a, &h);
        assert_int_equal(check(buf_bytes(&a)) == ERR_NONE, i != 1); /* the packed bytes of that one are no header */
        assert_in_range(change_each(&a, 12), a.n, 22 * a.n);
        buf_free(&h);
        buf_free(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_7z_headers), cmocka_unit_test(many_files_of_a_folder),
                                       cmocka_unit_test(changed_headers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
