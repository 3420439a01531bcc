/* Values of options as people write them, and where files go that are no output. */
#include "cmd/common/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void sizes(void **state) {
    static const char *const refused[] = {
        "", "-1", " -1", "+1", " 1", "M", "1X", "1Mx", "1BB", "16777216T", "18446744073709551616"};
    uint64_t n;
    (void)state;
    assert_int_equal(opt_size("0", &n), 0);
    assert_int_equal(n, 0);
    assert_int_equal(opt_size("64M", &n), 0);
    assert_int_equal(n, 64 << 20);
    assert_int_equal(opt_size("3KiB", &n), 0);
    assert_int_equal(n, 3072);
    assert_int_equal(opt_size("16777215t", &n), 0);
    assert_true(n == UINT64_C(16777215) << 40);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) assert_int_equal(opt_size(refused[i], &n), -1);
}

static void shares(void **state) {
    static const char *const refused[] = {"", "0", "0%", "1.01", "101%", "-1", "nan", "5%%", "5 %"};
    double share;
    (void)state;
    assert_int_equal(opt_share("5%", &share), 0);
    assert_true(share == 0.05);
    assert_int_equal(opt_share("1", &share), 0);
    assert_true(share == 1);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) assert_int_equal(opt_share(refused[i], &share), -1);
}

static void temporary_directory(void **state) {
    const char *otherwise = access("/var/tmp", W_OK | X_OK) ? "/tmp" : "/var/tmp";
    (void)state;
    unsetenv("TMPDIR");
    assert_string_equal(temp_dir_of(NULL), otherwise);
    assert_string_equal(temp_dir_of("/given"), "/given");
    setenv("TMPDIR", "", 1);
    assert_string_equal(temp_dir_of(NULL), otherwise);
    setenv("TMPDIR", "/elsewhere", 1);
    assert_string_equal(temp_dir_of(NULL), "/elsewhere");
    assert_string_equal(temp_dir_of("/given"), "/given");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(shares), cmocka_unit_test(temporary_directory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
