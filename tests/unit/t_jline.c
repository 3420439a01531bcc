/* The walk over a line of JSON: which lines it takes, where it says that others are wrong, what stands at a path. */

#include "formats/text/jline_paths.h"
#include "formats/text/jline_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* 0: taken; else the byte that is at fault. */
static uint32_t fault_of(struct bytes line, struct reason *why) {
    const struct jline_paths none = {0};
    struct jline_scan s;
    struct err err = {0};
    *why = (struct reason){0};
    assert_int_equal(jline_scan_init(&s, &none, &err), 0);
    int rc = jline_scan_line(&s, line, why, &err);
    assert_true(rc == 0 || rc == 1);
    assert_int_equal(rc, why->text[0] == 0);
    jline_scan_free(&s);
    return why->column;
}

static void test_good(void **state) {
    (void)state;
    static const char *const lines[] = {"{}",
                                        "[]",
                                        " [ ] ",
                                        "{\"a\":{}}",
                                        "[[],{},[{}]]",
                                        "0",
                                        "-0",
                                        "1.5e-7",
                                        "1E+2",
                                        "\"\"",
                                        "\"\\u0000\\/\\b\\f\"",
                                        "null",
                                        "{\"\":1,\" \":2,\"a\":3,\"A\":4}",
                                        "[{\"a\":1},{\"a\":2}]",
                                        "{\"a\":{\"a\":{\"a\":1}}}",
                                        "[\"\\ud83d\\ude00\"]",
                                        "[\"\x7f\xc2\x80\"]",
                                        "{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\"10\":1,"
                                        "\"11\":1,\"12\":1,\"13\":1,\"14\":1,\"15\":1,"
                                        "\"16\":1,\"17\":1,\"18\":1}"};
    struct reason why;
    for (size_t i = 0; i < countof(lines); i++) {
        fault_of(bytes_str(lines[i]), &why);
        assert_string_equal(why.text, "");
    }
}

static void test_bad(void **state) {
    (void)state;
    static const struct {
        const char *line;
        uint32_t at;
    } bad[] = {{"", 1},
               {"{", 1},
               {"[1", 1},
               {"[1,", 4},
               {"[1,]", 4},
               {"[,1]", 2},
               {"{\"a\"}", 5},
               {"{\"a\":}", 6},
               {"{\"a\":1,}", 8},
               {"{a:1}", 2},
               {"{\"a\":1 \"b\":2}", 8},
               {"[1 2]", 4},
               {"[1}", 3},
               {"{\"a\":1]", 7},
               {"01", 1},
               {"-01", 1},
               {"1.", 1},
               {".5", 1},
               {"+1", 1},
               {"1e", 1},
               {"1e+", 1},
               {"-", 1},
               {"NaN", 1},
               {"Infinity", 1},
               {"nul", 1},
               {"nullx", 5},
               {"True", 1},
               {"'a'", 1},
               {"\"a", 1},
               {"\"a\tb\"", 3},
               {"\"\\x\"", 2},
               {"\"\\u12\"", 2},
               {"\"\\u12g4\"", 2},
               {"\"\\ud800\"", 2},
               {"\"\\ud800\\u0041\"", 2},
               {"\"\\udc00\"", 2},
               {"\"a\\", 3},
               {"{} {}", 4},
               {"[1]x", 4},
               {"\"\xff\"", 2},
               {"\"\xc0\x80\"", 2},
               {"\"\xed\xa0\x80\"", 2},
               {"{\"a\":1,\"a\":2}", 8},
               {"{\"a\":1,\"\\u0061\":2}", 8},
               {"{\"x\":{\"a\":1,\"b\":{\"a\":0},\"a\":2}}", 25},
               {"// x", 1},
               {"[1,/* */2]", 4}};
    struct reason why;
    for (size_t i = 0; i < countof(bad); i++) {
        uint32_t at = fault_of(bytes_str(bad[i].line), &why);
        if (at != bad[i].at) print_error("%s: byte %u, %s\n", bad[i].line, at, why.text);
        assert_int_equal(at, bad[i].at);
    }
}

/* Tests a wide object, whose keys are sorted to find the one that stands twice, and limits, which are reported, not overrun. */
static void test_wide_and_deep(void **state) {
    (void)state;
    struct buf line = {0};
    struct err err = {0};
    struct reason why;
    assert_int_equal(buf_put_byte(&line, '{', &err), 0);
    for (int i = 0; i < 3000; i++) assert_int_equal(buf_printf(&line, &err, "\"k%d\":%d,", i, i), 0);
    size_t before = line.n;
    assert_int_equal(buf_printf(&line, &err, "\"k1234\":0}"), 0);
    assert_int_equal(fault_of(buf_bytes(&line), &why), before + 1);
    assert_string_equal(why.text, "the key \"k1234\" appears twice in its object");
    line.n = before;
    assert_int_equal(buf_printf(&line, &err, "\"last\":0}"), 0);
    assert_int_equal(fault_of(buf_bytes(&line), &why), 0);
    line.n = 0;
    for (int i = 0; i < JLINE_DEPTH_MAX; i++) assert_int_equal(buf_put_byte(&line, '[', &err), 0);
    for (int i = 0; i < JLINE_DEPTH_MAX; i++) assert_int_equal(buf_put_byte(&line, ']', &err), 0);
    assert_int_equal(fault_of(buf_bytes(&line), &why), 0);
    line.n = 0;
    for (int i = 0; i <= JLINE_DEPTH_MAX; i++) assert_int_equal(buf_put_byte(&line, '[', &err), 0);
    assert_int_equal(fault_of(buf_bytes(&line), &why), JLINE_DEPTH_MAX + 1);
    line.n = 0;
    assert_int_equal(buf_put_byte(&line, '{', &err), 0);
    for (int i = 0; i <= JLINE_KEYS_MAX; i++) assert_int_equal(buf_printf(&line, &err, "\"k%d\":%d,", i, i), 0);
    assert_true(fault_of(buf_bytes(&line), &why) > JLINE_KEYS_MAX);
    assert_string_equal(why.text, "the open objects have more than 65536 keys");
    buf_free(&line);
}

static void expect_at(const char *path, const char *line, enum jline_kind kind, const char *want) {
    struct jline_paths paths = {0};
    struct jline_scan s;
    struct err err = {0};
    struct reason why;
    uint32_t slot, same;
    assert_int_equal(jline_paths_add(&paths, bytes_str("$.other.way"), &slot, &err), 0);
    assert_int_equal(jline_paths_add(&paths, bytes_str(path), &slot, &err), 0);
    assert_int_equal(jline_paths_add(&paths, bytes_str(path), &same, &err), 0);
    assert_int_equal(slot, same);
    assert_int_equal(jline_scan_init(&s, &paths, &err), 0);
    for (int twice = 0; twice < 2; twice++) { /* nothing is left of the line before */
        assert_int_equal(jline_scan_line(&s, bytes_str(line), &why, &err), 1);
        assert_int_equal(s.values[slot].kind, kind);
        struct bytes text = kind ? jline_text(&s, &s.values[slot]) : bytes_of("", 0);
        assert_int_equal(text.n, strlen(want));
        assert_memory_equal(text.p, want, text.n);
    }
    assert_int_equal(jline_scan_line(&s, bytes_str("{}"), &why, &err), 1);
    assert_int_equal(s.values[slot].kind, strcmp(path, "$") ? JLINE_ABSENT : JLINE_OBJECT);
    jline_scan_free(&s);
    jline_paths_free(&paths);
}

static void test_paths(void **state) {
    (void)state;
    static const char line[] =
        "{\"a\":{\"b\":[10,{\"c\":\"x\\u00e9\\n\"},[true,null]],\"b c\":1.50},\"a.b\":-0,\"it's\":{\"\":\"e\"},"
        "\"n\":12345678901234567890.123e-400}";
    expect_at("a.b", line, JLINE_NUMBER, "-0"); /* a bare name is a key as it stands */
    expect_at("$['a.b']", line, JLINE_NUMBER, "-0");
    expect_at("$.a.b[0]", line, JLINE_NUMBER, "10");
    expect_at("$.a.b[1].c", line, JLINE_STRING, "x\xc3\xa9\n");
    expect_at("$.a['b'][2][0]", line, JLINE_TRUE, "true");
    expect_at("$.a.b[2][1]", line, JLINE_NULL, "null");
    expect_at("$.a.b[2]", line, JLINE_ARRAY, "[true,null]");
    expect_at("$.a.b[3]", line, JLINE_ABSENT, "");
    expect_at("$.a.b.c", line, JLINE_ABSENT, "");
    expect_at("$.a[0]", line, JLINE_ABSENT, "");
    expect_at("$.a[\"b c\"]", line, JLINE_NUMBER, "1.50");
    expect_at("$['it''s']['']", line, JLINE_STRING, "e");
    expect_at("n", line, JLINE_NUMBER, "12345678901234567890.123e-400");
    expect_at("$", "{\"z\": [1]}", JLINE_OBJECT, "{\"z\": [1]}");
    expect_at("$[1]", "[1,\"two\"]", JLINE_STRING, "two");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad),
                                       cmocka_unit_test(test_wide_and_deep), cmocka_unit_test(test_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
