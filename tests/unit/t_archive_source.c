/* Archives of inputs: every kind of container, what is passed over, what is refused, and what hostile ones try. */
#include "archive_maker.h"

#include "base/fs.h"
#include "base/outfile.h"
#include "formats/archive/archive_kind.h"
#include "formats/archive/archive_source.h"

#include <sys/stat.h>

struct container {
    const char *format, *filter, *options;
};

static const struct container containers[] = {
    {"gnutar", NULL, NULL},
    {"pax", NULL, NULL},
    {"ustar", "gzip", NULL},
    {"v7tar", "bzip2", NULL},
    {"gnutar", "xz", NULL},
    {"gnutar", "zstd", NULL},
    {"gnutar", "lz4", NULL},
    {"zip", NULL, "compression=deflate"},
    {"zip", NULL, "compression=store"},
    {"zip", "gzip", NULL},
    {"7zip", NULL, "compression=lzma1"},
    {"7zip", NULL, "compression=lzma2"},
    {"7zip", NULL, "compression=bzip2"},
    {"7zip", NULL, "compression=deflate"},
    {"7zip", NULL, "compression=ppmd"},
    {"7zip", NULL, "compression=store"},
    {"odc", NULL, NULL},
    {"newc", NULL, NULL},
    {"bin", NULL, NULL},
    {"newc", "xz", NULL},
};

static void begin(struct maker *m, const struct container *c) {
    maker_begin(m, c->format, c->filter, c->options);
}

/* The recording of content, and what reading ended with. */
static void expect(struct fixture *f, struct bytes content, const char *want) {
    int rc = recorder_run(&f->rec, NULL, content, &f->o, &f->err);
    assert_string_equal(f->err.text, "");
    assert_int_equal(rc, 0);
    assert_int_equal(buf_put_byte(&f->rec.text, 0, &f->err), 0);
    assert_string_equal((char *)f->rec.text.p, want);
}

static void test_containers(void **state) {
    (void)state;
    struct buf packed = {0};
    maker_pack("gzip", bytes_str("c,3\nd,4\n"), &packed);
    for (size_t i = 0; i < countof(containers); i++) {
        struct fixture f;
        struct disk_quota quota = {0};
        struct maker m;
        archive_begin(&f, &quota, NULL);
        begin(&m, &containers[i]);
        maker_text(&m, "x/a.csv", "a,1\nb,2\n");
        maker_file(&m, "x/b.csv.gz", buf_bytes(&packed));
        maker_text(&m, "x/_SUCCESS", "");
        maker_text(&m, "x/.a.csv.crc", "crc");
        maker_text(&m, "_temporary/0/a.csv", "not,this\n");
        maker_text(&m, "x/e.tsv", "e\t5\n");
        expect(&f, maker_done(&m),
               "+ <1> a f:a@77=1\n+ <5> b f:a@77=2\n+ <10> c f:a@77=3\n+ <14> d f:a@77=4\n+ <19> e f:a@77=5\n");
        assert_int_equal(quota.used_bytes, 0);
        maker_end(&m);
        fixture_end(&f);
    }
    buf_free(&packed);
}

/* Chunks of a member may be parsed when others have been begun; later members rank higher. */
static void test_parsed_late(void **state) {
    (void)state;
    enum { CHUNKS = 3 };
    struct fixture f;
    struct maker m;
    struct chunk c[CHUNKS] = {0}, end = {0};
    char path[64];
    int fd;
    archive_begin(&f, NULL, NULL);
    maker_begin(&m, "gnutar", NULL, NULL);
    maker_text(&m, "a.csv", "a,1\n");
    maker_text(&m, "b.csv", "b,\"2\"x\n");
    maker_text(&m, "c.csv", "c,3\n");
    struct reader *r = format_open(recorder_file(maker_done(&m), &fd, path), NULL, &f.o, NULL, &f.err);
    assert_non_null(r);
    for (int i = 0; i < CHUNKS; i++) assert_int_equal(r->ops->next(r, &c[i], &f.err), 1);
    assert_int_equal(r->ops->next(r, &end, &f.err), 0);
    assert_string_equal(strchr(c[1].origin->path, '!'), "!b.csv");
    assert_string_equal(c[1].origin->format->name, "csv");
    for (int i = CHUNKS; i-- > 0;) assert_int_equal(r->ops->parse(r, &c[i], 0, &f.rec.base, &f.err), 0);
    assert_int_equal(r->ops->finish(r, &f.err), 0);
    assert_int_equal(buf_put_byte(&f.rec.text, 0, &f.err), 0);
    assert_string_equal(
        (char *)f.rec.text.p,
        "+ <14> c f:a@77=3\n! line 1 offset 0 column 2 text after the closing quote; give "
        "--quote none if quotes are ordinary bytes, or escape=\\ in --dialect if backslashes escape them |b,\"2\"x|\n"
        "+ <1> a f:a@77=1\n");
    r->ops->close(r);
    close(fd);
    buf_free(&end.data);
    for (int i = 0; i < CHUNKS; i++) buf_free(&c[i].data);
    maker_end(&m);
    fixture_end(&f);
}

static void test_nested(void **state) {
    (void)state;
    struct fixture f;
    struct maker inner, outer, outermost;
    for (size_t i = 0; i < countof(containers); i++)
        for (size_t k = 0; k < countof(containers); k++) {
            struct disk_quota quota = {0};
            archive_begin(&f, &quota, NULL);
            begin(&inner, &containers[i]);
            maker_text(&inner, "a.csv", "a,1\n");
            begin(&outer, &containers[k]);
            maker_file(&outer, "inner", maker_done(&inner));
            maker_text(&outer, "z.csv", "z,9\n");
            expect(&f, maker_done(&outer), "+ <1> a f:a@77=1\n+ <6> z f:a@77=9\n");
            assert_int_equal(quota.used_bytes, 0);
            begin(&outermost, &containers[i]);
            maker_file(&outermost, "outer", buf_bytes(&outer.out));
            expect_error_of(&f, maker_done(&outermost), ERR_UNSUPPORTED, "is an archive in an archive in an archive");
            maker_end(&inner);
            maker_end(&outer);
            maker_end(&outermost);
            fixture_end(&f);
        }
}

/* ---- what is passed over or refused ---- */

static void test_links_and_devices(void **state) {
    (void)state;
    struct fixture f;
    struct buf warnings = {0};
    struct maker m;
    archive_begin(&f, NULL, &warnings);
    maker_begin(&m, "pax", NULL, NULL);
    maker_link(&m, "a.csv", "/etc/passwd", false);
    maker_text(&m, "a.csv/b.csv", "b,1\n"); /* through the link, if there were one */
    maker_link(&m, "h.csv", "a.csv/b.csv", true);
    maker_put(&m, maker_entry("dev", AE_IFCHR, 0), (struct bytes){0});
    maker_put(&m, maker_entry("pipe", AE_IFIFO, 0), (struct bytes){0});
    maker_put(&m, maker_entry("directory", AE_IFDIR, 0), (struct bytes){0});
    expect(&f, maker_done(&m), "+ <1> b f:a@77=1\n");
    buf_put_byte(&warnings, 0, &f.err);
    assert_non_null(strstr((char *)warnings.p, ": 2 links were skipped, among them /proc/self/fd/"));
    assert_non_null(strstr((char *)warnings.p, "!a.csv\n"));
    assert_non_null(strstr((char *)warnings.p, ": 2 devices, pipes or sockets were skipped, among them "));
    maker_end(&m);
    buf_free(&warnings);
    fixture_end(&f);
}

/* Names are only shown, never looked up. */
static void test_names(void **state) {
    (void)state;
    static const char *const names[] = {"/etc/passwd", "../../../../etc/passwd", "a/../../b", "\x01\x1b[31m\n", "\xff\xfe"};
    struct fixture f;
    char longest[5000];
    struct maker m;
    memset(longest, 'n', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    archive_begin(&f, NULL, NULL);
    for (size_t i = 0; i <= countof(names); i++) {
        maker_begin(&m, "gnutar", NULL, NULL);
        maker_text(&m, i < countof(names) ? names[i] : longest, "no text of any format");
        struct bytes a = maker_done(&m);
        expect_error_of(&f, a, ERR_USAGE, "has no known format");
        maker_end(&m);
    }
    maker_begin(&m, "gnutar", NULL, NULL);
    maker_text(&m, "a\nb\x1b.x", "a;1\n");
    expect_error_of(&f, maker_done(&m), ERR_USAGE, "!a?b?.x: has no known format");
    maker_end(&m);
    fixture_end(&f);
}

static void test_hbase_trees(void **state) {
    (void)state;
    static const char *const names[] = {"h/.hbase-snapshot/s/data.manifest", "data/default/t/.tabledesc/.tableinfo.0000000001.1",
                                        "t/0123/.regioninfo", "./x/.hbase-snapshot/"};
    for (size_t i = 0; i < countof(names); i++) {
        struct fixture f;
        struct maker m;
        archive_begin(&f, NULL, NULL);
        maker_begin(&m, "gnutar", NULL, NULL);
        maker_text(&m, names[i], "");
        expect_error_of(&f, maker_done(&m), ERR_UNSUPPORTED, "belongs to an HBase directory");
        maker_end(&m);
        fixture_end(&f);
    }
    assert_false(archive_name_of_tree("a.tabledesc/b") || archive_name_of_tree("x/data.manifest.csv"));
    assert_true(archive_name_hidden("a/._b") && archive_name_hidden("_logs/x") && archive_name_hidden("_b/"));
    assert_true(archive_name_hidden(".a/b") && archive_name_hidden("x/_old/z.csv") && archive_name_hidden("./_old/a/b"));
    assert_false(archive_name_hidden("./a") || archive_name_hidden("a_/b.c") || archive_name_hidden("..") ||
                 archive_name_hidden(""));
    assert_true(archive_name_doubtful("_a.csv") && archive_name_doubtful("x/_old/z.csv") && archive_name_doubtful("./_old/z"));
    assert_false(archive_name_doubtful("_SUCCESS") || archive_name_doubtful("_old/_temporary/z") ||
                 archive_name_doubtful("_old/.z.crc") || archive_name_doubtful(".git/_z") || archive_name_doubtful("./z"));
}

static void test_encrypted(void **state) {
    (void)state;
    struct fixture f;
    struct maker m;
    archive_begin(&f, NULL, NULL);
    maker_begin(&m, "zip", NULL, "compression=store");
    maker_text(&m, "a.csv", "a,1\n");
    struct bytes a = maker_done(&m);
    m.out.p[6] |= 1; /* general purpose flags of the local header */
    expect_error_of(&f, a, ERR_UNSUPPORTED, "!a.csv: is encrypted");
    maker_end(&m);
    fixture_end(&f);
}

/* ---- damage ---- */

static void test_truncated(void **state) {
    (void)state;
    for (size_t i = 0; i < countof(containers); i++) {
        struct maker m;
        begin(&m, &containers[i]);
        maker_text(&m, "a.csv", "a,1\nb,2\n");
        maker_text(&m, "b.csv", "c,3\n");
        struct bytes whole = maker_done(&m);
        /* A tar ends with zeros, of which one block is enough. */
        bool bare_tar = strstr(containers[i].format, "tar") && !containers[i].filter;
        bool pax = !strcmp(containers[i].format, "pax");
        size_t most = pax || bare_tar ? whole.n - 1024 : whole.n - 1;
        if (pax || bare_tar) assert_int_equal(whole.p[most], 0);
        for (size_t n = 1; n <= most; n++) {
            struct fixture f;
            archive_begin(&f, NULL, NULL);
            if (recorder_run(&f.rec, "archive", bytes_of(whole.p, n), &f.o, &f.err) == 0)
                fail_msg("%s: %zu of %zu bytes are taken for the whole", containers[i].format, n, whole.n);
            assert_true(f.err.code == ERR_INPUT || f.err.code == ERR_UNSUPPORTED);
            fixture_end(&f);
        }
        maker_end(&m);
    }
}

static void test_behind_the_end(void **state) {
    (void)state;
    static const char *const formats[] = {"gnutar", "newc"};
    for (size_t i = 0; i < countof(formats); i++) {
        struct fixture f;
        struct maker m;
        archive_begin(&f, NULL, NULL);
        maker_begin(&m, formats[i], NULL, NULL);
        maker_text(&m, "a.csv", "a,1\n");
        maker_done(&m);
        buf_printf(&m.out, &f.err, "something else");
        expect_error_of(&f, buf_bytes(&m.out), ERR_INPUT, i ? "follow the archive" : "truncated tar archive");
        maker_end(&m);
        fixture_end(&f);
    }
}

static void test_concatenated_tars(void **state) {
    (void)state;
    struct fixture f;
    struct maker a, b;
    archive_begin(&f, NULL, NULL);
    maker_begin(&a, "gnutar", NULL, NULL);
    maker_text(&a, "a.csv", "a,1\n");
    maker_done(&a);
    maker_begin(&b, "pax", NULL, NULL);
    maker_text(&b, "b.csv", "b,2\n");
    maker_done(&b);
    buf_put(&a.out, b.out.p, b.out.n, &f.err);
    expect(&f, buf_bytes(&a.out), "+ <1> a f:a@77=1\n+ <6> b f:a@77=2\n");
    maker_end(&a);
    maker_end(&b);
    fixture_end(&f);
}

/* ---- limits ---- */

static void test_limits(void **state) {
    (void)state;
    struct fixture f;
    struct archive_limits limits = {.members = 3};
    struct maker m;
    archive_begin(&f, NULL, NULL);
    f.o.archive.limits = &limits;
    maker_begin(&m, "gnutar", "gzip", NULL);
    for (int i = 0; i < 4; i++) maker_text(&m, "a.csv", "a,1\n");
    struct bytes a = maker_done(&m);
    expect_error_of(&f, a, ERR_LIMIT, "has more than 3 members; give a larger --config archive-members=N");
    limits = (struct archive_limits){.members = 4, .bytes = 2000};
    expect_error_of(&f, a, ERR_LIMIT, "unpacks to more than 2000 bytes; give a larger --config archive-bytes=N");
    limits.bytes = 20000;
    expect(&f, a, "+ <1> a f:a@77=1\n+ <6> a f:a@77=1\n+ <11> a f:a@77=1\n+ <16> a f:a@77=1\n");
    maker_end(&m);
    fixture_end(&f);
}

static void test_ratio(void **state) {
    (void)state;
    struct archive_use u;
    struct err err = {0};
    const uint64_t gib = ARCHIVE_RATIO_FLOOR_BYTES;
    archive_use_begin(&u, NULL, "x");
    u.packed_bytes = 1000;
    assert_int_equal(archive_use_bytes(&u, gib, &err), 0);
    assert_int_equal(archive_use_bytes(&u, 1, &err), -1);
    assert_non_null(strstr(
        err.text, "x: 1000 bytes of it unpacked to 1073741825, more than 1000 times as many: possibly a decompression bomb;"));
    err = (struct err){0};
    archive_use_begin(&u, &(struct archive_limits){.ratio = 2}, "x");
    u.packed_bytes = gib;
    assert_int_equal(archive_use_bytes(&u, 2 * gib + 1, &err), 0);
    assert_int_equal(archive_use_bytes(&u, 1, &err), -1);
    err = (struct err){0};
    archive_use_begin(&u, NULL, "x");
    u.packed_bytes = 64 * gib;
    assert_int_equal(archive_use_bytes(&u, UINT64_C(16) << 40, &err), 0);
    assert_int_equal(archive_use_bytes(&u, 1, &err), -1);
    assert_non_null(strstr(err.text, "archive-bytes"));
}

/* Names, sparse maps and the like are kept in memory by libarchive. */
static void test_huge_header(void **state) {
    (void)state;
    struct fixture f;
    struct maker m;
    const size_t n = 3 << 20;
    struct archive_entry *e = maker_entry("a.csv", AE_IFREG, 0);
    char *value = malloc(n);
    memset(value, 'v', n);
    for (int i = 0; i < 8; i++) {
        char name[20];
        snprintf(name, sizeof name, "user.a%d", i);
        archive_entry_xattr_add_entry(e, name, value, n / 8);
    }
    archive_begin(&f, NULL, NULL);
    maker_begin(&m, "pax", "gzip", NULL);
    maker_put(&m, e, (struct bytes){0});
    assert_int_equal(recorder_run(&f.rec, NULL, maker_done(&m), &f.o, &f.err), -1);
    assert_true(f.err.code == ERR_LIMIT || f.err.code == ERR_INPUT);
    maker_end(&m);
    free(value);
    fixture_end(&f);
}

/* Tests archives that were packed with a large window although their content is small. */
static void test_windows(void **state) {
    (void)state;
    static const struct container kinds[] = {{"7zip", NULL, "compression=lzma1,compression-level=9"},
                                             {"7zip", NULL, "compression=lzma2,compression-level=9"},
                                             {"gnutar", "xz", "compression-level=9"}};
    for (size_t i = 0; i < countof(kinds); i++) {
        struct fixture f;
        struct maker m;
        archive_begin(&f, NULL, NULL);
        begin(&m, &kinds[i]);
        maker_text(&m, "a.csv", "a,1\n");
        struct bytes a = maker_done(&m);
        f.o.memory.unpack = 1 << 20;
        expect_error_of(&f, a, ERR_LIMIT, "raise --memory");
        f.o.memory.unpack = 80 << 20;
        expect(&f, a, "+ <1> a f:a@77=1\n");
        maker_end(&m);
        fixture_end(&f);
    }
}

/* ---- what else ---- */

static void test_format_is_of_members(void **state) {
    (void)state;
    struct fixture f;
    struct maker m;
    archive_begin(&f, NULL, NULL);
    maker_begin(&m, "odc", NULL, NULL);
    maker_text(&m, "part-0", "a,b\t1\n");
    assert_int_equal(recorder_run(&f.rec, "tsv", maker_done(&m), &f.o, &f.err), 0);
    buf_put_byte(&f.rec.text, 0, &f.err);
    assert_string_equal((char *)f.rec.text.p, "+ <1> a,b f:a@77=1\n");
    assert_int_equal(recorder_run(&f.rec, "archive", bytes_str("a,b\n"), &f.o, &f.err), -1);
    assert_non_null(strstr(f.err.text, "damaged or truncated unknown archive"));
    maker_end(&m);
    fixture_end(&f);
}

static void test_not_archives(void **state) {
    (void)state;
    char newc[120];
    memset(newc, '0', sizeof newc);
    memcpy(newc, "070701", 6);
    assert_int_equal(archive_kind(bytes_of(newc, sizeof newc)), ARCHIVE_KIND_NONE);
    memcpy(newc + 94, "00000005", 8);
    newc[110 + 4] = 0;
    assert_int_equal(archive_kind(bytes_of(newc, sizeof newc)), ARCHIVE_KIND_CPIO);
    uint8_t tar[512] = {'n'};
    memcpy(tar + 257, "ustar", 5);
    assert_int_equal(archive_kind(bytes_of(tar, sizeof tar)), ARCHIVE_KIND_NONE);
    assert_int_equal(archive_kind(bytes_str("070707")), ARCHIVE_KIND_NONE);
    assert_int_equal(archive_kind(bytes_str("")), ARCHIVE_KIND_NONE);
}

/* An empty archive holds no records, which is no error. */
static void test_empty(void **state) {
    (void)state;
    static const char *const formats[] = {"zip", "odc", "7zip", "gnutar"};
    for (size_t i = 0; i < countof(formats); i++) {
        struct fixture f;
        struct maker m;
        archive_begin(&f, NULL, NULL);
        maker_begin(&m, formats[i], NULL, NULL);
        int rc = recorder_run(&f.rec, "archive", maker_done(&m), &f.o, &f.err);
        assert_string_equal(f.err.text, "");
        assert_int_equal(rc, 0);
        assert_int_equal(f.rec.text.n, 0);
        maker_end(&m);
        fixture_end(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_containers),        cmocka_unit_test(test_parsed_late), cmocka_unit_test(test_nested),
        cmocka_unit_test(test_links_and_devices), cmocka_unit_test(test_names),       cmocka_unit_test(test_hbase_trees),
        cmocka_unit_test(test_encrypted),         cmocka_unit_test(test_truncated),   cmocka_unit_test(test_behind_the_end),
        cmocka_unit_test(test_concatenated_tars), cmocka_unit_test(test_limits),      cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_huge_header),       cmocka_unit_test(test_windows),     cmocka_unit_test(test_format_is_of_members),
        cmocka_unit_test(test_not_archives),      cmocka_unit_test(test_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
