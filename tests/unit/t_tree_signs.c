/* Where the directories of HBase begin, by the names of members. */
#include "formats/archive/archive_tree_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

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
    EXPECT_DIR("x: holds several directories of HBase, say which is to be read, as in x!a: a, b",
               "a/.hbase-snapshot/s/.snapshotinfo", "b/.hbase-snapshot/s/.snapshotinfo");
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_signs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
