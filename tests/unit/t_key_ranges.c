/* Ranges of keys: all rows are in one of them, their number is bounded, and their conditions meet without gap or overlap. */
#include "cmd/oceanbase/cell_sums.h"
#include "cmd/verify/target/key_ranges.h"
#include "cmd/verify/target/key_slices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static const struct cell_sums_opts opts = {0};

/* Row i of `wide` cells each: rows are r0000000, r0000001 …, qualifiers too. */
static void add_rows(struct key_ranges *r, uint32_t n, uint32_t wide, struct cell_sums *all) {
    struct err err = {0};
    for (uint32_t i = 0; i < n; i++) {
        char k[16], q[16];
        snprintf(k, sizeof k, "r%07u", i / wide);
        snprintf(q, sizeof q, "q%07u", i % wide);
        struct kqvt_row row = {.k = bytes_str(k), .q = bytes_str(q), .v = bytes_str("v"), .t = -5 - (int64_t)i};
        assert_int_equal(key_ranges_add(r, &row, &opts, &err), 0);
        cell_sums_row(all, &row, &opts);
    }
}

static void expect_where(const struct key_ranges *r, size_t first, size_t end, const char *want) {
    struct buf out = {0};
    struct err err = {0};
    assert_int_equal(key_ranges_where(r, first, end, &out, &err), 0);
    assert_string_equal((char *)out.p, want);
    buf_free(&out);
}

static void test_narrow_rows(void **state) {
    (void)state;
    struct key_ranges r = {0};
    struct cell_sums all = {0}, sum;
    add_rows(&r, 3 * KEY_RANGE_ROWS - 1, 1, &all);
    assert_int_equal(r.n, 3);
    sum = key_ranges_sums(&r, 0, 3);
    assert_true(cell_sums_eq(&sum, &all));
    assert_int_equal(key_ranges_sums(&r, 1, 2).rows, KEY_RANGE_ROWS);
    expect_where(&r, 0, 3, "1 = 1");
    expect_where(&r, 0, 1, "K < x'7230303030353132'");
    expect_where(&r, 1, 2, "K >= x'7230303030353132' AND K < x'7230303031303234'");
    expect_where(&r, 2, 3, "K >= x'7230303031303234'");
    key_ranges_free(&r);
}

static void test_wide_row_is_cut_inside(void **state) {
    (void)state;
    struct key_ranges r = {0};
    struct cell_sums all = {0};
    add_rows(&r, 2 * KEY_RANGE_ROWS, 1000000, &all);
    assert_int_equal(r.n, 2);
    expect_where(&r, 0, 1,
                 "K <= x'7230303030303030' AND (K < x'7230303030303030' OR Q < x'7130303030353132' OR "
                 "(Q = x'7130303030353132' AND T < -517))");
    expect_where(&r, 1, 2,
                 "K >= x'7230303030303030' AND (K > x'7230303030303030' OR Q > x'7130303030353132' OR "
                 "(Q = x'7130303030353132' AND T >= -517))");
    key_ranges_free(&r);
}

static void test_number_is_bounded(void **state) {
    (void)state;
    struct key_ranges r = {0};
    struct cell_sums all = {0}, sum;
    add_rows(&r, KEY_RANGES_MAX * KEY_RANGE_ROWS + 1, 1, &all);
    assert_int_equal(r.n, KEY_RANGES_MAX / 2 + 1);
    assert_int_equal(r.rows_each, 2 * KEY_RANGE_ROWS);
    assert_int_equal(r.list[1].sums.rows, 2 * KEY_RANGE_ROWS);
    sum = key_ranges_sums(&r, 0, r.n);
    assert_true(cell_sums_eq(&sum, &all));
    expect_where(&r, 1, 2, "K >= x'7230303031303234' AND K < x'7230303032303438'");
    key_ranges_free(&r);
}

static void expect_slice(const struct key_span *span, unsigned i, unsigned n, const char *want) {
    struct buf out = {0};
    struct err err = {0};
    assert_int_equal(key_slice_where(span, i, n, &out, &err), 0);
    assert_string_equal((char *)out.p, want);
    buf_free(&out);
}

/* Slices meet without gap or overlap, and the outer ones are open: rows before and after the export's are summed too. */
static void test_slices(void **state) {
    (void)state;
    const struct key_span some = {bytes_str("user000000000"), bytes_str("user900000000"), 150000};
    assert_int_equal(key_slice_count(&some), 3);
    expect_slice(&some, 0, 3, "K < x'757365723330303030303030'");
    expect_slice(&some, 1, 3, "K >= x'757365723330303030303030' AND K < x'757365723630303030303030'");
    expect_slice(&some, 2, 3, "K >= x'757365723630303030303030'");
    expect_slice(&some, 0, 1, "1 = 1");
    /* The first key is the beginning of the last one; the widest there are; what cannot be cut, or need not be. */
    const struct key_span within = {bytes_str("a"), bytes_str("ab"), 100000},
                          wide = {{(const uint8_t *)"\0", 1},
                                  {(const uint8_t *)"\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9},
                                  UINT64_MAX};
    expect_slice(&within, 0, 2, "K < x'613100000000000000'");
    expect_slice(&wide, 1, 2, "K >= x'7fffffffffffffff'");
    assert_int_equal(key_slice_count(&wide), 64);
    assert_int_equal(key_slice_count(&(struct key_span){bytes_str("a"), bytes_str("b"), 99999}), 1);
    assert_int_equal(key_slice_count(&(struct key_span){bytes_str("a"), bytes_str("a"), 1000000}), 1);
    assert_int_equal(key_slice_count(&(struct key_span){.rows = 1000000}), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_narrow_rows),
        cmocka_unit_test(test_wide_row_is_cut_inside),
        cmocka_unit_test(test_number_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
