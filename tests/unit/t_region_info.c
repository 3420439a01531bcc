/* Regions: those that HBase 2.6 wrote give the names of their directories; made ones; damaged ones. */
#include "formats/hbase/region_info.h"
#include "metadata_files.h"

#include <dirent.h>

static void names_of_directories(void **state) {
    (void)state;
    DIR *d = opendir(SAMPLES "regioninfo");
    assert_non_null(d);
    int count = 0;
    for (struct dirent *e; (e = readdir(d));) {
        struct region_info r;
        struct err err = {0};
        char path[400];
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, SAMPLES "regioninfo/%s", e->d_name);
        if (region_info_read(path, &r, &err)) fail_msg("%s", err.text);
        assert_string_equal(r.encoded, e->d_name);
        assert_false(r.offline || r.split || r.replica);
        region_info_free(&r);
        count++;
    }
    closedir(d);
    assert_int_equal(count, 25);
}

static void of_a_daughter(void **state) {
    (void)state;
    struct region_info r;
    struct err err = {0};
    assert_int_equal(region_info_read(SAMPLES "regioninfo/cf8f6717651b78c65090860b13975388", &r, &err), 0);
    assert_string_equal(r.ns, "default");
    assert_string_equal(r.table, "split.tab-x");
    assert_true(bytes_eq(buf_bytes(&r.start), bytes_str("row-00255")));
    assert_true(bytes_eq(buf_bytes(&r.end), bytes_str("row-00420")));
    assert_true(r.id == 1700950426391);
    region_info_free(&r);
    assert_int_equal(region_info_read(SAMPLES "regioninfo/39b0adf39e6dd9ae7983179daa163c0a", &r, &err), 0);
    assert_string_equal(r.ns, "ns1");
    assert_string_equal(r.table, "tab");
    assert_int_equal(r.start.n + r.end.n, 0);
    region_info_free(&r);
}

/* Bare message: TableName 2, keys 3 and 4, flags 5 and 6, replica 7. */
static struct buf message(const char *ns, const char *table, uint64_t id, const char *start) {
    struct buf m = {0};
    put_uint(&m, 1, id);
    put_table_name(&m, 2, ns, table);
    put_text(&m, 3, start);
    return m;
}

static struct region_info parse(struct buf *m) {
    struct region_info r;
    struct err err = {0};
    struct bytes exact = exact_copy(buf_bytes(m));
    if (region_info_parse(exact, &r, &err)) fail_msg("%s", err.text);
    free_bytes(exact);
    buf_free(m);
    return r;
}

static void expect_encoded(struct buf m, const char *encoded) {
    struct region_info r = parse(&m);
    assert_string_equal(r.encoded, encoded);
    region_info_free(&r);
}

/* md5sum of `codecs,.mob,0` and `t,a,5_001B`. */
static void encoded_names(void **state) {
    (void)state;
    expect_encoded(message("default", "codecs", 0, ".mob"), "2897294da99fe268118344c0143cf50a");
    expect_encoded(message("hbase", "meta", 1, ""), "1588230740");
    struct buf replica = message("default", "t", 5, "a");
    put_uint(&replica, 7, 0x1b);
    expect_encoded(replica, "4f9b8bcca503bd1ab202442d1422cdda");
}

static void flags(void **state) {
    (void)state;
    struct buf m = message("n", "t", 7, "");
    put_text(&m, 4, "z");
    put_uint(&m, 5, 1);
    put_uint(&m, 6, 1);
    put_uint(&m, 7, 65535);
    put_uint(&m, 99, 1);
    struct region_info r = parse(&m);
    assert_true(r.offline && r.split);
    assert_int_equal(r.replica, 65535);
    assert_int_equal(r.id, 7);
    assert_true(bytes_eq(buf_bytes(&r.end), bytes_str("z")));
    region_info_free(&r);
}

static void refused(struct buf m, const char *part) {
    struct region_info r;
    struct err err = {0};
    assert_int_equal(region_info_parse(buf_bytes(&m), &r, &err), -1);
    expect_said(&err, ERR_INPUT, part);
    assert_null(r.ns);
    buf_free(&m);
}

static void damaged(void **state) {
    (void)state;
    refused((struct buf){0}, "has no id");
    refused(message("n", "", 1, ""), "not the name of a table");
    refused(message("n", "../t", 1, ""), "'../t' is not the name of a table");
    refused(message("n", ".t", 1, ""), "not the name of a table");
    refused(message("n/m", "t", 1, ""), "'n/m' is not the name of a namespace");
    refused(message("", "t", 1, ""), "'' is not the name of a namespace");
    refused(message("n", "t\nx", 1, ""), "'t?x' is not the name of a table");
    struct buf m = message("n", "t", 1, "");
    put_uint(&m, 7, 65536);
    refused(m, "replica 65536");
    m = (struct buf){0};
    put_uint(&m, 1, 1);
    refused(m, "has no table");
    m = message("n", "t", 1, "");
    m.p[m.n - 1] = 9;
    refused(m, "malformed");
}

static int read_bytes(struct bytes content, struct err *err) {
    struct region_info r;
    char *dir = make_directory(), path[300];
    write_sample(dir, ".regioninfo", content);
    snprintf(path, sizeof path, "%s/.regioninfo", dir);
    int rc = region_info_read(path, &r, err);
    if (rc && !strstr(err->text, path)) fail_msg("'%s' does not name %s", err->text, path);
    if (!rc) region_info_free(&r);
    remove_directory(dir);
    return rc;
}

static void truncated(void **state) {
    (void)state;
    struct bytes whole = read_sample(SAMPLES "regioninfo/cf8f6717651b78c65090860b13975388");
    for (size_t n = 0; n < whole.n; n++) {
        struct err err = {0};
        if (read_bytes(bytes_of(whole.p, n), &err) == 0) fail_msg("the first %zu bytes pass", n);
        assert_int_equal(err.code, ERR_INPUT);
    }
    free_bytes(whole);
}

/* 0.95 to 1.x put a text for people behind the message. */
static void text_after(void **state) {
    (void)state;
    struct bytes whole = read_sample(SAMPLES "regioninfo/cf8f6717651b78c65090860b13975388");
    struct buf b = {0};
    struct err err = {0};
    assert_int_equal(buf_copy(&b, whole, &err), 0);
    assert_int_equal(buf_printf(&b, &err, "\n\n{ENCODED => …}"), 0);
    assert_int_equal(read_bytes(buf_bytes(&b), &err), 0);
    buf_free(&b);
    free_bytes(whole);
}

static void no_form_of_ours(void **state) {
    (void)state;
    struct err err = {0};
    assert_int_equal(read_bytes(bytes_of("\2\0\0\0\0\1\2\3rest", 12), &err), -1);
    expect_said(&err, ERR_UNSUPPORTED, "version 2");
    err = (struct err){0};
    assert_int_equal(read_bytes(bytes_str("garbage"), &err), -1);
    expect_said(&err, ERR_INPUT, "PBUF");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_directories),
                                       cmocka_unit_test(of_a_daughter),
                                       cmocka_unit_test(encoded_names),
                                       cmocka_unit_test(flags),
                                       cmocka_unit_test(damaged),
                                       cmocka_unit_test(truncated),
                                       cmocka_unit_test(text_after),
                                       cmocka_unit_test(no_form_of_ours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
