/* The kind of a directory, and the tables and snapshots of a root: real ones, cut-outs, and those of 0.94. */
#include "formats/hbase/store_files.h"
#include "formats/hbase/tree_catalog.h"
#include "hbase_tree.h"

#define REGION "0123456789abcdef0123456789abcdef"
#define FILE_A "00000000000000000000000000000aaa"
#define FILE_B "00000000000000000000000000000bbb"

static enum tree_kind kind_of(const char *dir) {
    enum tree_kind kind;
    struct err err = {0};
    if (tree_kind_of(dir, &kind, &err)) fail_msg("%s", err.text);
    return kind;
}

static void directories_are_known_by_their_names(void **state) {
    struct tree t;
    (void)state;
    tree_open(&t);
    tree_unpack(&t, "a1_snapshot");
    tree_unpack(&t, "a2_snapshot_archived");
    tree_unpack(&t, "e_codecs_mob");
    tree_unpack(&t, "g_export_snapshot");
    const char *root = tree_path(&t, "a1_snapshot/hbase"), *region = "32b5529da944e6cf8bd7acbb6b456ab2";
    assert_int_equal(kind_of(root), TREE_ROOT);
    assert_int_equal(kind_of(tree_path(&t, "a1_snapshot/hbase/")), TREE_ROOT);
    assert_int_equal(kind_of(tree_path(&t, "a1_snapshot/hbase/data")), TREE_ROOT);
    assert_int_equal(kind_of(tree_path(&t, "a1_snapshot/hbase/data/default")), TREE_ROOT);
    assert_int_equal(kind_of(tree_path(&t, "a1_snapshot/hbase/data/default/simple")), TREE_TABLE);
    assert_int_equal(kind_of(tree_path(&t, "a1_snapshot/hbase/data/default/simple/%s", region)), TREE_REGION);
    assert_int_equal(kind_of(tree_path(&t, "a1_snapshot/hbase/data/default/simple/%s/cf1", region)), TREE_FAMILY);
    assert_int_equal(kind_of(tree_path(&t, "a1_snapshot/hbase/.hbase-snapshot/snap_a")), TREE_SNAPSHOT);
    assert_int_equal(kind_of(tree_path(&t, "a2_snapshot_archived/hbase/archive")), TREE_ROOT);
    assert_int_equal(kind_of(tree_path(&t, "a2_snapshot_archived/hbase/archive/data/default/simple")), TREE_TABLE);
    assert_int_equal(kind_of(tree_path(&t, "a2_snapshot_archived/hbase/archive/data/default/simple/%s", region)), TREE_REGION);
    assert_int_equal(kind_of(tree_path(&t, "e_codecs_mob/hbase/mobdir")), TREE_ROOT);
    assert_int_equal(kind_of(tree_path(&t, "e_codecs_mob/hbase/mobdir/data/default/codecs")), TREE_TABLE);
    assert_int_equal(kind_of(tree_path(&t, "g_export_snapshot/snap_a")), TREE_ROOT);
    tree_close(&t);
}

static void cut_outs_are_known_by_what_is_in_them(void **state) {
    struct tree t;
    (void)state;
    tree_open(&t);
    tree_put_text(tree_path(&t, "cut/data/ns/tab/" REGION "/f/" FILE_A), "x");
    tree_put_text(tree_path(&t, "bulk/f/" FILE_A), "x");
    tree_put_text(tree_path(&t, "bulk/_SUCCESS"), "");
    tree_put_text(tree_path(&t, "old/tab/" REGION "/f/" FILE_A), "x");
    tree_put_text(tree_path(&t, "other/a/b/c.csv"), "x");
    tree_put_text(tree_path(&t, "days/20240101"), "x");
    tree_put_region(tree_path(&t, "full"), "full", "", "", 1);
    tree_put_text(tree_path(&t, "full/" REGION "/.regioninfo"), "");
    tree_put_text(tree_path(&t, "full/" REGION "/f/.hidden"), "");
    assert_int_equal(kind_of(tree_path(&t, "cut")), TREE_ROOT);
    assert_int_equal(kind_of(tree_path(&t, "cut/data/ns/tab")), TREE_TABLE);
    assert_int_equal(kind_of(tree_path(&t, "bulk")), TREE_REGION);
    assert_int_equal(kind_of(tree_path(&t, "bulk/f")), TREE_FAMILY);
    assert_int_equal(kind_of(tree_path(&t, "old")), TREE_ROOT);
    assert_int_equal(kind_of(tree_path(&t, "other")), TREE_NONE);
    assert_int_equal(kind_of(tree_path(&t, "days")), TREE_NONE);
    assert_int_equal(kind_of(tree_path(&t, "full/" REGION "/f")), TREE_FAMILY);
    assert_non_null(strstr(fails(tree_path(&t, "other"), ERR_INPUT), "not an HBase directory"));
    assert_non_null(strstr(fails(tree_path(&t, "none"), ERR_INPUT), "No such file"));
    assert_non_null(strstr(fails(tree_path(&t, "cut"), ERR_USAGE), "choose which to read"));
    struct store_files s = read_good(tree_path(&t, "bulk"));
    assert_int_equal(s.n_files, 1);
    assert_string_equal(s.table.families[0].name, "f");
    assert_false(s.table.families[0].rules.versions_given);
    assert_int_equal(s.warnings.n, 0);
    store_files_free(&s);
    tree_close(&t);
}

static void expect_entry(const struct tree_catalog *c, size_t i, const char *ns, const char *table, const char *snapshot) {
    assert_true(i < c->n);
    assert_string_equal(c->entries[i].ns, ns);
    assert_string_equal(c->entries[i].table, table);
    if (snapshot)
        assert_string_equal(c->entries[i].snapshot, snapshot);
    else
        assert_null(c->entries[i].snapshot);
}

static void a_root_lists_tables_and_snapshots(void **state) {
    struct tree t;
    struct tree_catalog c;
    struct err err = {0};
    (void)state;
    tree_open(&t);
    tree_unpack(&t, "f_namespace");
    tree_unpack(&t, "g_export_snapshot");
    assert_int_equal(tree_catalog_read(tree_path(&t, "f_namespace/hbase"), &c, &err), 0);
    assert_int_equal(c.n, 4);
    expect_entry(&c, 0, "ns1", "tab", NULL);
    expect_entry(&c, 1, "ns_2", "tab-clone", NULL);
    expect_entry(&c, 2, "ns1", "tab", "snap_f");
    expect_entry(&c, 3, "ns_2", "tab-clone", "snap_f_clone");
    assert_string_equal(c.entries[0].dir, tree_path(&t, "f_namespace/hbase/data/ns1/tab"));
    tree_catalog_free(&c);
    assert_int_equal(tree_catalog_read(tree_path(&t, "f_namespace/hbase/data/ns1"), &c, &err), 0);
    assert_int_equal(c.n, 1);
    expect_entry(&c, 0, "ns1", "tab", NULL);
    tree_catalog_free(&c);
    assert_int_equal(tree_catalog_read(tree_path(&t, "f_namespace/hbase/data"), &c, &err), 0);
    assert_int_equal(c.n, 2);
    tree_catalog_free(&c);
    assert_int_equal(tree_catalog_read(tree_path(&t, "g_export_snapshot/snap_c"), &c, &err), 0);
    assert_int_equal(c.n, 1);
    expect_entry(&c, 0, "default", "orig_c", "snap_c");
    tree_catalog_free(&c);
    tree_close(&t);
}

static void a_snapshot_is_found_by_name(void **state) {
    struct tree t;
    struct store_files s;
    struct err err = {0};
    (void)state;
    tree_open(&t);
    tree_unpack(&t, "f_namespace");
    assert_int_equal(store_files_of_snapshot(tree_path(&t, "f_namespace/hbase"), "snap_f", (struct list_room){0}, &s, &err), 0);
    assert_string_equal(s.what, "snapshot snap_f of table ns1:tab");
    assert_int_equal(s.n_files, 1);
    store_files_free(&s);
    assert_int_equal(store_files_of_snapshot(tree_path(&t, "f_namespace/hbase"), "../data", (struct list_room){0}, &s, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    assert_non_null(strstr(err.text, "it holds: snap_f, snap_f_clone"));
    store_files_free(&s);
    tree_close(&t);
}

/* 0.94: no data/, no namespaces; and a descriptor of a form older than that, which is passed over. */
static void old_roots_are_read_without_descriptions(void **state) {
    struct tree t;
    struct tree_catalog c;
    struct err err = {0};
    (void)state;
    tree_open(&t);
    tree_put(tree_path(&t, "root/tab/.tableinfo.0000000001"), "\0\0\0\2\3tab", 8);
    tree_put(tree_path(&t, "root/tab/" REGION "/.regioninfo"), "\1\0\0\0\0\0\0\0\0\0\7\4t,,7\0\0\3tab\0\0\0\0", 26);
    tree_put_text(tree_path(&t, "root/tab/" REGION "/f/" FILE_A), "x");
    tree_put_text(tree_path(&t, "root/tab/" REGION "/f/other=1234567890-" FILE_B), "");
    tree_put_text(tree_path(&t, "root/.archive/other/1234567890/f/" FILE_B), "xy");
    tree_put_text(tree_path(&t, "root/-ROOT-/70236052/info/1"), "x");
    tree_put_text(tree_path(&t, "root/hbase.version"), "7");
    assert_int_equal(tree_catalog_read(tree_path(&t, "root"), &c, &err), 0);
    assert_int_equal(c.n, 1);
    expect_entry(&c, 0, "default", "tab", NULL);
    tree_catalog_free(&c);
    struct store_files s = read_good(tree_path(&t, "root/tab"));
    assert_int_equal(s.n_files, 2);
    assert_int_equal(s.files[1].bytes, 2);
    assert_true(s.files[1].via_link);
    assert_false(s.table.families[0].rules.versions_given);
    assert_true(says(&s.warnings, "described by version 2"));
    store_files_free(&s);
    tree_put(tree_path(&t, "root/tab/" REGION "/.regioninfo"), "\2\0abcdef", 8);
    assert_int_equal(store_files_read(tree_path(&t, "root/tab"), (struct list_room){0}, &s, &err), -1);
    assert_int_equal(err.code, ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "a region described by version 2"));
    store_files_free(&s);
    tree_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directories_are_known_by_their_names),    cmocka_unit_test(cut_outs_are_known_by_what_is_in_them),
        cmocka_unit_test(a_root_lists_tables_and_snapshots),       cmocka_unit_test(a_snapshot_is_found_by_name),
        cmocka_unit_test(old_roots_are_read_without_descriptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
