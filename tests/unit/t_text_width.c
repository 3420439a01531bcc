/* The width of text in columns: letters, wide characters, marks that combine, bytes that are none; and where it is cut. */

#include "cmd/common/text_width.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void widths(void **state) {
    static const struct {
        const char *text;
        size_t width;
    } known[] = {{"", 0},          {"abc", 3},      {"Müller", 6}, {"北京", 4},     {"日本語x", 7}, {"한국", 4},
                 {"e\xcc\x81", 1}, {"😀", 2},        {"…", 1},      {"\xff\xfe", 2}, {"กำ", 2},      {"ｆｕ", 4},
                 {"क्ष", 2},        {"\xe5\x8c", 2}, {"Ω≈ç", 3},    {"\xe2\x80", 2}, {"ё", 1},       {"ﷺ", 1}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (text_width(known[i].text, strlen(known[i].text)) != known[i].width)
            fail_msg("'%s' takes %zu columns, expected %zu", known[i].text, text_width(known[i].text, strlen(known[i].text)),
                     known[i].width);
}

/* Tests that a cut text fits, ends after a character, and would not fit with one more. */
static void cut(void **state) {
    const char *text = "a北e\xcc\x81"
                       "京\xff!";
    static const size_t bytes[] = {0, 1, 1, 4, 7, 7, 10, 11, 12, 12}; /* by columns */
    (void)state;
    for (size_t columns = 0; columns < sizeof bytes / sizeof *bytes; columns++) {
        size_t n = text_fit(text, strlen(text), columns);
        assert_int_equal(n, bytes[columns]);
        assert_true(text_width(text, n) <= columns);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(widths), cmocka_unit_test(cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
