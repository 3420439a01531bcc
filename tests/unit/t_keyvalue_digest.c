/* Digests: worked examples whose values came from the xxHash project's own program (xxhsum -H2, 0.8.1) over KeyValue
 * bytes written by hand (the first two: docs/design.md, Digest examples), and the arithmetic of sums. And CRC-32C: the check
 * value of its catalogue, and pairs compared with single sums. */
#include "flat_cells.h"

#include "base/buf.h"
#include "base/hash.h"
#include "cell/keyvalue.h"

#include <stdio.h>
#include <xxhash.h>

struct example {
    const char *kv_hex; /* NULL: too long to write down */
    const char *want;
    struct row_part part;
    struct cell cell;
};

static uint8_t long_value[1000];
static const uint8_t ttl_60s[TTL_TAG_BYTES] = {0, 9, TAG_TTL, 0, 0, 0, 0, 0, 0, 0xea, 0x60};

static size_t examples(struct example *e) {
    for (size_t i = 0; i < sizeof long_value; i++) long_value[i] = (uint8_t)(i % 251);
    struct row_part plain = {.row = bytes_str("r1"), .family = bytes_str("f")};
    struct row_part other = {.row = bytes_str("row1"), .family = bytes_str("cf")};
    struct row_part binary = {.row = bytes_of("\x00\xff", 2), .family = bytes_str("cf")};
    struct cell v = {.qualifier = bytes_str("q"), .value = bytes_str("v"), .ts_ms = 1, .type = CELL_PUT, .seq = 99, .rank = 7};
    size_t n = 0;
    e[n++] = (struct example){"00000010000000010002723101667100000000000000010476", "b3f897380798bf0b68635f6f35367aac", plain, v};
    v.tags = bytes_of(ttl_60s, sizeof ttl_60s);
    e[n++] = (struct example){"00000010000000010002723101667100000000000000010476000b000908000000000000ea60",
                              "3c60d3f6302a67d236b2234a64d3a08d", plain, v};
    e[n++] = (struct example){"00000012000000000004726f77310263660000018bcfe568000e",
                              "a8f9916d00c19e7da0b4167c7f4d8fbd",
                              other,
                              {.ts_ms = 1700000000000, .type = CELL_DELETE_FAMILY}};
    e[n++] = (struct example){"0000001100000000000200ff02636680ffffffffffffffff08",
                              "45a226e4544921e44b92cc38439f0974",
                              binary,
                              {.qualifier = bytes_of("\x80", 1), .ts_ms = -1, .type = CELL_DELETE}};
    e[n++] = (struct example){
        NULL,
        "7acce4114df37638f3513f8b47fbfd3a",
        other,
        {.qualifier = bytes_str("long"), .ts_ms = INT64_MAX, .type = CELL_PUT, .value = bytes_of(long_value, sizeof long_value)}};
    return n;
}

static void expect_hex(struct digest d, const char *want) {
    char hex[DIGEST_HEX];
    digest_print(d, hex);
    assert_string_equal(hex, want);
}

static void test_worked_examples(void **state) {
    (void)state;
    struct example e[8];
    struct buf scratch = {0};
    struct err err = {0};
    struct digest d, sum = {0};
    size_t n = examples(e);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(digest_cell(&scratch, &e[i].part, &e[i].cell, &d, &err), 0);
        expect_hex(d, e[i].want);
        digest_add(&sum, d);
        if (!e[i].kv_hex) continue;
        char hex[256];
        for (size_t k = 0; k < strlen(e[i].kv_hex) / 2; k++) snprintf(hex + 2 * k, 3, "%02x", scratch.p[k]);
        assert_string_equal(hex, e[i].kv_hex);
    }
    expect_hex(sum, "59c20790dac15d787eada4f9a4f2b1a4"); /* it ran over 2^128 */
    buf_free(&scratch);
}

static void test_plain_bytes(void **state) {
    (void)state;
    expect_hex(digest_kv("", 0), "99aa06d3014798d86001c324468d497f");
    expect_hex(digest_kv("\0\0\0\x10\0\0\0\1\0\2r1\1fq\0\0\0\0\0\0\0\1\4v", 25), "b3f897380798bf0b68635f6f35367aac");
}

/* Lengths of all kinds that the library treats each in its own way, of which some have a way of ours. */
static void as_the_library(void **state) {
    (void)state;
    enum { LONGEST = 400 };
    uint8_t bytes[LONGEST];
    for (unsigned seed = 0; seed < 20; seed++) {
        uint64_t x = 1 + seed;
        for (size_t i = 0; i < LONGEST; i++)
            bytes[i] = (uint8_t)((x = x * UINT64_C(6364136223846793005) + 1442695040888963407) >> 56);
        for (size_t n = 0; n <= LONGEST; n++) {
            XXH128_hash_t want = XXH3_128bits(bytes + LONGEST - n, n);
            struct digest d = digest_kv(bytes + LONGEST - n, n);
            assert_true(d.lo == want.low64 && d.hi == want.high64);
        }
    }
}

static void test_parts(void **state) {
    (void)state;
    struct example e[8];
    struct buf scratch = {0};
    struct err err = {0};
    struct tally t = {0};
    examples(e);
    struct cell two[2] = {e[0].cell, e[1].cell};
    struct row_part p = e[0].part;
    p.cells = two;
    p.n_cells = 2;
    assert_int_equal(digest_part(&scratch, &p, &t, &err), 0);
    assert_int_equal(t.cells, 2);
    struct digest a = {0}, b = {0};
    assert_true(digest_parse(e[0].want, &a) && digest_parse(e[1].want, &b));
    digest_add(&a, b);
    assert_true(digest_eq(t.digest, a));
    expect_hex(a, "f0596b2e37c326dd9f1582b99a0a1b39");
    buf_free(&scratch);
}

/* Compares sums with arithmetic on 128-bit numbers. */
static void test_sums(void **state) {
    (void)state;
    uint64_t seed = 5;
    struct digest d = {0};
    unsigned __int128 want = 0;
    for (int i = 0; i < 10000; i++) {
        struct digest x = {flat_random(&seed), flat_random(&seed)};
        if (i % 7 == 0) x.lo = UINT64_MAX;
        if (i % 11 == 0) x.lo = 0;
        unsigned __int128 wide = (unsigned __int128)x.hi << 64 | x.lo;
        if (i % 3) {
            digest_add(&d, x);
            want += wide;
        } else {
            digest_sub(&d, x);
            want -= wide;
        }
        assert_true(d.lo == (uint64_t)want && d.hi == (uint64_t)(want >> 64));
        struct digest again = d;
        digest_add(&again, x);
        digest_sub(&again, x);
        assert_true(digest_eq(again, d));
    }
}

static void test_text(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "0123456789abcdef0123456789abcde",
                                      "0123456789abcdef0123456789abcdef0",
                                      "0123456789ABCDEF0123456789abcdef",
                                      "0123456789abcdef-123456789abcdef",
                                      " 123456789abcdef0123456789abcdef",
                                      "0x23456789abcdef0123456789abcdef"};
    uint64_t seed = 6;
    struct digest d, back;
    for (size_t i = 0; i < countof(bad); i++) assert_false(digest_parse(bad[i], &d));
    assert_true(digest_parse("0123456789abcdeffedcba9876543210", &d));
    assert_true(d.hi == 0x0123456789abcdef && d.lo == 0xfedcba9876543210);
    for (int i = 0; i < 1000; i++) {
        char hex[DIGEST_HEX];
        d = (struct digest){flat_random(&seed) >> i % 64, flat_random(&seed) >> i % 63};
        digest_print(d, hex);
        assert_true(digest_parse(hex, &back) && digest_eq(back, d));
    }
}

static void crc32c_check_value(void **state) {
    (void)state;
    assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(crc32c(crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
    assert_int_equal(crc32c(0, "", 0), 0);
}

/* Long stretches are summed three at a time: every length must give what single bytes give. */
static void crc32c_lengths(void **state) {
    (void)state;
    static uint8_t p[7000];
    uint64_t seed = 7;
    uint32_t one_by_one = 0;
    for (size_t i = 0; i < sizeof p; i++) p[i] = (uint8_t)splitmix_next(&seed);
    for (size_t n = 0; n < sizeof p; n++) {
        assert_int_equal(crc32c(0, p, n), one_by_one);
        if (n > 13) assert_int_equal(crc32c(crc32c(0, p, 13), p + 13, n - 13), one_by_one);
        one_by_one = crc32c(one_by_one, p + n, 1);
    }
}

/* Cells of one part share what stands before their qualifiers: the same as one by one, whatever the lengths. */
static void parts_as_cells(void **state) {
    (void)state;
    struct buf scratch = {0}, other = {0};
    struct err err = {0};
    uint64_t random = 3;
    for (int round = 0; round < 2000; round++) {
        struct cell cells[5];
        struct tally whole = {0}, each = {0};
        struct row_part part = {.row = bytes_of(long_value, 1 + splitmix_next(&random) % 40),
                                .family = bytes_of(long_value + 60, splitmix_next(&random) % 20),
                                .cells = cells,
                                .n_cells = 1 + (uint32_t)(splitmix_next(&random) % countof(cells))};
        for (uint32_t i = 0; i < part.n_cells; i++)
            cells[i] = (struct cell){.qualifier = bytes_of(long_value + 7, splitmix_next(&random) % 40),
                                     .value = bytes_of(long_value + 50, splitmix_next(&random) % 300),
                                     .tags = bytes_of(ttl_60s, splitmix_next(&random) % 3 ? 0 : sizeof ttl_60s),
                                     .ts_ms = (int64_t)splitmix_next(&random),
                                     .type = (uint8_t)splitmix_next(&random)};
        assert_int_equal(digest_part(&scratch, &part, &whole, &err), 0);
        for (uint32_t i = 0; i < part.n_cells; i++) {
            struct digest d;
            assert_int_equal(digest_cell(&other, &part, &cells[i], &d, &err), 0);
            tally_one(&each, d);
        }
        assert_true(digest_eq(whole.digest, each.digest) && whole.cells == each.cells);
    }
    buf_free(&scratch);
    buf_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32c_check_value), cmocka_unit_test(crc32c_lengths), cmocka_unit_test(test_worked_examples),
        cmocka_unit_test(test_plain_bytes),   cmocka_unit_test(test_parts),     cmocka_unit_test(test_sums),
        cmocka_unit_test(test_text),          cmocka_unit_test(parts_as_cells), cmocka_unit_test(as_the_library),
    };
    return cmocka_run_group_tests_name("digest", tests, NULL, NULL);
}
