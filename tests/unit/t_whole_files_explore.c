/* HBase's exploring selection: the cases of HBase's TestDefaultCompactSelection (minimum 10, maximum 2100, ratio 1.0, 3 to 5
 * files), and its rules one by one. */
#include "rules/whole_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct explore_opts small = {
    .ratio = 1.0, .min_files = 3, .max_files = 5, .min_bytes = 10, .max_bytes = 2100, .blocking_files = 16};

#define CHECK(opts, first_file, n_files, ...)                                                     \
    do {                                                                                          \
        const uint64_t sizes[] = {__VA_ARGS__};                                                   \
        struct explore_selection got = explore_select(sizes, sizeof sizes / sizeof *sizes, opts); \
        assert_int_equal(got.n, n_files);                                                         \
        if (n_files) assert_int_equal(got.first, first_file);                                     \
    } while (0)

static void as_hbase_tests_it(void **state) {
    (void)state;
    CHECK(&small, 2, 3, 100, 50, 23, 12, 12);
    CHECK(&small, 0, 0, 100, 50, 25, 12, 12);
    CHECK(&small, 2, 3, 2101, 2101, 700, 700, 700); /* too large for any compaction: left out before */
    CHECK(&small, 0, 0, 2101, 2101, 700, 700);
    CHECK(&small, 0, 3, 7, 1, 1); /* below the minimum no ratio is asked for */
    CHECK(&small, 2, 5, 7, 6, 5, 4, 3, 2, 1);
    CHECK(&small, 1, 4, 50, 10, 10, 10, 10);
    CHECK(&small, 0, 4, 10, 10, 10, 10, 50);
    CHECK(&small, 0, 3, 251, 253, 251, 2099);
    CHECK(&small, 0, 0, 2099, 2099, 2099);
}

static void rules_one_by_one(void **state) {
    (void)state;
    struct explore_opts o = small;
    CHECK(&o, 0, 0, 12, 12);         /* too few */
    CHECK(&o, 0, 4, 60, 40, 20, 20); /* 60 <= 80 */
    CHECK(&o, 1, 3, 81, 40, 20, 20); /* 81 > 80, 40 <= 40 */
    o.max_files = 3;
    CHECK(&o, 1, 3, 12, 11, 11, 11); /* as many files for fewer bytes */
    o = small;
    o.ratio = 0.5;
    CHECK(&o, 0, 0, 60, 40, 20, 20);
    o.ratio = 5.0;
    CHECK(&o, 0, 3, 100, 12, 12);
    o = small;
    o.min_bytes = 1 << 20;
    CHECK(&o, 0, 4, 500, 3, 2, 1);
    o = small;
    o.max_bytes = 50;
    CHECK(&o, 0, 0, 20, 20, 20); /* together too large */
}

static void when_stuck(void **state) {
    (void)state;
    struct explore_opts o = small;
    o.blocking_files = 4;
    CHECK(&o, 1, 3, 900, 300, 100, 30);  /* nothing in ratio: the smallest that there is */
    CHECK(&o, 0, 3, 12, 12, 12, 12);     /* four are no better per byte than the first three */
    CHECK(&o, 2, 3, 40, 40, 10, 10, 10); /* most files per byte */
}

static void no_overflow(void **state) {
    (void)state;
    struct explore_opts o = explore_defaults();
    assert_true(o.ratio > 1.19 && o.ratio < 1.21 && o.min_files == 3 && o.max_files == 10 && o.blocking_files == 16);
    assert_int_equal(o.min_bytes, 134217728);
    CHECK(&o, 0, 0, UINT64_MAX, UINT64_MAX, 1);
    CHECK(&o, 0, 3, 1, 1, 1);
    assert_int_equal(explore_select(NULL, 0, &o).n, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_hbase_tests_it),
        cmocka_unit_test(rules_one_by_one),
        cmocka_unit_test(when_stuck),
        cmocka_unit_test(no_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
