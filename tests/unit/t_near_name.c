/* Slips of the finger, and which of several names is the nearest. */
#include "base/near_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const char *nearest(const char *given, const char *const *names) {
    static char text[NEAR_NAME_MAX + 48];
    struct near_name n = near_name_to(bytes_str(given));
    for (; *names; names++) near_name_offer(&n, bytes_str(*names));
    return near_name_text(&n, "", text);
}

static void slips(void **state) {
    static const char *const names[] = {"output", "overwrite", "memory", "Family", "cf", "id", NULL};
    (void)state;
    assert_string_equal(nearest("ouput", names), "; did you mean 'output'?");
    assert_string_equal(nearest("outputs", names), "; did you mean 'output'?");
    assert_string_equal(nearest("outptu", names), "; did you mean 'output'?");
    assert_string_equal(nearest("ovrewrite", names), "; did you mean 'overwrite'?");
    assert_string_equal(nearest("MEMORY", names), "; did you mean 'memory'?");
    assert_string_equal(nearest("family", names), "; did you mean 'Family'?");
    assert_string_equal(nearest("fc", names), "; did you mean 'cf'?");
    assert_string_equal(nearest("di", names), "; did you mean 'id'?");
    static const char *const plurals[] = {"families", "columns", NULL};
    assert_string_equal(nearest("family", plurals), "; did you mean 'families'?");
}

static void strangers(void **state) {
    static const char *const names[] = {"output", "x", "ab", "", NULL};
    (void)state;
    assert_string_equal(nearest("input", names), ""); /* three of six letters */
    assert_string_equal(nearest("table", names), "");
    assert_string_equal(nearest("y", names), ""); /* not 'x' */
    assert_string_equal(nearest("xyz", names), "");
    assert_string_equal(nearest("", names), "");
    static const char *const longer[] = {"target-file-size", NULL};
    assert_string_equal(nearest("target", longer), ""); /* it only begins so */
    assert_string_equal(nearest("outputoutputoutputoutputoutputoutputoutputoutputoutputoutputoutput", names), "");
}

/* The first of equals, as they were offered; the answer shows no control characters. */
static void choice(void **state) {
    static const char *const names[] = {"versionx", "versions", NULL}, *const odd[] = {"na\033me", NULL};
    (void)state;
    assert_string_equal(nearest("version", names), "; did you mean 'versionx'?");
    assert_string_equal(nearest("name", odd), "; did you mean 'na\\x1bme'?");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slips), cmocka_unit_test(strangers), cmocka_unit_test(choice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
