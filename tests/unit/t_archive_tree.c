/* Trees of HBase inside archives: real ones, in every kind of container, are seen and fetched as they are when unpacked. Those
 * made by hand are in t_archive_tree_made.c. */
#include "archive_room.h"
#include "formats/hbase/read_tree.h"
#include "formats/hbase/store_files.h"
#include "formats/hbase/tree_catalog.h"

#include <fcntl.h>
#include <sys/stat.h>

#define TREES "tests/data/hbase_trees/"

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
    int x = store_files_read(dir, (struct list_room){0}, &a, &err),
        y = store_files_read(plain_dir, (struct list_room){0}, &b, &err);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_trees),
        cmocka_unit_test(test_several_roots),
        cmocka_unit_test(test_containers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
