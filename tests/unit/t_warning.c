/* Texts of warnings: what is added is read back, and a text that is full counts what has no room. */
#include "flat_cells.h"

#include "base/warning.h"

static uint64_t count(const struct buf *text, enum warning w, unsigned *lines) {
    struct warning_line line;
    uint64_t n = 0;
    *lines = 0;
    for (size_t at = 0; warning_next(text, &at, &line);) {
        if (line.code != w) continue;
        n += line.n;
        (*lines)++;
    }
    return n;
}

static void test_a_full_text_counts(void **state) {
    (void)state;
    struct buf text = {0}, second = {0};
    struct warning_line line, last = {0};
    struct err err = {0};
    unsigned lines;
    for (unsigned i = 0; i < 30000; i++)
        assert_int_equal(warning_add(&text, i % 3 ? WARN_HEADER : WARN_NULL_TEXT, 2, &err, "file %u:\n%0100u", i, i), 0);
    assert_in_range(text.n, WARNING_TEXT_BYTES, WARNING_TEXT_BYTES + 1000);
    assert_int_equal(count(&text, WARN_HEADER, &lines), 40000);
    assert_int_equal(count(&text, WARN_NULL_TEXT, &lines), 20000);
    for (size_t at = 0; warning_next(&text, &at, &line);) last = line;
    char *end;
    const uint64_t more = strtoull((const char *)last.text.p, &end, 10);
    assert_int_equal(last.n, 2 * more);
    assert_memory_equal(end, " more of this kind", 18);
    for (size_t at = 0; warning_next(&text, &at, &line);) /* into a text that has less room: none is lost */
        assert_int_equal(
            warning_add(&second, line.code, line.n, &err, "in dir/%.*s", (int)line.text.n, (const char *)line.text.p), 0);
    assert_in_range(second.n, WARNING_TEXT_BYTES, WARNING_TEXT_BYTES + 1000);
    assert_int_equal(count(&second, WARN_HEADER, &lines) + count(&second, WARN_NULL_TEXT, &lines), 60000);
    buf_free(&text);
    buf_free(&second);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_full_text_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
