/* Which format an input is, what is refused by name, and HFiles as input: ranges in any order, totals that must hold. */
#include "recorder.h"

#include "base/outfile.h"
#include "hfile/hfile_writer.h"

#include <archive.h>
#include <archive_entry.h>

/* want: a format's name, or "!" and a part of the error's text. */
static void expect_vote(const char *dir_name, struct bytes content, const char *columns, int delimiter, const char *want) {
    struct fixture f;
    char dir[] = "/tmp/t_format.XXXXXX", path[200];
    const struct format *which = NULL;
    fixture_begin(&f, columns);
    const uint8_t byte = (uint8_t)delimiter;
    if (delimiter >= 0) fixture_say_bytes(&f, "delimiter", bytes_of(&byte, 1));
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/%s", dir, dir_name);
    FILE *out = fopen(path, "w");
    assert_int_equal(fwrite(content.p, 1, content.n, out), content.n);
    fclose(out);
    struct reader *r = format_open(path, NULL, &f.o, &which, &f.err);
    if (r) {
        assert_string_equal(which->name, want);
        r->ops->close(r);
    } else {
        assert_int_equal(want[0], '!');
        if (!strstr(f.err.text, want + 1)) assert_string_equal(f.err.text, want + 1);
        assert_true(f.err.code == ERR_USAGE || f.err.code == ERR_UNSUPPORTED || f.err.code == ERR_INPUT);
    }
    unlink(path);
    rmdir(dir);
    fixture_end(&f);
}

static void test_vote(void **state) {
    (void)state;
    const char *cols = "HBASE_ROW_KEY,f:a", *line = "72\t66\t71\t5\t4\t0\t76\t-\n";
    expect_vote("x", bytes_str("a,b\n"), cols, -1, "csv");
    expect_vote("x", bytes_str("a\tb\n"), cols, -1, "tsv");
    expect_vote("x.csv", bytes_str("a\tb\n"), cols, -1, "csv");
    expect_vote("x.tsv", bytes_str("a\tb,c\n"), cols, -1, "tsv");
    expect_vote("x.csv.gz", bytes_str("a\tb,c\n"), cols, -1, "csv");
    expect_vote("x", bytes_str("a\tb,c\n"), cols, -1, "!could be csv or tsv; choose with --format");
    expect_vote("x", bytes_str("a\tb,c\n"), cols, '\t', "tsv");
    expect_vote("x", bytes_str("a|b\n"), cols, '|', "csv");
    expect_vote("x", bytes_str("ab\n"), cols, -1,
                "!has no known format; give its format with --format; if it is no data, leave it out of its directory or archive "
                "with --files '!PATTERN'");
    expect_vote("x.csv", bytes_str("a,b\n"), NULL, -1, "!say what its columns become. Its header names 2, from a to b");
    expect_vote("x", bytes_str(""), cols, -1, "csv");
    expect_vote("x.tsv", bytes_str(""), cols, -1, "tsv");
    expect_vote("x", bytes_str(""), NULL, -1,
                "!is empty; give its format with --format; if it is no data, leave it out of its directory or archive with "
                "--files '!PATTERN'");
    expect_vote("x", bytes_str(line), NULL, -1, "cells");
    expect_vote("x", bytes_str("# dump\n\n72\t66\t-\t5\t4\t0\t-\t-"), NULL, -1, "cells");
    expect_vote("x", bytes_str(line), cols, -1, "!could be cells or tsv");
    expect_vote("x", bytes_str(line), cols, '\t', "tsv");
    expect_vote("x", bytes_str("72\t66\t71\t5\t4\t0\t76\t-\t-\n"), cols, -1, "tsv");
}

/* A value that fills the head: eight fields are not in sight. */
static void test_vote_on_long_cells(void **state) {
    (void)state;
    struct buf in = {0};
    struct err err = {0};
    buf_printf(&in, &err, "72\t66\t71\t5\t4\t0\t");
    for (int i = 0; i < 9000; i++) buf_put(&in, "ab", 2, &err);
    buf_printf(&in, &err, "\t-\n");
    expect_vote("x", buf_bytes(&in), NULL, -1, "cells");
    buf_free(&in);
}

static void test_foreign(void **state) {
    (void)state;
    const char *cols = "HBASE_ROW_KEY,f:a";
    expect_vote("x", bytes_of("Rar!\x1a\x07\1", 7), cols, -1, "!is a rar archive; unpack it first");
    expect_vote("x", bytes_of("PAR1....", 8), cols, -1,
                "!is a Parquet file; read it by: python -m obkv_sst cells FILE… | obkv-import … - (docs/parquet.md)");
    /* Archives, whatever the name and the options. */
    expect_vote("x.csv", bytes_of("PK\3\4abc", 7), cols, ';', "archive");
    expect_vote("x", bytes_of("PK\5\6..................", 22), cols, -1, "archive");
    expect_vote("x", bytes_of("7z\xbc\xaf\x27\x1c..", 8), NULL, -1, "!truncated 7z archive");
    char cpio[120];
    memset(cpio, '0', sizeof cpio);
    memcpy(cpio, "070707", 6);
    cpio[76 - 12] = '4'; /* bytes of the name, of which the last is NUL */
    cpio[76 + 3] = 0;
    expect_vote("x", bytes_of(cpio, sizeof cpio), cols, -1, "archive");
    cpio[10] = ',';
    expect_vote("x", bytes_of(cpio, sizeof cpio), cols, -1, "!has no known format");
    cpio[76 + 3] = '0';
    expect_vote("x", bytes_of(cpio, sizeof cpio), cols, -1, "csv");
    expect_vote("x.hfile", bytes_of("", 0), cols, -1, "!x.hfile");
    expect_vote("x", bytes_of("DATABLK*and then nothing", 24), NULL, -1, "!");
}

static void test_names(void **state) {
    (void)state;
    struct fixture f;
    struct buf names = {0};
    fixture_begin(&f, NULL);
    assert_int_equal(format_names(&names, &f.err), 0);
    assert_memory_equal(names.p, "archive, cells, csv, hfile, jsonl, seqfile, tsv, wal", 52);
    assert_null(format_by_name("xml"));
    assert_true(format_by_name("csv")->is_text && format_by_name("cells")->is_text && !format_by_name("hfile")->is_text);
    assert_null(format_open("tests", "xml", &f.o, NULL, &f.err));
    assert_int_equal(f.err.code, ERR_USAGE);
    assert_string_equal(
        f.err.text, "--format xml: there is no such format; known formats: archive, cells, csv, hfile, jsonl, seqfile, tsv, wal");
    f.err = (struct err){0};
    assert_null(format_open("tests", NULL, &f.o, NULL, &f.err));
    assert_string_equal(f.err.text, "tests: is a directory, but a file is needed");
    buf_free(&names);
    fixture_end(&f);
}

/* ---- HFiles ---- */

enum { ROWS = 3000 };

/* Writes ROWS rows of two cells, and their text. */
static void write_hfile(const char *path, struct buf *text) {
    struct err err = {0};
    struct hfile_write_opts o = hfile_write_defaults();
    struct hfile_write_stats stats;
    o.block_bytes = 1000;
    o.codec = HFILE_NONE;
    struct outfile *out = outfile_create(path, NULL, &err);
    struct hfile_writer *w = hfile_writer_open(&o, out, &err);
    char row[20], sum[17];
    for (int i = 0; i < ROWS; i++) {
        snprintf(row, sizeof row, "row%06d", i);
        struct cell cells[] = {{.qualifier = bytes_str("a"), .value = bytes_str(row), .ts_ms = i, .type = CELL_PUT},
                               {.qualifier = bytes_str("b"), .ts_ms = 7, .type = CELL_DELETE_COLUMN}};
        struct row_part part = {.row = bytes_str(row), .family = bytes_str("f"), .cells = cells, .n_cells = 2, .first = true};
        assert_int_equal(hfile_writer_put(w, &part, &err), 0);
        assert_int_equal(cells_print(text, &part, &err), 0);
    }
    assert_int_equal(hfile_writer_finish(w, &stats, &err), 0);
    assert_int_equal(outfile_finish(out, sum, &err), 0);
    hfile_writer_close(w);
    outfile_close(out);
}

struct hfile_fixture {
    struct fixture f;
    char dir[32], path[64];
    struct buf text;
};

static void hfile_begin(struct hfile_fixture *h) {
    *h = (struct hfile_fixture){.dir = "/tmp/t_format.XXXXXX"};
    fixture_begin(&h->f, NULL);
    h->f.o.memory.chunk = 3000;
    assert_non_null(mkdtemp(h->dir));
    snprintf(h->path, sizeof h->path, "%s/file", h->dir);
    write_hfile(h->path, &h->text);
}

static void hfile_end(struct hfile_fixture *h) {
    unlink(h->path);
    rmdir(h->dir);
    buf_free(&h->text);
    fixture_end(&h->f);
}

static void test_hfile_in_order(void **state) {
    (void)state;
    struct hfile_fixture h;
    const struct format *which;
    hfile_begin(&h);
    struct reader *r = format_open(h.path, NULL, &h.f.o, &which, &h.f.err);
    assert_string_equal(h.f.err.text, "");
    assert_string_equal(which->name, "hfile");
    int rc = recorder_drain(&h.f.rec, r, 1, &h.f.err);
    assert_string_equal(h.f.err.text, "");
    assert_int_equal(rc, 0);
    assert_int_equal(h.f.rec.cells, 2 * ROWS);
    assert_true(bytes_eq(buf_bytes(&h.f.rec.text), buf_bytes(&h.text)));
    assert_true(r->ops->input_bytes(r) > 0);
    r->ops->close(r);
    hfile_end(&h);
}

/* All ranges, then parsed in a random order, `skip` of them not at all. Returns finish's result. */
static int parse_shuffled(struct hfile_fixture *h, uint64_t seed, size_t skip) {
    static struct chunk chunks[400];
    size_t n = 0;
    int rc;
    struct reader *r = format_open(h->path, "hfile", &h->f.o, NULL, &h->f.err);
    assert_non_null(r);
    for (; (rc = r->ops->next(r, &chunks[n], &h->f.err)) > 0; n++) assert_true(n + 1 < countof(chunks));
    assert_int_equal(rc, 0);
    assert_true(n > 20);
    for (size_t i = n; i > 1; i--) {
        size_t j = test_random(&seed) % i;
        struct chunk t = chunks[i - 1];
        chunks[i - 1] = chunks[j];
        chunks[j] = t;
    }
    for (size_t i = 0; i < n - skip; i++) assert_int_equal(r->ops->parse(r, &chunks[i], 0, &h->f.rec.base, &h->f.err), 0);
    rc = r->ops->finish(r, &h->f.err);
    for (size_t i = 0; i < n; i++) buf_free(&chunks[i].data);
    r->ops->close(r);
    return rc;
}

static void test_hfile_in_any_order(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 8; seed++) {
        struct hfile_fixture h;
        hfile_begin(&h);
        assert_int_equal(parse_shuffled(&h, seed * 77, 0), 0);
        assert_int_equal(h.f.rec.cells, 2 * ROWS);
        hfile_end(&h);
    }
}

static void test_hfile_not_all_read(void **state) {
    (void)state;
    struct hfile_fixture h;
    hfile_begin(&h);
    assert_int_equal(parse_shuffled(&h, 5, 1), -1);
    assert_int_equal(h.f.err.code, ERR_INTERNAL);
    assert_non_null(strstr(h.f.err.text, "not all of its"));
    hfile_end(&h);
}

/* Two ranges given to the parser in each other's place: the order between ranges is checked. */
static void test_hfile_ranges_swapped(void **state) {
    (void)state;
    struct hfile_fixture h;
    struct chunk a = {0}, b = {0};
    hfile_begin(&h);
    struct reader *r = format_open(h.path, "hfile", &h.f.o, NULL, &h.f.err);
    assert_int_equal(r->ops->next(r, &a, &h.f.err), 1);
    assert_int_equal(r->ops->next(r, &b, &h.f.err), 1);
    uint64_t number = a.range.number;
    a.range.number = b.range.number;
    b.range.number = number;
    assert_int_equal(r->ops->parse(r, &a, 0, &h.f.rec.base, &h.f.err), 0);
    assert_int_equal(r->ops->parse(r, &b, 0, &h.f.rec.base, &h.f.err), -1);
    assert_int_equal(h.f.err.code, ERR_INPUT);
    assert_non_null(strstr(h.f.err.text, "block range 1 begins with a cell that belongs before the end of the range before it"));
    r->ops->close(r);
    hfile_end(&h);
}

static void test_hfile_compressed(void **state) {
    (void)state;
    struct hfile_fixture h;
    static char content[1 << 20], packed[1 << 20];
    char path[64];
    size_t used = 0;
    hfile_begin(&h);
    FILE *in = fopen(h.path, "r");
    size_t n = fread(content, 1, sizeof content, in);
    fclose(in);
    struct archive *a = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    archive_write_add_filter_gzip(a);
    archive_write_set_format_raw(a);
    archive_write_set_bytes_per_block(a, 0);
    archive_write_open_memory(a, packed, sizeof packed, &used);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_write_header(a, e);
    archive_write_data(a, content, n);
    archive_write_close(a);
    archive_write_free(a);
    archive_entry_free(e);
    int fd;
    assert_null(format_open(recorder_file(bytes_of(packed, used), &fd, path), NULL, &h.f.o, NULL, &h.f.err));
    assert_int_equal(h.f.err.code, ERR_UNSUPPORTED);
    assert_non_null(strstr(h.f.err.text, "must be a file on disk, not compressed"));
    h.f.err = (struct err){0};
    /* With a directory for temporary files it is unpacked to one, which counts as long as it is read. */
    struct disk_quota quota = {0};
    h.f.o.temp_dir = "/tmp";
    h.f.o.quota = &quota;
    struct reader *r = format_open(path, NULL, &h.f.o, NULL, &h.f.err);
    assert_string_equal(h.f.err.text, "");
    assert_int_equal(quota.used_bytes, n);
    assert_int_equal(recorder_drain(&h.f.rec, r, 0, &h.f.err), 0);
    assert_true(bytes_eq(buf_bytes(&h.f.rec.text), buf_bytes(&h.text)));
    char hex[17], want[17];
    assert_int_equal(r->ops->checksum(r, hex, &h.f.err), 0);
    assert_int_equal(file_sum_of(path, want, &h.f.err), 0);
    assert_string_equal(hex, want);
    r->ops->close(r);
    assert_int_equal(quota.used_bytes, 0);
    quota.limit_bytes = n - 1;
    assert_null(format_open(path, NULL, &h.f.o, NULL, &h.f.err));
    assert_int_equal(h.f.err.code, ERR_LIMIT);
    assert_int_equal(quota.used_bytes, 0);
    close(fd);
    hfile_end(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vote),
        cmocka_unit_test(test_vote_on_long_cells),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_hfile_in_order),
        cmocka_unit_test(test_hfile_in_any_order),
        cmocka_unit_test(test_hfile_not_all_read),
        cmocka_unit_test(test_hfile_ranges_swapped),
        cmocka_unit_test(test_hfile_compressed),
    };
    return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
