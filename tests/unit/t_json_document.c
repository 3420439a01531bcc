/* JSON documents: which records are in them, wherever they are cut, and where a fault is. */
#include "formats/jsonl/json_document.h"
#include "formats/jsonl/json_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

/* Appends the records of a blanked chunk, each as "line:record|" without its blanks. */
static void put_records(struct bytes chunk, uint64_t *line, struct buf *out, struct err *err) {
    struct bytes record;
    while (json_document_take(&chunk, &record, line)) {
        assert_int_equal(buf_printf(out, err, "%llu:", (unsigned long long)*line), 0);
        for (size_t i = 0; i < record.n; i++) {
            *line += record.p[i] == '\r';
            if (record.p[i] > ' ') assert_int_equal(buf_put_byte(out, record.p[i], err), 0);
        }
        assert_int_equal(buf_put_byte(out, '|', err), 0);
    }
}

/* The records of text, read in windows that grow by `step` bytes; a fault as "!byte text". */
static void read_text(struct bytes text, const char *path, size_t step, struct buf *out) {
    struct json_document d;
    struct json_fault why;
    struct err err = {0};
    struct buf chunk = {0};
    size_t at = 0, n = step;
    uint64_t line = 1;
    bool good = true, last = false;
    assert_int_equal(json_document_init(&d, path ? bytes_str(path) : (struct bytes){0}, &err), 0);
    while (good && !last) {
        last = at + n >= text.n;
        struct bytes window = bytes_of(text.p + at, last ? text.n - at : n);
        size_t cut = last ? window.n : json_document_cut(&d, window);
        n += step;
        if (!cut && !last) continue;
        chunk.n = 0;
        assert_int_equal(buf_put(&chunk, window.p, cut, &err), 0);
        good = json_document_blank(&d, &chunk, last, &why);
        if (good) {
            put_records(buf_bytes(&chunk), &line, out, &err);
            /* Line ends behind the last record belong to the next chunk's beginning. */
            at += cut;
            n = step;
        } else {
            out->n = 0;
            assert_int_equal(buf_printf(out, &err, "!%zu %s", at + why.at, why.text), 0);
        }
    }
    buf_free(&chunk);
    json_document_free(&d);
}

static void expect(const char *text, const char *path, const char *want) {
    for (size_t step = 1; step < strlen(text) + 2; step++) {
        struct buf out = {0};
        struct err err = {0};
        read_text(bytes_str(text), path, step, &out);
        assert_int_equal(buf_put_byte(&out, 0, &err), 0);
        assert_string_equal((const char *)out.p, want);
        buf_free(&out);
    }
}

static void test_records(void **state) {
    (void)state;
    expect("[{\"a\":1},\n{\"a\":\n2}]", NULL, "1:{\"a\":1}|2:{\"a\":2}|");
    expect("[]", NULL, "");
    expect(" \n", NULL, "");
    expect("[null, 7,\"x,]\",[1,2],true]", NULL, "1:7|1:\"x,]\"|1:[1,2]|1:true|");
    expect("{\"a\":1}{\"a\":2}\n{\n\"a\":3}[4]", NULL, "1:{\"a\":1}|1:{\"a\":2}|2:{\"a\":3}|3:4|");
    expect("{\"a\":1}2{}3 \"x\"4[5,6]", NULL, "1:{\"a\":1}|1:2|1:{}|1:3|1:\"x\"|1:4|1:5|1:6|");
    expect("# comment [\n// {\nnull {\"a\":\"\\\"}\"}", NULL, "3:{\"a\":\"\\\"}\"}|");
    expect("[{\"a\r\":\r1},\n{\"b\r\n\":2},3]", NULL, "1:{\"a\":1}|2:{\"b\":2}|3:3|");
    expect("[\r\n{\r\n\"a\":1},\r\n2]\r\n", NULL, "2:{\"a\":1}|4:2|");
}

static void test_path(void **state) {
    (void)state;
    expect("{\"x\":{\"data\":[0]},\"data\":[1,{\"data\":[2]}],\"y\":[\"data\"]}", "$.data", "1:1|1:{\"data\":[2]}|");
    expect("{\"a\":{\"c\":[0],\"b\":[1]}, \"b\":[9]}", "$.a.b", "1:1|");
    expect("{\"a\":null}{\"a\":{\"b\":null}}{}{\"z\":1}", "$.a.b", "");
    expect("{\"\\u8ba2\\u5355\":[1]}", "\xe8\xae\xa2\xe5\x8d\x95", "1:1|");
    expect("[1,2]", "$", "1:1|1:2|");
    expect("{\"data\":5}", "$.data", "!8 \"rows\" leads to an array, but this is another value");
    expect("[{\"data\":[5]}]", "$.data", "!0 \"rows\" leads to an array, but this is another value");
}

static void test_faults(void **state) {
    (void)state;
    expect("[1,2", NULL, "!4 the document is cut off: it does not end here");
    expect("[1,{\"a\":", NULL, "!8 the document is cut off: it does not end here");
    expect("{\"data\":[1]", "$.data", "!11 the document is cut off: it does not end here");
    expect("[1 2]", NULL, "!3 expected ',' or ']'");
    expect("[1,]", NULL, "!3 expected a value");
    expect("[1],", NULL, "!3 expected a value");
    expect("{\"a\" 1}", "$.data", "!5 expected a colon after the key");
    expect("{\"a\":1 \"b\":2}", "$.data", "!7 expected ',' or '}'");
    expect("{a:1}", "$.data", "!1 expected a quoted key");
    expect("{\"a\":1,}", "$.data", "!7 expected a quoted key");
}

static void expect_layout(const char *text, enum json_layout want) {
    assert_int_equal(json_layout_of(bytes_str(text), true), want);
}

static void test_layouts(void **state) {
    (void)state;
    expect_layout("{\"a\":1}\n{\"a\":2}\n", JSON_LAYOUT_LINES);
    expect_layout("null\n# c\n{\"a\":1}", JSON_LAYOUT_LINES);
    expect_layout("{\"a\":1,\n{\"a\":2}\n", JSON_LAYOUT_LINES);
    expect_layout("{\"a\":1", JSON_LAYOUT_LINES);
    expect_layout("[1,2]\n[3,4]\n", JSON_LAYOUT_LINES);
    expect_layout("[{\"a\":1},{\"a\":2}]\n", JSON_LAYOUT_DOCUMENTS);
    expect_layout("[\n{\"a\":1}", JSON_LAYOUT_DOCUMENTS);
    expect_layout("{\n \"a\":1\n}", JSON_LAYOUT_DOCUMENTS);
    expect_layout("{\"a\":{\n \"b\":1}}", JSON_LAYOUT_DOCUMENTS);
    expect_layout("{\"a\":1}{\"a\":2}", JSON_LAYOUT_DOCUMENTS);
    expect_layout("{\"a\":1} {\"a\":2}", JSON_LAYOUT_DOCUMENTS);
    expect_layout("[section]\nkey=1\n", JSON_LAYOUT_OTHER);
    expect_layout("{x},1\n", JSON_LAYOUT_OTHER);
    expect_layout("id,name\n", JSON_LAYOUT_OTHER);
    expect_layout("\n null\n", JSON_LAYOUT_EMPTY);
    /* A long line goes on behind what is known. */
    assert_int_equal(json_layout_of(bytes_str("{\"a\":\"xxx"), false), JSON_LAYOUT_LINES);
    assert_int_equal(json_layout_of(bytes_str("[{\"a\":\"xxx"), false), JSON_LAYOUT_DOCUMENTS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_records), cmocka_unit_test(test_path), cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_layouts)};
    return cmocka_run_group_tests_name("json_document", tests, NULL, NULL);
}
