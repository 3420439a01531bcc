/* Samples of rows that tell where the bytes of files lie: drawn from a memstore, merged, cut at a split, halved. */
#include "cmd/split/simulate/hbase_rules.h"
#include "cmd/split/simulate/key_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void add(struct key_profile *p, const char *row, uint64_t bytes) {
    struct err err = {0};
    assert_int_equal(key_profile_add(p, bytes_str(row), bytes, &err), 0);
}

static uint64_t sum(const struct key_profile *p) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < p->n; i++) bytes += p->marks[i].bytes;
    return bytes;
}

static void the_middle_is_no_end(void **state) {
    (void)state;
    struct key_profile p = {0};
    struct bytes row;
    assert_false(key_profile_middle(&p, &row));
    add(&p, "a", 10);
    assert_false(key_profile_middle(&p, &row));
    add(&p, "b", 10);
    assert_false(key_profile_middle(&p, &row)); /* the file's last row */
    add(&p, "c", 10);
    assert_true(key_profile_middle(&p, &row));
    assert_true(bytes_eq(row, bytes_str("b")));
    add(&p, "d", 100); /* most of the file is its last row */
    assert_false(key_profile_middle(&p, &row));
    key_profile_free(&p);
}

static void equal_rows_are_one(void **state) {
    (void)state;
    struct key_profile p = {0};
    add(&p, "a", 1);
    add(&p, "a", 2);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.marks[0].bytes, 3);
    key_profile_free(&p);
}

static void halves_have_the_bytes_of_their_rows(void **state) {
    (void)state;
    struct key_profile p = {0}, low = {0}, high = {0};
    struct err err = {0};
    double share;
    add(&p, "a", 10);
    add(&p, "b", 20);
    add(&p, "c", 10);
    assert_int_equal(key_profile_clip(&p, bytes_of("", 0), bytes_str("b"), &low, &share, &err), 0);
    assert_true(share == 0.25 && low.n == 1);
    assert_int_equal(key_profile_clip(&p, bytes_str("b"), bytes_of("", 0), &high, &share, &err), 0);
    assert_true(share == 0.75 && high.n == 2);
    key_profile_free(&p);
    key_profile_free(&low);
    key_profile_free(&high);
}

/* Samples 100,000 random and as many ascending rows: ends exact, all bytes there, the middle within 5 % of it. */
static void a_sample_of_many(void **state) {
    (void)state;
    enum { ROWS = 100000, BYTES = 100 };
    for (int ascending = 0; ascending < 2; ascending++) {
        struct key_sampler s = {0};
        struct key_profile p = {0}, merged = {0};
        struct err err = {0};
        char row[16], first[16] = "~", last[16] = "";
        uint64_t random = 5;
        key_sampler_begin(&s, 7);
        for (uint32_t i = 0; i < ROWS; i++) {
            snprintf(row, sizeof row, "%05u", ascending ? i : (unsigned)(splitmix_next(&random) % ROWS));
            if (strcmp(row, first) < 0) strcpy(first, row);
            if (strcmp(row, last) > 0) strcpy(last, row);
            assert_int_equal(key_sampler_put(&s, bytes_str(row), BYTES, &err), 0);
        }
        assert_int_equal(key_sampler_take(&s, &p, &err), 0);
        assert_true(p.n >= 100 && p.n <= KEY_SAMPLER_MARKS + 2);
        assert_true(bytes_eq(key_profile_row(&p, 0), bytes_str(first)));
        assert_true(bytes_eq(key_profile_row(&p, p.n - 1), bytes_str(last)));
        assert_true(sum(&p) > 97 * ROWS && sum(&p) < 103 * ROWS);
        const struct key_profile *parts[] = {&p, &p, &p};
        assert_int_equal(key_profile_merge(parts, 3, &merged, &err), 0);
        assert_int_equal(sum(&merged), 3 * sum(&p));
        assert_true(merged.n >= KEY_PROFILE_MARKS - 1 && merged.n <= KEY_PROFILE_MARKS + 2);
        assert_true(bytes_eq(key_profile_row(&merged, 0), bytes_str(first)));
        assert_true(bytes_eq(key_profile_row(&merged, merged.n - 1), bytes_str(last)));
        struct bytes middle;
        assert_true(key_profile_middle(&merged, &middle));
        memcpy(row, middle.p, middle.n);
        row[middle.n] = 0;
        int off = abs(atoi(row) - ROWS / 2);
        if (off > ROWS / 20) fail_msg("the middle is off by %d of %d", off, (int)ROWS);
        key_profile_free(&p);
        key_profile_free(&merged);
        key_sampler_free(&s);
    }
}

/* new Random("…".hashCode()).nextDouble(), as Java prints it. */
static void java_draws_the_same(void **state) {
    (void)state;
    assert_true(seeded_java_double(0) == 0.730967787376657);
    assert_true(seeded_java_double(42) == 0.7275636800328681);
    assert_true(seeded_java_double(-7) == 0.2691218093260761);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_middle_is_no_end),
        cmocka_unit_test(equal_rows_are_one),
        cmocka_unit_test(halves_have_the_bytes_of_their_rows),
        cmocka_unit_test(a_sample_of_many),
        cmocka_unit_test(java_draws_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
