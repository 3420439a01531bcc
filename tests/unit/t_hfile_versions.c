/* Files of every version HBase has written, forged byte by byte: all kinds of trailer, file info and block header, files
 * without cells, meta blocks, every comparator's name, index blocks in an encoding; and damage in them. The files of real
 * old versions are in t_hfile_reader. */
#include "hfile/hfile_open.h"
#include "hfile/hfile_ranges.h"
#include "hfile/hfile_scan.h"
#include "hfile/index_reader.h"
#include "tests/unit/forged_hfile.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct { unsigned major, minor; } versions[] = {{2, 0}, {2, 1}, {2, 2}, {2, 3}, {3, 0}, {3, 1}, {3, 3}};

struct image {
    int fd;
    char path[64];
};

static struct image image_of(struct bytes content) {
    struct image m = {.fd = memfd_create("hfile", MFD_CLOEXEC)};
    struct err err = {0};
    assert_true(m.fd >= 0);
    snprintf(m.path, sizeof m.path, "/proc/self/fd/%d", m.fd);
    if (fs_pwrite_full(m.fd, content.p, content.n, 0, m.path, &err)) fail_msg("%s", err.text);
    return m;
}

static int read_all(const char *path, struct hfile_scan_opts o, struct tally *t, struct err *err) {
    *t = (struct tally){0};
    struct hfile *h = hfile_open(path, 1 << 20, err);
    if (!h) return -1;
    o.tally = t;
    struct source *scan = hfile_scan_open(h, &o, err);
    struct row_part part;
    int rc = -1;
    while (scan && (rc = source_next(scan, &part, err)) == 1) {
    }
    source_close(scan);
    if (!rc && !o.start_row.p) rc = hfile_index_walk(h, NULL, NULL, err);
    hfile_close(h);
    return rc;
}

static void expect_cells(const struct forge_opts *o) {
    struct forge f = forge_make(o);
    struct image m = image_of(buf_bytes(&f.file));
    struct err err = {0};
    struct tally t;
    if (read_all(m.path, (struct hfile_scan_opts){0}, &t, &err)) fail_msg("v%u.%u: %s", o->major, o->minor, err.text);
    assert_int_equal(t.cells, o->cells);
    assert_true(digest_eq(t.digest, f.tally.digest));
    struct hfile *h = hfile_open(m.path, 0, &err);
    assert_non_null(h);
    assert_int_equal(hfile_info(h)->major, o->major);
    assert_int_equal(hfile_info(h)->minor, o->minor);
    assert_int_equal(hfile_info(h)->n_pairs, 2 + (o->cells > 0) + (o->index_encoding != NULL));
    assert_int_equal(hfile_info(h)->first_key.n > 0, o->cells > 0);
    hfile_close(h);
    close(m.fd);
    forge_free(&f);
}

static void every_version(void **state) {
    (void)state;
    for (size_t v = 0; v < countof(versions); v++)
        for (unsigned cells = 0; cells < 12; cells += 11)
            for (unsigned meta = 0; meta < 4; meta += 3) {
                struct forge_opts o = {.major = versions[v].major, .minor = versions[v].minor, .cells = cells};
                o.meta_blocks = meta;
                o.last_data_is_minus_one = meta > 0;
                expect_cells(&o);
            }
}

static void expect_refused(const struct forge_opts *o, enum err_code code, const char *word) {
    struct forge f = forge_make(o);
    struct image m = image_of(buf_bytes(&f.file));
    struct err err = {0};
    struct tally t;
    if (read_all(m.path, (struct hfile_scan_opts){0}, &t, &err) == 0) fail_msg("v%u.%u is read", o->major, o->minor);
    if (err.code != code || !strstr(err.text, word) || !strstr(err.text, m.path))
        fail_msg("expected '%s', got %d: %s", word, err.code, err.text);
    close(m.fd);
    forge_free(&f);
}

static void unknown_versions(void **state) {
    (void)state;
    expect_refused(&(struct forge_opts){.major = 2, .minor = 4, .cells = 2}, ERR_UNSUPPORTED, "v2.4 is not a known version");
    expect_refused(&(struct forge_opts){.major = 4, .minor = 0, .cells = 2}, ERR_INPUT, "not an HFile");
}

static void comparators(void **state) {
    (void)state;
#define HBASE "org.apache.hadoop.hbase."
    static const char *const good[] = {HBASE "KeyValue$KVComparator", HBASE "KeyValue$KeyComparator", HBASE "CellComparator",
                                       HBASE "CellComparatorImpl", HBASE "InnerStoreCellComparator"};
    static const char *const meta[] = {HBASE "KeyValue$MetaComparator",
                                       HBASE "KeyValue$MetaKeyComparator",
                                       HBASE "KeyValue$RootKeyComparator",
                                       HBASE "CellComparator$MetaCellComparator",
                                       HBASE "CellComparatorImpl$MetaCellComparator",
                                       HBASE "MetaCellComparator"};
    static const char *const raw[] = {HBASE "KeyValue$RawBytesComparator", HBASE "util.Bytes$ByteArrayComparator"};
    static const char *const unknown[] = {"", "KVComparator", HBASE "KeyValue$KVComparator2", HBASE "KeyValue$",
                                          "com.example.MetaComparator"};
    for (unsigned minor = 1; minor <= 3; minor += 2) { /* as a fixed field, and in the message */
        struct forge_opts o = {.major = 2, .minor = minor, .cells = 3};
        for (size_t i = 0; i < countof(good); i++) {
            o.comparator = good[i];
            expect_cells(&o);
        }
        for (size_t i = 0; i < countof(meta); i++) {
            o.comparator = meta[i];
            expect_refused(&o, ERR_UNSUPPORTED, "meta table");
        }
        for (size_t i = 0; i < countof(raw); i++) {
            o.comparator = raw[i];
            expect_refused(&o, ERR_UNSUPPORTED, "raw bytes");
        }
        for (size_t i = 0; i < countof(unknown); i++) {
            o.comparator = unknown[i];
            expect_refused(&o, ERR_UNSUPPORTED, "unknown comparator");
        }
    }
}

/* The cells can be read in any way, only the index cannot. */
static void encoded_index(void **state) {
    (void)state;
    struct forge f = forge_make(&(struct forge_opts){.major = 3, .minor = 3, .cells = 9, .index_encoding = "PREFIX_TREE"});
    struct image m = image_of(buf_bytes(&f.file));
    struct err err = {0};
    struct tally t;
    assert_int_equal(read_all(m.path, (struct hfile_scan_opts){0}, &t, &err), -1);
    assert_int_equal(t.cells, 9);
    assert_true(digest_eq(t.digest, f.tally.digest));
    assert_int_equal(err.code, ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "index blocks in encoding PREFIX_TREE"));
    err.code = ERR_NONE;
    struct hfile_scan_opts some = {.start_row = bytes_str("row003"), .stop_row = bytes_str("row007")};
    if (read_all(m.path, some, &t, &err)) fail_msg("%s", err.text);
    assert_int_equal(t.cells, 4);
    struct hfile *h = hfile_open(m.path, 0, &err);
    struct kv_key first;
    struct hfile_range range;
    assert_int_equal(hfile_row_range(h, some.start_row, some.stop_row, &range, &err), 0);
    assert_int_equal(range.offset, 0);
    assert_int_equal(range.end, hfile_info(h)->load_on_open_offset);
    assert_true(kv_key_parse(hfile_info(h)->first_key, &first));
    assert_true(bytes_eq(first.row, bytes_str("row000")));
    hfile_close(h);
    close(m.fd);
    forge_free(&f);
    expect_cells(&(struct forge_opts){.major = 3, .minor = 3, .cells = 3, .index_encoding = "NONE"});
}

/* Every bit of such a file: what is read is unchanged, or it is refused. without_sums: cells may change unnoticed, but
 * nothing else. */
static void flip(const struct forge_opts *o, bool without_sums) {
    struct forge f = forge_make(o);
    struct image m = image_of(buf_bytes(&f.file));
    size_t unnoticed = 0, trailer = f.file.n - TRAILER_V2_BYTES;
    for (size_t i = 0; i < 8 * f.file.n; i++) {
        uint8_t byte = f.file.p[i / 8] ^ (uint8_t)(1u << i % 8);
        struct err err = {0};
        struct tally t;
        assert_int_equal(pwrite(m.fd, &byte, 1, (off_t)(i / 8)), 1);
        if (read_all(m.path, (struct hfile_scan_opts){0}, &t, &err) == 0) {
            bool same = t.cells == o->cells && digest_eq(t.digest, f.tally.digest);
            if (!same && (!without_sums || t.cells != o->cells || i / 8 >= trailer))
                fail_msg("v%u.%u, bit %zu: %llu cells read without error", o->major, o->minor, i, (unsigned long long)t.cells);
            unnoticed += !same;
        } else if (!strstr(err.text, m.path)) {
            fail_msg("v%u.%u, bit %zu: no file name in: %s", o->major, o->minor, i, err.text);
        }
        assert_int_equal(pwrite(m.fd, &f.file.p[i / 8], 1, (off_t)(i / 8)), 1);
    }
    if (!without_sums) assert_int_equal(unnoticed, 0);
    close(m.fd);
    forge_free(&f);
}

static void damage(void **state) {
    (void)state;
    flip(&(struct forge_opts){.major = 2, .minor = 1, .cells = 3, .meta_blocks = 1}, false);
    flip(&(struct forge_opts){.major = 2, .minor = 2, .cells = 3, .meta_blocks = 1}, false);
    flip(&(struct forge_opts){.major = 2, .minor = 0, .cells = 3, .meta_blocks = 1}, true);
}

/* File info in the old form, with its own counts and lengths wrong. */
static void writable_file_info(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        const char *word; /* NULL: it is right */
    } cases[] = {
        {"\0\0\0\0", 4, NULL},
        {"\0\0\0\1\1k\1\1v", 9, NULL},
        {"\0\0\0\2\1k\0\1v\0\7\0", 12, NULL}, /* an empty key and value */
        {"\0\0\0", 3, "file info of 3 bytes"},
        {"\0\0\0\2\1k\1\1v", 9, "neither starts with PBUF"},
        {"\xff\xff\xff\xff\1k\1\1v", 9, "neither starts with PBUF"},
        {"\0\0\0\1\2k\1", 7, "entry 0 of 1 is malformed"},
        {"\0\0\0\1\1k\1\2v", 9, "entry 0 of 1 is malformed"},
        {"\0\0\0\1\x87k\1\1v", 9, "entry 0 of 1 is malformed"}, /* a negative length */
        {"\0\0\0\1\1k\1\1vx", 10, "1 bytes after its 1 entries"},
        {"\0\0\0\2\1k\1\1v\1k\1\1w", 14, "key k appears twice"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct hfile_pair *pairs;
        struct err err = {0};
        size_t n;
        uint8_t *exact = malloc(cases[i].n);
        memcpy(exact, cases[i].text, cases[i].n);
        int rc = file_info_parse(bytes_of(exact, cases[i].n), &pairs, &n, &err);
        if ((rc == 0) != !cases[i].word) fail_msg("case %zu: %d, %s", i, rc, err.text);
        if (rc && !strstr(err.text, cases[i].word)) fail_msg("case %zu: %s", i, err.text);
        if (!rc) assert_int_equal(n, exact[3]);
        if (!rc && n == 1) assert_true(bytes_eq(pairs[0].key, bytes_str("k")) && bytes_eq(pairs[0].value, bytes_str("v")));
        free(pairs);
        free(exact);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version), cmocka_unit_test(unknown_versions),   cmocka_unit_test(comparators),
        cmocka_unit_test(encoded_index), cmocka_unit_test(writable_file_info), cmocka_unit_test(damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
