/* References to halves of store files: as HBase 2.6 wrote them, as 0.94 did, and damaged at every byte. */
#include "formats/hbase/region_info.h"
#include "metadata_files.h"

static void expect_file(const char *name, bool top, const char *row) {
    struct reference r;
    struct err err = {0};
    char path[200];
    snprintf(path, sizeof path, SAMPLES "reference/%s", name);
    if (reference_read(path, &r, &err)) fail_msg("%s", err.text);
    assert_int_equal(r.top, top);
    if (!bytes_eq(buf_bytes(&r.split_row), bytes_str(row)))
        fail_msg("%s: split row is %.*s, wanted %s", name, (int)r.split_row.n, (char *)r.split_row.p, row);
    reference_free(&r);
}

static void of_real_regions(void **state) {
    (void)state;
    expect_file("split_cc4f", false, "row-00255");
    expect_file("split_cf8f", true, "row-00255");
    expect_file("merged", true, "row-008\xff");
}

/* false and a message, or a reference that says so much. */
static bool parses(const uint8_t *p, size_t n, struct reference *r, struct err *err) {
    struct bytes exact = exact_copy(bytes_of(p, n));
    *err = (struct err){0};
    int rc = reference_parse_file(exact, r, err);
    free_bytes(exact);
    if (rc) {
        assert_int_equal(err->code, ERR_INPUT);
        assert_null(r->split_row.p);
    }
    return rc == 0;
}

/* 0.94: boolean, vint, key. */
static void writable(void **state) {
    (void)state;
    static const uint8_t top[] = {1, 15, 0, 3, 'r', 'o', 'w', 0, 0x7f, 255, 255, 255, 255, 255, 255, 255, 255};
    static const uint8_t first_region[] = {0, 12, 0, 0, 0, 0x7f, 255, 255, 255, 255, 255, 255, 255, 255};
    struct reference r;
    struct err err;
    assert_true(parses(top, sizeof top, &r, &err));
    assert_true(r.top);
    assert_true(bytes_eq(buf_bytes(&r.split_row), bytes_str("row")));
    reference_free(&r);
    assert_true(parses(first_region, sizeof first_region, &r, &err));
    assert_false(r.top);
    assert_int_equal(r.split_row.n, 0);
    reference_free(&r);
    for (size_t n = 0; n < sizeof top; n++)
        if (parses(top, n, &r, &err)) fail_msg("the first %zu bytes pass", n);
}

static void truncated(void **state) {
    (void)state;
    struct bytes whole = read_sample(SAMPLES "reference/split_cf8f");
    struct reference r;
    struct err err;
    for (size_t n = 0; n < whole.n; n++)
        if (parses(whole.p, n, &r, &err)) fail_msg("the first %zu bytes pass", n);
    assert_true(parses(whole.p, whole.n, &r, &err));
    reference_free(&r);
    free_bytes(whole);
}

static void refused(const uint8_t *p, size_t n, const char *part) {
    struct reference r;
    struct err err;
    if (parses(p, n, &r, &err)) fail_msg("passes, wanted: %s", part);
    expect_said(&err, ERR_INPUT, part);
}

static void damaged(void **state) {
    (void)state;
    static const uint8_t key[] = {0, 3, 'r', 'o', 'w', 0, 1, 2, 3, 4, 5, 6, 7, 8, 255};
    static const uint8_t long_row[] = {0, 4, 'r', 'o', 'w', 0, 1, 2, 3, 4, 5, 6, 7, 8, 255};
    static const uint8_t negative_row[] = {0xff, 0xff, 'r', 'o', 'w', 0, 1, 2, 3, 4, 5, 6, 7, 8, 255};
    static const struct {
        struct bytes key;
        int range;
        const char *said;
    } cases[] = {{{key, sizeof key}, 2, "half 2"},
                 {{key, sizeof key}, -1, "which half"},
                 {{NULL, 0}, 0, "no split key"},
                 {{key, 3}, 0, "3 bytes is too short"},
                 {{key, 0}, 0, "0 bytes is too short"},
                 {{long_row, sizeof long_row}, 1, "cannot hold a row of 4 bytes"},
                 {{negative_row, sizeof negative_row}, 1, "cannot hold a row of 65535 bytes"}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct buf m = {0};
        struct err err = {0};
        assert_int_equal(buf_put(&m, "PBUF", 4, &err), 0);
        if (cases[i].key.p) assert_int_equal(pbwire_put_bytes(&m, 1, cases[i].key, &err), 0);
        if (cases[i].range >= 0) put_uint(&m, 2, (uint64_t)cases[i].range);
        refused(m.p, m.n, cases[i].said);
        buf_free(&m);
    }
    refused((const uint8_t *)"\2\1a", 3, "neither with PBUF nor with a boolean");
    refused((const uint8_t *)"", 0, "is empty");
    refused((const uint8_t *)"PBUF\x0a", 5, "malformed");
    refused((const uint8_t *)"\1\x8f\1", 3, "does not fit the file"); /* a length of -1 … */
    refused((const uint8_t *)"\1\3ab", 4, "does not fit the file");
    refused((const uint8_t *)"\1\1ab", 4, "does not fit the file");
}

/* Fields that are not known yet are passed over. */
static void newer(void **state) {
    (void)state;
    static const uint8_t key[] = {0, 1, 'r', 0, 1, 2, 3, 4, 5, 6, 7, 8, 255};
    struct buf m = {0};
    struct err err = {0};
    struct reference r;
    put_uint(&m, 9, 5);
    assert_int_equal(pbwire_put_bytes(&m, 1, bytes_of(key, sizeof key), &err), 0);
    put_uint(&m, 2, 1);
    put_text(&m, 3, "more");
    assert_int_equal(reference_parse(buf_bytes(&m), &r, &err), 0);
    assert_false(r.top);
    reference_free(&r);
    buf_free(&m);
}

static void unreadable(void **state) {
    (void)state;
    struct reference r;
    struct err err = {0};
    assert_int_equal(reference_read(SAMPLES "reference/none", &r, &err), -1);
    expect_said(&err, ERR_INPUT, SAMPLES "reference/none");
    err = (struct err){0};
    assert_int_equal(reference_read(SAMPLES "tableinfo/ns1.tab", &r, &err), -1);
    expect_said(&err, ERR_INPUT, SAMPLES "tableinfo/ns1.tab: ");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_real_regions), cmocka_unit_test(writable),
                                       cmocka_unit_test(truncated),       cmocka_unit_test(damaged),
                                       cmocka_unit_test(newer),           cmocka_unit_test(unreadable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
