/* Hadoop's .crc side files: the one that its local file system wrote, sums of both kinds, each kind of misfit. */
#include "metadata_files.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "formats/hbase/metadata.h"

#include <libdeflate.h>

static void real_one(void **state) {
    (void)state;
    struct err err = {0};
    if (crc_file_check(SAMPLES "crc/.tableinfo.0000000001.630", &err) != 1) fail_msg("%s", err.text);
    assert_int_equal(crc_file_check(SAMPLES "tableinfo/default.simple", &err), 0);
    assert_int_equal(crc_file_check("GNUmakefile", &err), 0);
}

/* The side file of n bytes. */
static struct buf side_of(const uint8_t *p, size_t n, size_t chunk, bool castagnoli) {
    struct buf b = {0};
    struct err err = {0};
    assert_int_equal(buf_put(&b, "crc", 4, &err) || buf_put_be32(&b, (uint32_t)chunk, &err), 0);
    for (size_t at = 0; at < n; at += chunk) {
        size_t m = n - at < chunk ? n - at : chunk;
        uint32_t sum = castagnoli ? crc32c(0, p + at, m) : libdeflate_crc32(0, p + at, m);
        assert_int_equal(buf_put_be32(&b, sum, &err), 0);
    }
    return b;
}

static int check(const char *dir, const uint8_t *p, size_t n, const struct buf *side, struct err *err) {
    char path[300];
    *err = (struct err){0};
    write_sample(dir, "sub/file", bytes_of(p, n));
    write_sample(dir, "sub/.file.crc", buf_bytes(side));
    snprintf(path, sizeof path, "%s/sub/file", dir);
    return crc_file_check(path, err);
}

static void fill(uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = (uint8_t)(i * 7919 >> 3);
}

static void sizes_and_sums(void **state) {
    (void)state;
    enum { MOST = (1 << 20) + 1537 };
    static const size_t sizes[] = {0, 1, 511, 512, 513, 1024, 1 << 20, MOST};
    static const size_t chunks[] = {1, 512, 700, 4096, 2 << 20};
    uint8_t *p = malloc(MOST);
    char *dir = make_directory();
    struct err err;
    fill(p, MOST);
    for (size_t i = 0; i < countof(sizes); i++)
        for (size_t k = 0; k < countof(chunks); k++)
            for (int castagnoli = 0; castagnoli < 2; castagnoli++) {
                struct buf side = side_of(p, sizes[i], chunks[k], castagnoli);
                if (check(dir, p, sizes[i], &side, &err) != 1) fail_msg("%zu bytes by %zu: %s", sizes[i], chunks[k], err.text);
                buf_free(&side);
            }
    remove_directory(dir);
    free(p);
}

static void changed_byte(void **state) {
    (void)state;
    enum { BYTES = 1300, CHUNK = 512 };
    uint8_t p[BYTES];
    char *dir = make_directory();
    struct err err;
    fill(p, BYTES);
    for (int castagnoli = 0; castagnoli < 2; castagnoli++) {
        struct buf side = side_of(p, BYTES, CHUNK, castagnoli);
        static const size_t at[] = {0, 511, 512, 1299};
        for (size_t i = 0; i < countof(at); i++) {
            char part[100];
            p[at[i]] ^= 0x40;
            assert_int_equal(check(dir, p, BYTES, &side, &err), -1);
            size_t start = at[i] / CHUNK * CHUNK;
            snprintf(part, sizeof part, "sub/file: the %zu bytes at %zu have the checksum", start < 1024 ? 512UL : 276UL, start);
            expect_said(&err, ERR_INPUT, part);
            p[at[i]] ^= 0x40;
        }
        buf_free(&side);
    }
    remove_directory(dir);
}

static void misfits(void **state) {
    (void)state;
    uint8_t p[1300];
    char *dir = make_directory();
    struct err err;
    fill(p, sizeof p);
    struct buf side = side_of(p, sizeof p, 512, false);
    assert_int_equal(check(dir, p, 1024, &side, &err), -1);
    expect_said(&err, ERR_INPUT, "sub/.file.crc: 20 bytes, but the 1024 bytes of");
    for (size_t n = 0; n < side.n; n++) {
        struct buf cut = {side.p, n, n};
        if (check(dir, p, sizeof p, &cut, &err) != -1) fail_msg("the first %zu bytes of the side file pass", n);
        expect_said(&err, ERR_INPUT, ".file.crc");
    }
    put_be32(side.p + 4, 0);
    assert_int_equal(check(dir, p, sizeof p, &side, &err), -1);
    expect_said(&err, ERR_INPUT, "0 bytes a checksum");
    put_be32(side.p + 4, UINT32_MAX);
    assert_int_equal(check(dir, p, sizeof p, &side, &err), -1);
    expect_said(&err, ERR_INPUT, "4294967295 bytes a checksum");
    side.p[0] = 'x';
    assert_int_equal(check(dir, p, sizeof p, &side, &err), -1);
    expect_said(&err, ERR_INPUT, "does not start with");
    buf_free(&side);
    remove_directory(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_one), cmocka_unit_test(sizes_and_sums),
                                       cmocka_unit_test(changed_byte), cmocka_unit_test(misfits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
