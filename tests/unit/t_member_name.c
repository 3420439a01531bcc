/* Names of members, taken apart and made anew: none leads out. */
#include "formats/archive/archive_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_clean_names(void **state) {
    (void)state;
    static const char *const clean[][2] = {{"a/b", "a/b"}, {"/a//b/", "a/b"}, {"./a/./b/.", "a/b"},
                                           {"", ""},       {"/", ""},         {"...", "..."}};
    static const char *const bad[] = {"..", "a/..", "a/../b", "/../a"};
    struct buf b = {0};
    struct err err = {0};
    for (size_t i = 0; i < countof(clean); i++) {
        assert_int_equal(member_name_clean(clean[i][0], &b, &err), 1);
        assert_string_equal((char *)b.p, clean[i][1]);
    }
    for (size_t i = 0; i < countof(bad); i++) assert_int_equal(member_name_clean(bad[i], &b, &err), 0);
    buf_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clean_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
