/* Trees of HBase in archives made by hand: no tree at all, hostile names, holes until a file is fetched, damage and limits. */
#include "archive_room.h"
#include "formats/archive/archive_source.h"

#include <fcntl.h>
#include <sys/stat.h>

static void test_no_tree(void **state) {
    (void)state;
    struct room r;
    struct maker m;
    room_begin(&r);
    write_archive(&r, bytes_str("a,1\n"));
    assert_int_equal(open_tree(&r), 0);
    write_archive(&r, bytes_str(""));
    assert_int_equal(open_tree(&r), 0);
    maker_begin(&m, "gnutar", "gzip", NULL);
    maker_text(&m, "a.csv", "a,1\n");
    maker_text(&m, "a.csv/b.csv", "b,1\n"); /* a directory that is a file: not ours to judge */
    write_archive(&r, maker_done(&m));
    maker_end(&m);
    assert_int_equal(open_tree(&r), 0);
    assert_int_equal(archive_tree_open("-", &r.o, &r.tree, &r.err), 0);
    assert_int_equal(archive_tree_open("/nowhere/at!all", &r.o, &r.tree, &r.err), 0);
    assert_int_equal(archive_tree_open("/tmp", &r.o, &r.tree, &r.err), 0);
    /* More of something else than a tree would begin with. */
    struct buf big = {0};
    assert_int_equal(buf_reserve(&big, 80 << 20, &r.err), 0);
    memset(big.p, 'x', 80 << 20);
    maker_begin(&m, "gnutar", "gzip", "compression-level=1");
    maker_file(&m, "a.csv", bytes_of(big.p, 80 << 20));
    maker_text(&m, "hbase.version", "8");
    write_archive(&r, maker_done(&m));
    maker_end(&m);
    assert_int_equal(open_tree(&r), 0);
    buf_free(&big);
    room_end(&r);
}

static void expect_content(const char *dir, const char *name, const char *want) {
    char path[1000];
    size_t n;
    struct err err = {0};
    snprintf(path, sizeof path, "%s/%s", dir, name);
    char *text = fs_read_text(path, 1 << 20, &n, &err);
    if (!text) fail_msg("%s", err.text);
    assert_string_equal(text, want);
    free(text);
}

static bool exists(const char *dir, const char *name) {
    struct stat st;
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return lstat(path, &st) == 0;
}

/* Absolute names, "..", a link and then a file through it, devices: nothing but plain files below the directory. */
static void test_hostile_names(void **state) {
    (void)state;
    struct room r;
    struct maker m;
    char longest[3500], deep[200] = "";
    room_begin(&r);
    memset(longest, 'n', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    for (int i = 0; i < 60; i++) strcat(deep, "d/");
    maker_begin(&m, "pax", NULL, NULL);
    maker_text(&m, "hbase.version", "8");
    maker_text(&m, "../out", "x");
    maker_text(&m, "a/../../out", "x");
    maker_text(&m, "/absolute/file", "kept below");
    maker_text(&m, "././b//c", "clean");
    maker_link(&m, "way", r.dir, false);
    maker_text(&m, "way/through", "in a directory");
    maker_link(&m, "hard", "/etc/passwd", true);
    maker_link(&m, "hard2", "../archive", true);
    maker_link(&m, "hard3", "b/c", true);
    maker_link(&m, "hard4", "b", true);
    maker_put(&m, maker_entry("device", AE_IFCHR, 0), (struct bytes){0});
    maker_text(&m, longest, "x");
    strcat(deep, "x");
    maker_text(&m, deep, "x");
    maker_text(&m, "b/c/d", "b/c is a file");
    maker_put(&m, maker_entry("b/c", AE_IFDIR, 0), (struct bytes){0});
    maker_text(&m, "b", "b is a directory");
    maker_text(&m, "twice", "first");
    maker_text(&m, "twice", "the last");
    write_archive(&r, maker_done(&m));
    maker_end(&m);
    assert_int_equal(open_tree(&r), 1);
    const char *dir = archive_tree_dir(r.tree);
    assert_false(exists(r.dir, "out") || exists(r.dir, "through") || exists(dir, "out") || exists(r.temp, "out"));
    assert_false(exists(dir, "hard") || exists(dir, "hard2") || exists(dir, "hard4") || exists(dir, "device"));
    assert_false(exists(dir, "d"));
    expect_content(dir, "absolute/file", "kept below");
    expect_content(dir, "b/c", "clean");
    expect_content(dir, "hard3", "clean");
    expect_content(dir, "way/through", "in a directory");
    expect_content(dir, "twice", "the last");
    room_end(&r);
}

/* Large files are holes until they are fetched; also through hard links, and of equal names the last. */
static void test_fetch(void **state) {
    (void)state;
    struct room r;
    struct maker m;
    char x[10001], y[10001];
    memset(x, 'x', sizeof x - 1);
    memset(y, 'y', sizeof y - 1);
    x[10000] = y[10000] = 0;
    room_begin(&r);
    maker_begin(&m, "pax", "gzip", NULL);
    maker_text(&m, "hbase.version", "8");
    maker_text(&m, "data/big", x);
    maker_link(&m, "data/again", "data/big", true);
    maker_link(&m, "data/third", "data/again", true);
    maker_text(&m, "data/twice", x);
    maker_text(&m, "data/twice", y);
    maker_text(&m, "data/.big.crc", "sums");
    write_archive(&r, maker_done(&m));
    assert_int_equal(open_tree(&r), 1);
    const char *dir = archive_tree_dir(r.tree), *names[] = {"data/third", "data/twice", "data/big", "data/third"};
    char paths[4][1000], *unpacked[4];
    const char *list[4];
    struct stat st;
    for (int i = 0; i < 4; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", dir, names[i]);
        list[i] = paths[i];
        assert_true(stat(paths[i], &st) == 0 && st.st_size == 10000 && st.st_blocks == 0);
    }
    uint64_t before = r.quota.used_bytes;
    r.quota.limit_bytes = before + 39999;
    assert_int_equal(archive_tree_fetch(r.tree, list, 4, r.other, unpacked, &r.err), -1);
    assert_int_equal(r.err.code, ERR_LIMIT);
    assert_non_null(strstr(r.err.text, "unpacking 4 files of it needs 1M of disk; raise --disk-limit"));
    r.err = (struct err){0};
    r.quota.limit_bytes = 0;
    if (archive_tree_fetch(r.tree, list, 4, r.other, unpacked, &r.err)) fail_msg("%s", r.err.text);
    assert_int_equal(r.quota.used_bytes, before + 40000 + 4);
    for (int i = 0; i < 4; i++) {
        expect_content("", unpacked[i], i == 1 ? y : x);
        free(unpacked[i]);
    }
    assert_int_equal(archive_tree_fetch(r.tree, NULL, 0, r.other, NULL, &r.err), 0);
    const char *foreign = "/etc/passwd";
    assert_int_equal(archive_tree_fetch(r.tree, &foreign, 1, r.other, unpacked, &r.err), -1);
    assert_int_equal(r.err.code, ERR_INTERNAL);
    assert_null(archive_tree_member(r.tree, foreign));
    r.err = (struct err){0};
    /* The archive is another one now. */
    write_archive(&r, bytes_of(m.out.p, m.out.n / 2));
    assert_int_equal(archive_tree_fetch(r.tree, list, 4, r.other, unpacked, &r.err), -1);
    assert_int_equal(r.err.code, ERR_INPUT);
    maker_end(&m);
    room_end(&r);
}

static void test_damaged_and_limited(void **state) {
    (void)state;
    struct room r;
    struct maker m;
    struct archive_limits limits = {.members = 2};
    room_begin(&r);
    maker_begin(&m, "pax", NULL, NULL);
    maker_text(&m, "hbase.version", "8");
    maker_text(&m, "data/a", "a");
    maker_text(&m, "data/b", "b");
    struct bytes a = maker_done(&m);
    r.o.limits = &limits;
    write_archive(&r, a);
    assert_int_equal(open_tree(&r), -1);
    assert_int_equal(r.err.code, ERR_LIMIT);
    r.err = (struct err){0};
    r.o.limits = NULL;
    r.quota.limit_bytes = 2;
    assert_int_equal(open_tree(&r), -1);
    assert_int_equal(r.err.code, ERR_LIMIT);
    r.err = (struct err){0};
    r.quota.limit_bytes = 0;
    write_archive(&r, bytes_of(a.p, a.n - 1024));
    assert_int_equal(open_tree(&r), -1);
    assert_int_equal(r.err.code, ERR_INPUT);
    r.err = (struct err){0};
    write_archive(&r, a);
    r.o.temp_dir = "/nowhere/at/all";
    assert_int_equal(open_tree(&r), -1);
    assert_int_equal(r.err.code, ERR_OUTPUT);
    r.err = (struct err){0};
    r.o.temp_dir = NULL;
    assert_int_equal(open_tree(&r), -1);
    assert_int_equal(r.err.code, ERR_USAGE);
    r.err = (struct err){0};
    maker_end(&m);
    room_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_tree),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_fetch),
        cmocka_unit_test(test_damaged_and_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
