/* Headers of 7z archives, made by hand: what they would make libarchive allocate is known before it does. */
#include "archive_maker.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_7z_headers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
