/* Values of options as people write them, and where files go that are no output. */
#include "cmd/common/opt_value.h"
#include "cmd/common/options.h"
#include "table/table.h"

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

static void times_to_live(void **state) {
    static const struct {
        const char *text;
        uint32_t seconds;
    } good[] = {{"1", 1},
                {"4294967294", 4294967294},
                {"forever", 0},
                {"FOREVER", 0},
                {"2147483647", 0},
                {"90d", 90 * 86400},
                {"1w", 604800},
                {" 12h ", 43200},
                {"1h30m", 5400},
                {"90 DAYS", 90 * 86400},
                {"1 DAYS 2 HOURS 3 MINUTES 4 SECONDS", 93784},
                {"604800 SECONDS (7 DAYS)", 604800},
                {"90061 SECONDS (1 DAY 1 HOUR 1 MINUTE 1 SECOND)", 90061}};
    static const char *const refused[] = {"",
                                          "0",
                                          "-1",
                                          "d",
                                          "0d",
                                          "90x",
                                          "5000ms",
                                          "1.5h",
                                          "4294967295",
                                          "50000d",
                                          "1d2",
                                          "1 2",
                                          "604800 SECONDS (8 DAYS)",
                                          "604800 SECONDS (7 DAYS",
                                          "604800 SECONDS 7 DAYS)",
                                          "99999999999999999999d"};
    uint32_t s;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!ttl_parse(bytes_str(good[i].text), &s) || s != good[i].seconds) fail_msg("'%s': %u", good[i].text, s);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (ttl_parse(bytes_str(refused[i]), &s)) fail_msg("'%s' is taken: %u", refused[i], s);
}

static void seconds(void **state) {
    static const char *const refused[] = {"", "0", "0s", "-1", "forever", "30x", "1.5", "50000d"};
    uint64_t s;
    (void)state;
    assert_int_equal(opt_seconds("90", &s), 0);
    assert_int_equal(s, 90);
    assert_int_equal(opt_seconds("2m", &s), 0);
    assert_int_equal(s, 120);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (!opt_seconds(refused[i], &s)) fail_msg("'%s' is taken: %llu", refused[i], (unsigned long long)s);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(shares), cmocka_unit_test(times_to_live),
                                       cmocka_unit_test(seconds), cmocka_unit_test(temporary_directory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
