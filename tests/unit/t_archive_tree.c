/* Trees of HBase inside archives: real ones, in every kind of container, are seen and fetched as they are when unpacked; hostile
 * names lead nowhere; nothing is left behind. */
#include "archive_maker.h"

#include "base/fs.h"
#include "base/outfile.h"
#include "formats/archive/archive_members.h"
#include "formats/archive/archive_tree.h"
#include "formats/hbase/store_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#define TREES "tests/data/hbase_trees/"

struct room {
    char dir[40], temp[64], other[64], plain[64], archive[64];
    struct disk_quota quota;
    struct archive_tree_opts o;
    struct archive_tree *tree;
    struct err err;
};

static void room_begin(struct room *r) {
    *r = (struct room){.dir = "/tmp/t_archive_tree.XXXXXX"};
    assert_non_null(mkdtemp(r->dir));
    snprintf(r->temp, sizeof r->temp, "%s/temp", r->dir);
    snprintf(r->other, sizeof r->other, "%s/other", r->dir);
    snprintf(r->plain, sizeof r->plain, "%s/plain", r->dir);
    snprintf(r->archive, sizeof r->archive, "%s/archive", r->dir);
    assert_int_equal(fs_mkdirs(r->temp, &r->err) || fs_mkdirs(r->other, &r->err) || fs_mkdirs(r->plain, &r->err), 0);
    r->o = (struct archive_tree_opts){.temp_dir = r->temp, .quota = &r->quota};
}

static bool is_empty(const char *dir) {
    return rmdir(dir) == 0;
}

/* Closes the tree; nothing may be left of it. */
static void room_end(struct room *r) {
    archive_tree_close(r->tree);
    assert_true(is_empty(r->temp) && is_empty(r->other));
    assert_int_equal(r->quota.used_bytes, 0);
    assert_int_equal(fs_remove_tree(r->dir, &r->err), 0);
}

static void write_archive(const struct room *r, struct bytes content) {
    FILE *f = fopen(r->archive, "w");
    assert_int_equal(fwrite(content.p, 1, content.n, f), content.n);
    fclose(f);
}

static int open_tree(struct room *r) {
    int rc = archive_tree_open(r->archive, &r->o, &r->tree, &r->err);
    assert_true((rc == 1) == (r->tree != NULL) && (rc < 0) == (r->err.code != ERR_NONE));
    return rc;
}

/* ---- an archive unpacked as tar would, and packed again as something else ---- */

static void unpack_plainly(const char *archive, const char *to) {
    struct err err = {0};
    struct archive *a = archive_read_new();
    struct archive_entry *e;
    archive_read_support_filter_all(a);
    archive_read_support_format_all(a);
    assert_int_equal(archive_read_open_filename(a, archive, 65536), ARCHIVE_OK);
    while (archive_read_next_header(a, &e) == ARCHIVE_OK) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", to, archive_entry_pathname(e));
        if (archive_entry_filetype(e) == AE_IFDIR) {
            assert_int_equal(fs_mkdirs(path, &err), 0);
            continue;
        }
        char *slash = strrchr(path, '/');
        *slash = 0;
        assert_int_equal(fs_mkdirs(path, &err), 0);
        *slash = '/';
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        assert_true(fd >= 0);
        assert_int_equal(archive_read_data_into_fd(a, fd), ARCHIVE_OK);
        assert_int_equal(ftruncate(fd, archive_entry_size(e)), 0);
        struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = archive_entry_mtime(e)}};
        futimens(fd, t);
        close(fd);
    }
    archive_read_free(a);
}

static void repack(const char *from, const char *format, const char *filter, const char *options, struct buf *out) {
    struct maker m;
    struct archive *a = archive_read_new();
    struct archive_entry *e;
    archive_read_support_filter_all(a);
    archive_read_support_format_all(a);
    assert_int_equal(archive_read_open_filename(a, from, 65536), ARCHIVE_OK);
    maker_begin(&m, format, filter, options);
    while (archive_read_next_header(a, &e) == ARCHIVE_OK) {
        size_t n = (size_t)archive_entry_size(e);
        uint8_t *p = malloc(n + 1);
        assert_int_equal(archive_read_data(a, p, n), n);
        maker_put(&m, archive_entry_clone(e), bytes_of(p, n));
        free(p);
    }
    archive_read_free(a);
    maker_done(&m);
    *out = m.out;
}

/* ---- what store_files sees ---- */

static const char *below(const char *path, const char *dir) {
    size_t n = strlen(dir);
    if (strncmp(path, dir, n)) fail_msg("%s is not in %s", path, dir);
    return path + n;
}

static void expect_same_bytes(const char *a, const char *b) {
    char x[17], y[17];
    struct err err = {0};
    if (file_sum_of(a, x, &err) || file_sum_of(b, y, &err)) fail_msg("%s", err.text);
    assert_string_equal(x, y);
}

/* The store files of one snapshot or table, in the archive and unpacked. */
static void compare_store(struct room *r, const char *dir, const char *plain_dir, const char *where, const char *plain_where) {
    struct store_files a, b;
    struct err err = {0};
    int x = store_files_read(dir, &a, &err), y = store_files_read(plain_dir, &b, &err);
    if (x || y) fail_msg("%s", err.text);
    assert_int_equal(a.n_files, b.n_files);
    assert_int_equal(a.n_regions, b.n_regions);
    assert_int_equal(a.n_mob, b.n_mob);
    assert_true(a.n_files > 0);
    assert_int_equal(a.wal.files, b.wal.files);
    assert_int_equal(a.wal.bytes, b.wal.bytes);
    assert_int_equal(a.recovered_edits.files, b.recovered_edits.files);
    assert_int_equal(a.untracked.files, b.untracked.files);
    char **unpacked = calloc(a.n_files, sizeof *unpacked);
    const char **paths = calloc(a.n_files, sizeof *paths);
    for (size_t i = 0; i < a.n_files; i++) {
        const struct store_file *f = &a.files[i], *g = &b.files[i];
        assert_string_equal(below(f->path, where), below(g->path, plain_where));
        assert_true(f->bytes == g->bytes && f->half == g->half && f->seq == g->seq && f->has_crc == g->has_crc);
        assert_true(bytes_eq(buf_bytes(&f->split_row), buf_bytes(&g->split_row)));
        assert_int_equal(f->mtime_ns, g->mtime_ns);
        paths[i] = f->path;
    }
    if (archive_tree_fetch(r->tree, paths, a.n_files, r->other, unpacked, &err)) fail_msg("%s", err.text);
    for (size_t i = 0; i < a.n_files; i++) {
        expect_same_bytes(unpacked[i], b.files[i].path);
        const char *member = strchr(archive_tree_member(r->tree, unpacked[i]), '!');
        assert_string_equal(member, strchr(archive_tree_member(r->tree, paths[i]), '!'));
        assert_true(strlen(member) > strlen(below(paths[i], where)));
        if (a.files[i].has_crc) {
            char *name = strrchr(unpacked[i], '/'), side[2000];
            snprintf(side, sizeof side, "%.*s/.%s.crc", (int)(name - unpacked[i]), unpacked[i], name + 1);
            assert_int_equal(fs_exists(side, &err), 1);
        }
        free(unpacked[i]);
    }
    free(unpacked);
    free(paths);
    store_files_free(&a);
    store_files_free(&b);
}

/* Everything a root holds. The number of snapshots and tables. */
static size_t compare_root(struct room *r, const char *plain) {
    struct tree_catalog a, b;
    struct err err = {0};
    const char *dir = archive_tree_dir(r->tree);
    if (tree_catalog_read(dir, &a, &err) || tree_catalog_read(plain, &b, &err)) fail_msg("%s", err.text);
    assert_int_equal(a.n, b.n);
    for (size_t i = 0; i < a.n; i++) {
        assert_string_equal(a.entries[i].table, b.entries[i].table);
        compare_store(r, a.entries[i].dir, b.entries[i].dir, dir, plain);
    }
    size_t n = a.n;
    tree_catalog_free(&a);
    tree_catalog_free(&b);
    return n;
}

static void compare_tree(const char *archive, const char *source, const char *root) {
    struct room r;
    char plain[200];
    room_begin(&r);
    unpack_plainly(source, r.plain);
    snprintf(plain, sizeof plain, "%s/%s", r.plain, root);
    int rc = archive_tree_open(archive, &r.o, &r.tree, &r.err);
    if (rc != 1) fail_msg("%s: %d %s", archive, rc, r.err.text);
    assert_true(compare_root(&r, plain) > 0);
    room_end(&r);
}

static void test_real_trees(void **state) {
    (void)state;
    static const char *const names[] = {"a1_snapshot",   "a2_snapshot_archived", "b_split_merge",     "b2_split_compacted",
                                        "c_clone_links", "d_ttl_deletes",        "e_codecs_mob",      "f_namespace",
                                        "i_wal_only",    "j_bulkload",           "k_filelist_tracker"};
    for (size_t i = 0; i < countof(names); i++) {
        char archive[100], root[100];
        snprintf(archive, sizeof archive, TREES "%s.tar.xz", names[i]);
        snprintf(root, sizeof root, "%s/hbase", names[i]);
        compare_tree(archive, archive, root);
    }
}

/* Several roots in one archive: one must be chosen. */
static void test_several_roots(void **state) {
    (void)state;
    static const char archive[] = TREES "g_export_snapshot.tar.xz";
    struct room r;
    char path[200], plain[200];
    room_begin(&r);
    assert_int_equal(archive_tree_open(archive, &r.o, &r.tree, &r.err), -1);
    assert_int_equal(r.err.code, ERR_USAGE);
    assert_non_null(strstr(r.err.text,
                           "holds several HBase directories; choose one, as in " TREES
                           "g_export_snapshot.tar.xz!g_export_snapshot/snap_a; it holds: g_export_snapshot/snap_a, "));
    r.err = (struct err){0};
    snprintf(path, sizeof path, "%s!g_export_snapshot/nowhere", archive);
    assert_int_equal(archive_tree_open(path, &r.o, &r.tree, &r.err), -1);
    assert_int_equal(r.err.code, ERR_USAGE);
    r.err = (struct err){0};
    snprintf(path, sizeof path, "%s!../x", archive);
    assert_int_equal(archive_tree_open(path, &r.o, &r.tree, &r.err), -1);
    assert_int_equal(r.err.code, ERR_USAGE);
    r.err = (struct err){0};
    snprintf(path, sizeof path, "%s!g_export_snapshot/snap_e/", archive);
    unpack_plainly(archive, r.plain);
    snprintf(plain, sizeof plain, "%s/g_export_snapshot/snap_e", r.plain);
    assert_int_equal(archive_tree_open(path, &r.o, &r.tree, &r.err), 1);
    assert_int_equal(compare_root(&r, plain), 1);
    room_end(&r);
}

static void test_containers(void **state) {
    (void)state;
    static const struct {
        const char *format, *filter, *options;
    } kinds[] = {{"gnutar", NULL, NULL},
                 {"pax", "zstd", NULL},
                 {"zip", NULL, NULL},
                 {"zip", "gzip", NULL},
                 {"7zip", NULL, "compression=lzma2"},
                 {"newc", "bzip2", NULL},
                 {"odc", NULL, NULL}};
    static const char source[] = TREES "c_clone_links.tar.xz";
    for (size_t i = 0; i < countof(kinds); i++) {
        struct room r;
        struct buf content;
        struct maker outer;
        room_begin(&r);
        repack(source, kinds[i].format, kinds[i].filter, kinds[i].options, &content);
        write_archive(&r, buf_bytes(&content));
        compare_tree(r.archive, source, "c_clone_links/hbase");
        maker_begin(&outer, "zip", NULL, NULL); /* and nested once */
        maker_file(&outer, "x/inner", buf_bytes(&content));
        write_archive(&r, maker_done(&outer));
        compare_tree(r.archive, source, "c_clone_links/hbase");
        maker_end(&outer);
        buf_free(&content);
        room_end(&r);
    }
}

/* ---- made up ---- */

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
    assert_non_null(strstr(r.err.text, "unpacking 4 files of it needs 40000 bytes of disk; raise --disk-limit"));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_real_trees),         cmocka_unit_test(test_several_roots),
                                       cmocka_unit_test(test_containers),         cmocka_unit_test(test_no_tree),
                                       cmocka_unit_test(test_hostile_names),      cmocka_unit_test(test_fetch),
                                       cmocka_unit_test(test_damaged_and_limited)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
