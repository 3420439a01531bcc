/* Values of exported records: both forms, what is absent, and everything that is wrong with one. */

#include "cell/cell.h"
#include "formats/seqfile/hbase_result.h"
#include "seqfile_make.h"

#include <stdlib.h>

/* All cells as text, then the error, from an exact heap copy so that a sanitizer sees every overrun. */
static void expect(struct bytes value, const char *want) {
    struct err err = {0}, none = {0};
    struct buf text = {0};
    struct hbase_result r;
    struct result_cell c;
    uint8_t *copy = malloc(value.n + !value.n);
    assert_non_null(copy);
    if (value.n) memcpy(copy, value.p, value.n);
    int rc = hbase_result_open(&r, bytes_of(copy, value.n), &err) ? -1 : 1;
    while (rc > 0 && (rc = hbase_result_next(&r, &c, &err)) > 0) {
        struct row_part part = {.row = c.row, .family = c.family, .cells = &c.cell, .n_cells = 1};
        make_ok(cells_print(&text, &part, &none));
    }
    assert_true((rc < 0) == (err.code == ERR_INPUT));
    make_put(&text, err.text, strlen(err.text) + 1);
    assert_string_equal((char *)text.p, want);
    buf_free(&text);
    free(copy);
}

static void test_protobuf(void **state) {
    (void)state;
    struct buf cells = {0}, value = {0};
    expect(make_value(&value, &cells, false), "");
    make_pb_cell(&cells, (struct make_cell){"r", "f", "q", "v", 5, 4, {0}});
    make_pb_cell(&cells, (struct make_cell){NULL, NULL, NULL, NULL, INT64_MAX, 12, {0}});
    make_pb_cell(&cells, (struct make_cell){"r", "", "", "", 0, 255, bytes_of("\0\2\7x", 4)});
    make_pb_cell(&cells, (struct make_cell){"r", "f", "q", "v", -1, 300, {0}});
    make_pb_cell(&cells, (struct make_cell){"r", "f", "q", "v", 1, 5, {0}});
    make_ok(pbwire_put_uint(&cells, 2, 5, &(struct err){0}));
    make_ok(pbwire_put_uint(&cells, 3, 1, &(struct err){0}));
    make_ok(pbwire_put_uint(&cells, 5, 1, &(struct err){0}));
    make_ok(pbwire_put_bytes(&cells, 77, bytes_str("of a later HBase"), &(struct err){0}));
    expect(make_value(&value, &cells, false), "72\t66\t71\t5\t4\t0\t76\t-\n"
                                              "-\t-\t-\t9223372036854775807\t12\t0\t-\t-\n"
                                              "72\t-\t-\t0\t255\t0\t-\t00020778\n"
                                              "72\t66\t71\t-1\t0\t0\t76\t-\n"
                                              "72\t66\t71\t1\t5\t0\t76\t-\n");
    buf_free(&cells);
    buf_free(&value);
}

static void test_writable(void **state) {
    (void)state;
    struct buf cells = {0}, value = {0};
    expect(bytes_of("\0\0\0\0", 4), "");
    make_94_cell(&cells, (struct make_cell){"r1", "f1", "c1", "val1", 1383766761171, 4, {0}});
    make_94_cell(&cells, (struct make_cell){"r1", "f1", "", "", 1, 14, {0}});
    expect(make_value(&value, &cells, true), "7231\t6631\t6331\t1383766761171\t4\t0\t76616c31\t-\n"
                                             "7231\t6631\t-\t1\t14\t0\t-\t-\n");
    assert_int_equal(value.n, 4 + 4 + 8 + 12 + 2 + 2 + 2 + 4 + 4 + 8 + 12 + 2 + 2);
    buf_free(&cells);
    buf_free(&value);
}

/* A protobuf value of 16 MiB and more begins with a byte that a 0.94 value could begin with, and the other way round. */
static void test_forms_are_told_apart(void **state) {
    (void)state;
    struct buf cells = {0}, value = {0};
    char *big = malloc(17u << 20);
    assert_non_null(big);
    memset(big, 'x', 17u << 20);
    big[(17u << 20) - 1] = 0;
    for (int writable = 0; writable < 2; writable++) {
        struct hbase_result r;
        struct result_cell c;
        struct err err = {0};
        buf_clear(&cells);
        if (writable)
            make_94_cell(&cells, (struct make_cell){"r", "f", "q", big, 1, 4, {0}});
        else
            make_pb_cell(&cells, (struct make_cell){"r", "f", "q", big, 1, 4, {0}});
        make_ok(hbase_result_open(&r, make_value(&value, &cells, writable), &err));
        assert_int_equal(r.writable, writable);
        assert_int_equal(hbase_result_next(&r, &c, &err), 1);
        assert_int_equal(c.cell.value.n, strlen(big));
        assert_int_equal(hbase_result_next(&r, &c, &err), 0);
    }
    free(big);
    buf_free(&cells);
    buf_free(&value);
}

static void test_damage(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        const char *want;
    } cases[] = {
        {"", 0, "the value of 0 bytes is neither a protobuf Result nor one of HBase 0.94"},
        {"\5\1\1", 3, "the value of 3 bytes is neither a protobuf Result nor one of HBase 0.94"},
        {"\1\0\0", 3, "the value of 3 bytes is neither a protobuf Result nor one of HBase 0.94"},
        {"\0\0\0\1", 4, "the value of 4 bytes is neither a protobuf Result nor one of HBase 0.94"},
        {"\2\xa\5", 3, "malformed protobuf before byte 2 of the value"},
        {"\2\x8\5", 3, "malformed cell before byte 3 of the value"},
        {"\4\xa\2\x8\1", 5, "malformed cell before byte 5 of the value"},
        {"\4\xa\2\x22\0", 5, "malformed cell before byte 5 of the value"},
        {"\4\xa\2\x2a\0", 5, "malformed cell before byte 5 of the value"},
        {"\4\xa\0\x10\2", 5, "-\t-\t-\t0\t0\t0\t-\t-\nthe value holds 1 cell, but announces 2"},
        {"\2\x13\x14", 3, "malformed protobuf before byte 2 of the value"},
        {"\0\0\0\3abc", 7, "a cell does not fit before byte 4 of the value"},
        {"\0\0\0\4\0\0\0\1", 8, "a cell does not fit before byte 4 of the value"},
        {"\0\0\0\4\0\0\0\0", 8, "malformed KeyValue before byte 8 of the value"},
        {"\0\0\0\xc\0\0\0\x8\0\0\0\0\0\0\0\0", 16, "malformed KeyValue before byte 16 of the value"},
        {"\0\0\0\x18\0\0\0\x14\0\0\0\xc\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\4", 28, "malformed KeyValue before byte 28 of the value"},
        {"\0\0\0\x18\0\0\0\x14\0\0\0\xc\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\4", 28, "malformed KeyValue before byte 28 of the value"},
        {"\0\0\0\x18\0\0\0\x14\0\0\0\xc\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4", 28, "-\t-\t-\t0\t4\t0\t-\t-\n"},
    };
    for (size_t i = 0; i < countof(cases); i++) expect(bytes_of(cases[i].bytes, cases[i].n), cases[i].want);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_protobuf),
        cmocka_unit_test(test_writable),
        cmocka_unit_test(test_forms_are_told_apart),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
