/* Ranges of rows: they ascend with rows, whatever the sample was, and share out rows like those of the sample. */
#include "flat_cells.h"

#include "base/bytes.h"
#include "sort/row_ranges.h"

enum { ROWS = 4000, ROW_MAX = 24 };

struct fixture {
    uint8_t bytes[ROWS][ROW_MAX];
    struct bytes rows[ROWS];
    uint64_t seed;
};

/* Rows of `prefix` and random bytes out of so many values, of any length up to ROW_MAX; every odd_every-th begins otherwise. */
static void make_rows(struct fixture *f, const char *prefix, unsigned values, size_t odd_every) {
    for (size_t i = 0; i < ROWS; i++) {
        size_t n = strlen(prefix), more = flat_below(&f->seed, ROW_MAX - n + 1);
        if (odd_every && i % odd_every == 0) n = 0;
        memcpy(f->bytes[i], prefix, n);
        for (size_t k = 0; k < more; k++)
            f->bytes[i][n + k] = (uint8_t)(flat_below(&f->seed, values) * 255 / (values > 1 ? values - 1 : 1));
        f->rows[i] = bytes_of(f->bytes[i], n + more);
    }
}

static int order(const void *a, const void *b) {
    return bytes_cmp(*(const struct bytes *)a, *(const struct bytes *)b);
}

static void expect_ascending(struct fixture *f, const struct row_ranges *r) {
    qsort(f->rows, ROWS, sizeof *f->rows, order);
    for (size_t i = 0; i < ROWS; i++) {
        uint32_t at = row_ranges_of(r, f->rows[i]);
        assert_true(at < r->n);
        if (i) assert_true(row_ranges_of(r, f->rows[i - 1]) <= at);
        if (i && bytes_eq(f->rows[i], f->rows[i - 1])) assert_int_equal(row_ranges_of(r, f->rows[i - 1]), at);
    }
}

static struct row_ranges *choose(const struct fixture *f, size_t n, uint32_t most) {
    struct row_ranges *r;
    struct err err = {0};
    assert_int_equal(row_ranges_choose(f->rows, n, most, &r, &err), 0);
    return r;
}

/* The sample is one of many others, or shorter, or of rows with another prefix. */
static void test_ascending(void **state) {
    (void)state;
    static const char *const prefixes[] = {"", "user0", "\xff\xff\xff\xff\xff\xff\xff\xff\xff"};
    for (uint64_t seed = 1; seed < 40; seed++) {
        struct fixture f = {.seed = seed};
        make_rows(&f, prefixes[seed % 3], seed % 2 ? 256 : 1 + (unsigned)seed, 0);
        struct row_ranges *r = choose(&f, seed % 5 ? ROWS : 20, seed % 4 ? 256 : 7);
        if (!r) continue;
        assert_in_range(r->n, 2, seed % 4 ? 256 : 7);
        make_rows(&f, prefixes[seed % 3], 256, 3);
        expect_ascending(&f, r);
        make_rows(&f, prefixes[(seed + 1) % 3], 256, 3);
        expect_ascending(&f, r);
        row_ranges_free(r);
    }
}

static void test_shares(void **state) {
    (void)state;
    struct fixture f = {.seed = 50};
    size_t count[64] = {0};
    make_rows(&f, "user", 256, 0);
    struct row_ranges *r = choose(&f, ROWS, countof(count));
    assert_in_range(r->n, countof(count) * 3 / 4, countof(count)); /* some rows are only "user", and so some borders are one */
    for (size_t i = 0; i < ROWS; i++) count[row_ranges_of(r, f.rows[i])]++;
    for (size_t i = 1; i < r->n; i++) assert_in_range(count[i], ROWS / countof(count) / 2, ROWS / countof(count) * 2);
    row_ranges_free(r);
}

static void test_not_divided(void **state) {
    (void)state;
    struct fixture f = {.seed = 60};
    for (size_t i = 0; i < ROWS; i++) f.rows[i] = bytes_str("one row");
    assert_null(choose(&f, ROWS, 256));
    assert_null(choose(&f, 1, 256));
    make_rows(&f, "user", 256, 0);
    assert_null(choose(&f, ROWS, 1));
    row_ranges_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ascending), cmocka_unit_test(test_shares),
                                       cmocka_unit_test(test_not_divided)};
    return cmocka_run_group_tests_name("row_ranges", tests, NULL, NULL);
}
