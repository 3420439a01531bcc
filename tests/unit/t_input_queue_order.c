/* Files by the rows that they may still hold, against a search through all of them. */
#include "engine/input_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FILES = 40, STEPS = 5000, KEYS = 60 };

static uint64_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static void least_comes_first(void **state) {
    struct row_order o = {0};
    struct err err = {0};
    uint8_t row[FILES];
    bool there[FILES];
    uint64_t seed = 7;
    size_t left = FILES;
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        row[i] = (uint8_t)(next(&seed) % 8);
        there[i] = true;
        assert_int_equal(row_order_add(&o, (uint32_t)(i % 2), i, bytes_of(&row[i], 1), &err), 0);
    }
    for (unsigned step = 0; step < STEPS && left; step++) {
        struct row_order_file *f = row_order_least(&o);
        size_t want = FILES;
        for (size_t i = 0; i < FILES; i++) {
            if (!there[i]) continue;
            bool before = want == FILES || row[i] < row[want] || (row[i] == row[want] && i % 2 < want % 2);
            if (before) want = i;
        }
        assert_int_equal(f->file, want);
        assert_int_equal(f->input, want % 2);
        assert_int_equal(f->floor.p[0], row[want]);
        uint8_t to = (uint8_t)(row[want] + next(&seed) % 3);
        if (to > KEYS) {
            there[want] = false;
            left--;
            row_order_drop(&o);
        } else {
            row[want] = to;
            assert_int_equal(row_order_raise(&o, bytes_of(&to, 1), &err), 0);
        }
    }
    assert_int_equal(left, 0);
    assert_null(row_order_least(&o));
    row_order_free(&o);
}

/* Frees an order whose files are not all done: the sanitizers look for leaks. */
static void freed_in_the_middle(void **state) {
    struct row_order o = {0};
    struct err err = {0};
    (void)state;
    for (size_t i = 0; i < 3; i++) assert_int_equal(row_order_add(&o, 0, i, bytes_str(""), &err), 0);
    assert_int_equal(row_order_raise(&o, bytes_str("m"), &err), 0);
    assert_int_equal(row_order_least(&o)->file, 1);
    row_order_free(&o);
    assert_null(row_order_least(&o));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(least_comes_first), cmocka_unit_test(freed_in_the_middle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
