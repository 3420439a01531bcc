/* Names in archives lead nowhere outside: names are cleaned, files stay in their private directory, even if a link is put in the
 * way; and where a directory tree of HBase begins, by the names of members. */
#include "base/fs.h"
#include "formats/archive/archive_kind.h"
#include "formats/archive/archive_tree_state.h"
#include "formats/archive/tree_signs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static void test_clean_names(void **state) {
    (void)state;
    static const char *const clean[][2] = {{"a/b", "a/b"}, {"/a//b/", "a/b"}, {"./a/./b/.", "a/b"},
                                           {"", ""},       {"/", ""},         {"...", "..."}};
    static const char *const bad[] = {"..", "a/..", "a/../b", "/../a"};
    struct buf b = {0};
    struct err err = {0};
    for (size_t i = 0; i < countof(clean); i++) {
        assert_int_equal(member_name_clean(clean[i][0], &b, &err), 1);
        assert_string_equal((char *)b.p, clean[i][1]);
    }
    for (size_t i = 0; i < countof(bad); i++) assert_int_equal(member_name_clean(bad[i], &b, &err), 0);
    buf_free(&b);
}

/* A link that is put in the way leads nowhere. */
static void test_directory_and_links(void **state) {
    (void)state;
    struct private_directory f;
    struct err err = {0};
    char path[200];
    assert_int_equal(private_directory_make(&f, "/tmp", &err), 0);
    snprintf(path, sizeof path, "%s/way", f.path);
    assert_int_equal(symlink("/tmp", path), 0);
    assert_int_equal(private_directory_file(&f, "way/x", &err), -1);
    assert_true(err.code == ERR_INPUT || err.code == ERR_OUTPUT);
    err = (struct err){0};
    assert_int_equal(private_directory_add(&f, "way", &err), -1);
    err = (struct err){0};
    assert_int_equal(private_directory_open(&f, "nothing/here", &err), -1);
    assert_int_equal(err.code, ERR_NONE);
    int fd = private_directory_file(&f, "way", &err); /* replaces the link itself */
    assert_true(fd >= 0);
    close(fd);
    private_directory_remove(&f);
    assert_int_equal(fs_exists(path, &err), 0);
}

static void expect_dir(const char *const *names, size_t n, const char *want) {
    struct tree_signs s = {0};
    struct err err = {0};
    for (size_t i = 0; i < n; i++) assert_int_equal(tree_signs_note(&s, names[i], &err), 0);
    assert_int_equal(tree_signs_any(&s), want != NULL);
    const char *dir = want ? tree_signs_dir(&s, "x", &err) : NULL;
    if (!dir && want) assert_non_null(strstr(err.text, want));
    if (dir) assert_string_equal(dir, want);
    tree_signs_free(&s);
}

#define EXPECT_DIR(want, ...) expect_dir((const char *[]){__VA_ARGS__}, countof(((const char *[]){__VA_ARGS__})), want)

static void test_signs(void **state) {
    (void)state;
    EXPECT_DIR(NULL, "a/b", "data", "a.regioninfo", "hbase.version/x", "");
    EXPECT_DIR("", ".hbase-snapshot/s/data.manifest", "data/default/t/.tabledesc/.tableinfo.1");
    EXPECT_DIR("N/h", "N/e/x.tsv", "N/h/.hbase-snapshot", "N/h/hbase.version", "N/h/archive/data/default/t/.tabledesc");
    EXPECT_DIR("N/h", "N/h/mobdir/data/default/t/0123/.regioninfo");
    EXPECT_DIR("N/h", "N/h/.tmp/data/default/t/0123/.regioninfo");
    EXPECT_DIR("t", "t/.tabledesc/.tableinfo.1", "t/0123/.regioninfo", "t/0123/f/.filelist/f1.1");
    EXPECT_DIR("x", "x/t/.tabledesc/.tableinfo.1", "x/u/.tabledesc/.tableinfo.1");
    EXPECT_DIR("", "t/.tabledesc/.tableinfo.1", "tu/.tabledesc/.tableinfo.1");
    EXPECT_DIR("", "0123/.regioninfo");
    EXPECT_DIR("", ".regioninfo");
    EXPECT_DIR("s", "s/.snapshotinfo", "s/data.manifest");
    EXPECT_DIR("x: holds several HBase directories; choose one, as in x!a; it holds: a, b", "a/.hbase-snapshot/s/.snapshotinfo",
               "b/.hbase-snapshot/s/.snapshotinfo");
    struct tree_signs s = {0};
    struct err err = {0};
    char name[40];
    for (int i = 0; i < 3 * TREE_ROOTS_MAX; i++) {
        snprintf(name, sizeof name, "r%d/hbase.version", i);
        assert_int_equal(tree_signs_note(&s, name, &err), 0);
    }
    assert_null(tree_signs_dir(&s, "x", &err));
    assert_non_null(strstr(err.text, "r19, …"));
    tree_signs_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clean_names), cmocka_unit_test(test_directory_and_links),
                                       cmocka_unit_test(test_signs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
