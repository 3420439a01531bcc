/* Comparisons of short byte strings, which are done without memcmp, held against it; they must not read beyond either string.
 * Arrays that grow: what was in them stays, and a size that no memory has is an error that leaves them alone. Hex digits, which
 * are made four bytes at a time, are those that printf makes. */
#include "base/buf.h"
#include "base/bytes.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LENGTHS = 20, ROUNDS = 400 };

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static int sign(int c) {
    return (c > 0) - (c < 0);
}

static int expected(struct bytes a, struct bytes b) {
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? sign(memcmp(a.p, b.p, n)) : 0;
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

/* Few values, so that equal beginnings are common; the heap block ends with the string. */
static struct bytes make(size_t n, uint64_t *seed) {
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    uint8_t *p = malloc(n + !n);
    assert_non_null(p);
    for (size_t i = 0; i < n; i++) p[i] = next_random(seed) % 4 ? 0x41 : values[next_random(seed) % countof(values)];
    return bytes_of(p, n);
}

static void compares_as_memcmp(void **state) {
    (void)state;
    uint64_t seed = 1;
    unsigned less = 0, equal = 0;
    for (size_t n = 0; n < LENGTHS; n++)
        for (size_t m = 0; m < LENGTHS; m++)
            for (int round = 0; round < ROUNDS; round++) {
                struct bytes a = make(n, &seed), b = make(m, &seed);
                int want = expected(a, b);
                assert_int_equal(sign(bytes_cmp(a, b)), want);
                assert_int_equal(bytes_eq(a, b), want == 0);
                less += want < 0;
                equal += want == 0;
                free((void *)a.p);
                free((void *)b.p);
            }
    assert_true(less > 1000 && equal > 400);
}

/* Each byte alone decides, in both directions. */
static void every_byte_counts(void **state) {
    (void)state;
    for (size_t n = 1; n < LENGTHS; n++)
        for (size_t i = 0; i < n; i++) {
            uint8_t a[LENGTHS] = {0}, b[LENGTHS] = {0};
            a[i] = 0x7f;
            b[i] = 0x80;
            if (i + 1 < n) a[i + 1] = 0xff; /* what follows does not matter */
            assert_true(bytes_cmp(bytes_of(a, n), bytes_of(b, n)) < 0);
            assert_true(bytes_cmp(bytes_of(b, n), bytes_of(a, n)) > 0);
            assert_false(bytes_eq(bytes_of(a, n), bytes_of(b, n)));
        }
}

static void grown_arrays_keep_their_items(void **state) {
    (void)state;
    struct err err = {0};
    uint32_t *by_number = NULL, *by_capacity = NULL;
    size_t capacity = 0, grown = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(grow_array(&by_number, i, sizeof *by_number, "numbers", &err), 0);
        if (i == capacity) {
            assert_int_equal(grow_capacity(&by_capacity, &capacity, sizeof *by_capacity, "numbers", &err), 0);
            grown++;
        }
        by_number[i] = by_capacity[i] = i;
    }
    assert_int_equal(capacity, 1024);
    assert_int_equal(grown, 8); /* 8, 16 ... 1024 */
    assert_int_equal(grow_to(&by_number, 1000, sizeof *by_number, "numbers", &err), 0);
    for (uint32_t i = 0; i < 1000; i++) assert_true(by_number[i] == i && by_capacity[i] == i);
    uint32_t *before = by_number;
    assert_int_equal(grow_to(&by_number, SIZE_MAX / 2, sizeof *by_number, "numbers", &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_true(by_number == before && by_number[999] == 999);
    free(by_number);
    free(by_capacity);
}

/* All bytes, in strings of each length, and nothing is written beyond the digits. */
static void hex_is_that_of_printf(void **state) {
    (void)state;
    for (unsigned n = 0; n <= LENGTHS; n++)
        for (unsigned first = 0; first < 256; first++) {
            uint8_t bytes[LENGTHS], back[LENGTHS], out[2 * LENGTHS + 1];
            char want[2 * LENGTHS + 1] = "";
            for (unsigned i = 0; i < n; i++) {
                bytes[i] = (uint8_t)(first + 37 * i);
                snprintf(want + 2 * i, 3, "%02x", bytes[i]);
            }
            memset(out, '#', sizeof out);
            assert_ptr_equal(hex_write(out, bytes_of(bytes, n)), out + 2 * n);
            assert_memory_equal(out, want, 2 * n);
            assert_int_equal(out[2 * n], '#');
            assert_true(hex_read(back, bytes_of(out, 2 * n)));
            assert_memory_equal(back, bytes, n);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(compares_as_memcmp), cmocka_unit_test(every_byte_counts),
                                       cmocka_unit_test(grown_arrays_keep_their_items), cmocka_unit_test(hex_is_that_of_printf)};
    return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
