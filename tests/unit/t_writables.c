/* Regions and tables as HBase 0.90 to 0.94 described them: files that 0.94 wrote, cut at every byte, and made ones. */
#include "formats/hbase/descriptor.h"
#include "formats/hbase/region_info.h"
#include "formats/hbase/writables.h"
#include "metadata_files.h"

#include "formats/hbase/metadata.h"

static struct region_info read_region(const char *name) {
    struct region_info r;
    struct err err = {0};
    char path[300];
    snprintf(path, sizeof path, SAMPLES "older/%s", name);
    if (region_info_read(path, &r, &err)) fail_msg("%s", err.text);
    return r;
}

static void expect_range(const struct region_info *r, const char *start, const char *end) {
    assert_true(bytes_eq(buf_bytes(&r->start), bytes_str(start)));
    assert_true(bytes_eq(buf_bytes(&r->end), bytes_str(end)));
}

/* A parent and its daughters: each encodes to the name of its directory. */
static void regions_of_0_94(void **state) {
    (void)state;
    static const char *const want[][3] = {{"3bf47d1f71302909a73ea10023a3e220", "", ""},
                                          {"d84690c829ed99b87b999b762858325f", "", "row020"},
                                          {"e545211e0c9d67057c10bc2a5527fa19", "row020", ""}};
    for (size_t i = 0; i < countof(want); i++) {
        struct region_info r = read_region(want[i][0]);
        assert_string_equal(r.encoded, want[i][0]);
        assert_string_equal(r.ns, "default");
        assert_string_equal(r.table, "users");
        assert_false(r.short_name || r.offline || r.split);
        expect_range(&r, want[i][1], want[i][2]);
        region_info_free(&r);
    }
}

/* Version 0 holds the table's description. */
static void regions_of_0_90(void **state) {
    (void)state;
    static const char *const names[] = {"v0_region.regioninfo", "v0_parent.regioninfo"};
    for (size_t i = 0; i < countof(names); i++) {
        struct region_info r = read_region(names[i]);
        assert_string_equal(r.table, "old");
        assert_string_equal(r.encoded, "80c6d5316bf364db92a900f892567b3a");
        assert_true(r.id == 1234567890123);
        assert_int_equal(r.offline, i);
        assert_int_equal(r.split, i);
        expect_range(&r, "b", "m");
        region_info_free(&r);
    }
}

/* The text for people, which is ignored, begins with two line ends. */
static size_t described(struct bytes whole) {
    const uint8_t *text = memmem(whole.p, whole.n, "\n\n", 2);
    assert_non_null(text);
    return (size_t)(text - whole.p);
}

static void cut_regions(void **state) {
    (void)state;
    static const char *const names[] = {"older/v0_region.regioninfo", "older/e545211e0c9d67057c10bc2a5527fa19"};
    for (size_t i = 0; i < countof(names); i++) {
        char path[300];
        snprintf(path, sizeof path, SAMPLES "%s", names[i]);
        struct bytes whole = read_sample(path);
        for (size_t n = 0; n <= described(whole); n++) {
            struct region_info r = {0};
            struct err err = {0};
            struct bytes cut = exact_copy(bytes_of(whole.p, n));
            int rc = writable_region_parse(cut, &r, &err);
            assert_int_equal(rc, n == described(whole) ? 0 : -1);
            if (rc) assert_int_equal(err.code, ERR_INPUT);
            region_info_free(&r);
            free_bytes(cut);
        }
        free_bytes(whole);
    }
}

static int parse_table(struct bytes content, struct hbase_table *t, struct err *err) {
    struct buf message = {0};
    int rc = writable_table_message(content, &message, err);
    if (!rc) rc = hbase_table_parse(buf_bytes(&message), t, err);
    buf_free(&message);
    return rc;
}

static void table_of_0_94(void **state) {
    (void)state;
    struct hbase_table t;
    struct err err = {0};
    struct bytes whole = read_sample(SAMPLES "older/users.tableinfo");
    if (parse_table(whole, &t, &err)) fail_msg("%s", err.text);
    assert_string_equal(t.ns, "default");
    assert_string_equal(t.name, "users");
    assert_int_equal(t.n_families, 2);
    assert_string_equal(t.families[0].name, "f");
    assert_int_equal(t.families[0].rules.versions, 2);
    assert_int_equal(t.families[0].rules.ttl_s, 1000000000);
    assert_string_equal(t.families[0].bloom, "ROW");
    assert_string_equal(t.families[1].name, "g");
    assert_int_equal(t.families[1].rules.versions, 5);
    assert_int_equal(t.families[1].rules.ttl_s, 0);
    hbase_table_free(&t);
    for (size_t n = 0; n < described(whole); n++) {
        struct bytes cut = exact_copy(bytes_of(whole.p, n));
        err = (struct err){0};
        assert_int_equal(parse_table(cut, &t, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        free_bytes(cut);
    }
    free_bytes(whole);
}

/* Version 4, name "t", no attributes, one family "f" without any: 3 versions were kept. */
static void defaults_of_0_94(void **state) {
    (void)state;
    char made[] = "\0\0\0\4\1t\0\0\0\0\0\0\0\0\0\1\x9\1f\0\0\0\0";
    struct hbase_table t;
    struct err err = {0};
    if (parse_table(bytes_of(made, sizeof made - 1), &t, &err)) fail_msg("%s", err.text);
    assert_int_equal(t.n_families, 1);
    assert_int_equal(t.families[0].rules.versions, 3);
    hbase_table_free(&t);
    made[16] = 7;
    assert_int_equal(parse_table(bytes_of(made, sizeof made - 1), &t, &err), -1);
    expect_said(&err, ERR_UNSUPPORTED, "a family described by version 7");
    made[3] = 6;
    err = (struct err){0};
    assert_int_equal(parse_table(bytes_of(made, sizeof made - 1), &t, &err), -1);
    expect_said(&err, ERR_UNSUPPORTED, "a table described by version 6");
}

/* HBase 0.20 named the directories of regions by another hash: `table,start,id` without a dot at its end. */
static void short_names(void **state) {
    (void)state;
    struct region_info r = {0};
    struct err err = {0};
    struct bytes made = bytes_of("\1\1b\0\0\0\0\0\0\0\0\7\5t,a,7\0\1a\1t\0\0\0\0", 27);
    if (writable_region_parse(made, &r, &err)) fail_msg("%s", err.text);
    assert_true(r.short_name);
    assert_true(r.id == 7);
    expect_range(&r, "a", "b");
    region_info_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(regions_of_0_94),  cmocka_unit_test(regions_of_0_90),
                                       cmocka_unit_test(cut_regions),      cmocka_unit_test(table_of_0_94),
                                       cmocka_unit_test(defaults_of_0_94), cmocka_unit_test(short_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
