/* CRC-32C: the check value of its catalogue entry, and pairs against single sums. */
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void check_value(void **state) {
    (void)state;
    assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(crc32c(crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
    assert_int_equal(crc32c(0, "", 0), 0);
}

static void pairs(void **state) {
    (void)state;
    uint8_t p[400];
    uint32_t two[2], x = 1;
    for (size_t i = 0; i < sizeof p; i++) p[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
    for (size_t n = 0; n < 100; n++)
        for (size_t at = 0; at < 9; at++) {
            crc32c_pair(p + at, p + 200 - at, n, two);
            assert_int_equal(two[0], crc32c(0, p + at, n));
            assert_int_equal(two[1], crc32c(0, p + 200 - at, n));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_value), cmocka_unit_test(pairs)};
    return cmocka_run_group_tests_name("crc32c", tests, NULL, NULL);
}
