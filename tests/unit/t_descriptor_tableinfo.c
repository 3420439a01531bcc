/* The .tableinfo files of a table: which one of a directory counts, half-written ones, foreign and truncated content. */
#include "formats/hbase/descriptor.h"
#include "metadata_files.h"

#include "formats/hbase/metadata.h"

static struct bytes table_file(const char *name) {
    struct buf b = {0};
    struct err err = {0};
    assert_int_equal(buf_put(&b, "PBUF", 4, &err), 0);
    put_table_name(&b, 1, "default", name);
    return buf_bytes(&b);
}

static void put_file(const char *dir, const char *file, const char *table) {
    struct bytes b = table_file(table);
    write_sample(dir, file, b);
    free_bytes(b);
}

static void expect_table(const char *dir, const char *name) {
    struct hbase_table t;
    struct err err = {0};
    int rc = hbase_tableinfo_read(dir, &t, &err);
    if (rc != 1) fail_msg("%d %s, wanted table %s", rc, err.text, name);
    assert_string_equal(t.name, name);
    hbase_table_free(&t);
}

static void newest_file(void **state) {
    (void)state;
    struct hbase_table t;
    struct err err = {0};
    char *dir = make_directory(), missing[300];
    assert_int_equal(hbase_tableinfo_read(dir, &t, &err), 0);
    snprintf(missing, sizeof missing, "%s/none", dir);
    assert_int_equal(hbase_tableinfo_read(missing, &t, &err), 0);
    put_file(dir, ".tableinfo", "t0"); /* before there were sequence numbers */
    expect_table(dir, "t0");
    put_file(dir, ".tableinfo.0000000002", "t2");
    put_file(dir, ".tableinfo.0000000001", "t1");
    put_file(dir, ".tableinfo.0000000009.crc", "t9");
    put_file(dir, "..tableinfo.0000000010.crc", "t10");
    put_file(dir, ".tableinfo.x", "tx");
    put_file(dir, ".tableinfox.0000000011", "t11");
    expect_table(dir, "t2");
    put_file(dir, ".tableinfo.0000000010.19", "t10"); /* 4 magic, 2 + 9 + 4 */
    expect_table(dir, "t2");
    put_file(dir, ".tableinfo.0000000010.20", "t10");
    expect_table(dir, "t10");
    put_file(dir, ".tableinfo.0000000012.639", "t12"); /* half written */
    expect_table(dir, "t10");
    remove_directory(dir);
}

static void no_whole_file(void **state) {
    (void)state;
    struct hbase_table t;
    struct err err = {0};
    char *dir = make_directory();
    put_file(dir, ".tableinfo.0000000002.639", "t2");
    put_file(dir, ".tableinfo.0000000001.639", "t1");
    assert_int_equal(hbase_tableinfo_read(dir, &t, &err), -1);
    expect_said(&err, ERR_INPUT, ".tableinfo.0000000002.639: its length");
    remove_directory(dir);
}

static void other_content(void **state) {
    (void)state;
    struct hbase_table t;
    struct err err = {0};
    char *dir = make_directory();
    write_sample(dir, ".tableinfo.0000000001", bytes_of("\0\0\0\2\4test", 9));
    assert_int_equal(hbase_tableinfo_read(dir, &t, &err), -1);
    expect_said(&err, ERR_UNSUPPORTED, "version 2");
    err = (struct err){0};
    write_sample(dir, ".tableinfo.0000000001", bytes_str("text"));
    assert_int_equal(hbase_tableinfo_read(dir, &t, &err), -1);
    expect_said(&err, ERR_INPUT, ".tableinfo.0000000001: does not start with PBUF");
    err = (struct err){0};
    write_sample(dir, ".tableinfo.0000000001", bytes_str(""));
    assert_int_equal(hbase_tableinfo_read(dir, &t, &err), -1);
    expect_said(&err, ERR_INPUT, "PBUF");
    remove_directory(dir);
}

/* Cut anywhere: an error, or, between two fields, a table with fewer families. */
static void truncated(void **state) {
    (void)state;
    struct bytes whole = read_sample(SAMPLES "tableinfo/default.ttl_tab");
    size_t passed = 0;
    for (size_t n = 4; n < whole.n; n++) {
        struct hbase_table t;
        struct err err = {0};
        struct bytes exact = exact_copy(bytes_of(whole.p + 4, n - 4));
        if (hbase_table_parse(exact, &t, &err) == 0) {
            passed++;
            assert_true(t.n_families < 7);
            hbase_table_free(&t);
        } else {
            assert_int_equal(err.code, ERR_INPUT);
        }
        free_bytes(exact);
    }
    assert_int_equal(passed, 9); /* behind the name, two attributes, six families */
    free_bytes(whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest_file),
        cmocka_unit_test(no_whole_file),
        cmocka_unit_test(other_content),
        cmocka_unit_test(truncated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
