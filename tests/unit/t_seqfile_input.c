/* SequenceFiles as input: what HBase's Export wrote, cell for cell; every version and compression made here; what is refused.
 * Chunks of any size must give the same cells. */
#include "base/fs.h"
#include "seqfile_cases.h"

/* ---- what HBase wrote ---- */

static char *load(const char *directory, const char *name, size_t *n) {
    struct err err = {0};
    char *path = fs_printf(&err, "tests/data/seqfiles/%s%s%s", directory, *directory ? "/" : "", name);
    char *text = fs_read_text(path, 1 << 20, n, &err);
    if (!text) fail_msg("%s", err.text);
    free(path);
    return text;
}

static void expect_directory(const char *directory, const char *cells) {
    size_t n[3];
    char *want = load("", cells, &n[0]), *part0 = load(directory, "part-m-00000", &n[1]),
         *part1 = load(directory, "part-m-00001", &n[2]);
    for (size_t i = 0; i < countof(chunk_sizes); i++) {
        struct fixture f;
        begin(&f, chunk_sizes[i]);
        make_ok(recorder_run(&f.rec, NULL, bytes_of(part0, n[1]), &f.o, &f.err));
        make_ok(recorder_run(&f.rec, NULL, bytes_of(part1, n[2]), &f.o, &f.err));
        make_byte(&f.rec.text, 0);
        assert_string_equal((char *)f.rec.text.p, want);
        assert_int_equal(f.rec.rejected, 0);
        fixture_end(&f);
    }
    free(want);
    free(part0);
    free(part1);
}

static void test_exports(void **state) {
    (void)state;
    static const char *const directories[][2] = {
        {"none_v1", "v1.tsv"},        {"none_v5", "v5.tsv"},     {"none_raw", "raw.tsv"},     {"batch3", "v5.tsv"},
        {"default_record", "v5.tsv"}, {"gzip_record", "v5.tsv"}, {"snappy_record", "v5.tsv"}, {"lz4_record", "v5.tsv"},
        {"default_block", "raw.tsv"}, {"gzip_block", "v5.tsv"},  {"snappy_block", "raw.tsv"}, {"lz4_block", "v5.tsv"},
        {"bzip2_block", "v5.tsv"}};
    for (size_t i = 0; i < countof(directories); i++) expect_directory(directories[i][0], directories[i][1]);
}

static void test_other_jobs(void **state) {
    (void)state;
    static const char *const files[][2] = {{"partitions", "values org.apache.hadoop.io.NullWritable"},
                                           {"hashes", "values org.apache.hadoop.hbase.io.ImmutableBytesWritable"}};
    for (size_t i = 0; i < countof(files); i++) {
        size_t n;
        char *content = load("hashtable", files[i][0], &n);
        expect_error(bytes_of(content, n), 0, ERR_UNSUPPORTED, files[i][1]);
        free(content);
    }
}

/* ---- what is made here ---- */

static void test_all_kinds(void **state) {
    (void)state;
    for (size_t i = 0; i < countof(variants); i++)
        for (int writable = 0; writable < 2; writable++) {
            struct made m = variants[i];
            struct buf want = {0};
            make_table(&m, writable, &want);
            expect(buf_bytes(&m.b), (char *)want.p);
            made_free(&m);
            buf_free(&want);
        }
}

static void test_metadata(void **state) {
    (void)state;
    struct made m = {.version = 6};
    made_header_of(&m, MAKE_KEY_CLASS, MAKE_VALUE_CLASS, 2000); /* more than the first look at a file */
    made_record(&m, "r", bytes_of("\0", 1));
    expect(buf_bytes(&m.b), "");
    made_free(&m);
    m.version = 6;
    made_header_of(&m, MAKE_KEY_CLASS, MAKE_VALUE_CLASS, 100000);
    expect_error(buf_bytes(&m.b), 0, ERR_LIMIT, "its header needs more than");
    made_free(&m);
}

static void test_no_records(void **state) {
    (void)state;
    struct made m = {.version = 6};
    made_header(&m);
    expect(buf_bytes(&m.b), "");
    made_sync(&m); /* at the very start, twice, at the end */
    made_sync(&m);
    made_record(&m, "r", bytes_of("\0", 1));
    made_record(&m, "s", bytes_of("\0\0\0\0", 4));
    made_sync(&m);
    expect(buf_bytes(&m.b), "");
    made_free(&m);
    m = (struct made){.version = 6, .compressed = true, .blocks = true, .framing = MAKE_ZLIB, .codec_class = "DefaultCodec"};
    made_header(&m);
    made_block(&m);
    made_block(&m);
    expect(buf_bytes(&m.b), "");
    made_free(&m);
}

/* ---- cells ---- */

static void test_bad_cells(void **state) {
    (void)state;
    struct made m = {.version = 6};
    struct buf cells = {0}, want = {0}, long_tags = {0};
    struct err err = {0};
    char family[200];
    memset(family, 'f', 128);
    family[128] = 0;
    for (size_t i = 0; i <= TAGS_MAX_BYTES; i++) make_byte(&long_tags, 0);
    made_header(&m);
    uint64_t at = m.b.n;
    make_pb_cell(&cells, (struct make_cell){"r", "f", "q1", "v", 1, 4, {0}});
    make_pb_cell(&cells, (struct make_cell){"r", "f", "q2", "v", 1, 5, {0}});
    make_pb_cell(&cells, (struct make_cell){"s", "f", "q2", "v", 1, 4, {0}});
    make_pb_cell(&cells, (struct make_cell){NULL, "f", "q2", "v", 1, 4, {0}});
    make_pb_cell(&cells, (struct make_cell){"r", family, "q2", "v", 1, 4, {0}});
    make_pb_cell(&cells, (struct make_cell){"r", "f", "q3", "v", 1, 4, {0}});
    put_cells(&m, &cells);
    uint64_t second = m.b.n;
    make_pb_cell(&cells, (struct make_cell){"r", "f", "q4", "v", 1, 4, buf_bytes(&long_tags)});
    put_cells(&m, &cells);
    /* Two good cells in one part, after the bad ones between them. */
    static const char *const bad[] = {
        "type 5 is not one that HBase writes (4, 8, 10, 12, 14) |72\\x0966\\x097132\\x091\\x095\\x090",
        "row differs from the key of its record |73\\x0966\\x097132\\x091\\x094\\x090",
        "row differs from the key of its record |-\\x0966\\x097132\\x091\\x094\\x090"};
    for (size_t i = 0; i < countof(bad); i++)
        make_ok(buf_printf(&want, &err, "! line 0 offset %llu column 0 %s\\x0976\\x09-|\n", (unsigned long long)at, bad[i]));
    make_ok(buf_printf(&want, &err, "! line 0 offset %llu column 0 family of 128 bytes, at most 127 are possible |72\\x09",
                       (unsigned long long)at));
    for (size_t i = 0; i < 128; i++) make_put(&want, "66", 2);
    make_ok(buf_printf(&want, &err,
                       "\\x097132\\x091\\x094\\x090\\x0976\\x09-|\n72\t66\t7131\t1\t4\t0\t76\t-\n72\t66\t7133\t1\t4\t0\t76\t-\n"
                       "! line 0 offset %llu column 0 tags of 65536 bytes, at most 65535 are possible "
                       "|72\\x0966\\x097134\\x091\\x094\\x090\\x0976\\x09",
                       (unsigned long long)second));
    for (size_t i = 0; i < long_tags.n; i++) make_put(&want, "00", 2);
    make_put(&want, "|\n", 3);
    expect(buf_bytes(&m.b), (char *)want.p);
    made_free(&m);
    buf_free(&cells);
    buf_free(&want);
    buf_free(&long_tags);
}

/* Cells in no order, of families in turn, with equal ones (the later is the newer): parts come in order all the same. */
static void test_order(void **state) {
    (void)state;
    struct made m = {.version = 6};
    struct buf cells = {0};
    made_header(&m);
    make_pb_cell(&cells, (struct make_cell){"r", "f", "b", "1", 5, 4, {0}});
    make_pb_cell(&cells, (struct make_cell){"r", "f", "a", "2", 5, 4, {0}});
    make_pb_cell(&cells, (struct make_cell){"r", "f", "a", "3", 9, 4, {0}});
    make_pb_cell(&cells, (struct make_cell){"r", "f", "a", "4", 5, 4, {0}});
    make_pb_cell(&cells, (struct make_cell){"r", "f", "a", "5", 5, 12, {0}});
    make_pb_cell(&cells, (struct make_cell){"r", "g", "a", "6", 5, 4, {0}});
    make_pb_cell(&cells, (struct make_cell){"r", "f", "a", "7", 5, 4, bytes_of("\0\2\7x", 4)});
    put_cells(&m, &cells);
    expect(buf_bytes(&m.b), "72\t66\t61\t9\t4\t0\t33\t-\n72\t66\t61\t5\t12\t0\t35\t-\n72\t66\t61\t5\t4\t0\t34\t-\n"
                            "72\t66\t61\t5\t4\t0\t32\t-\n72\t66\t62\t5\t4\t0\t31\t-\n"
                            "72\t67\t61\t5\t4\t0\t36\t-\n72\t66\t61\t5\t4\t0\t37\t00020778\n");
    made_free(&m);
    buf_free(&cells);
}

/* A row of 5,000 cells, then one of values that fill a part each. */
static void test_wide_rows(void **state) {
    (void)state;
    struct made m = {.version = 6};
    struct buf cells = {0};
    struct fixture f;
    char qualifier[20], *value = calloc(1, 700001);
    assert_non_null(value);
    memset(value, 'x', 700000);
    made_header(&m);
    for (int i = 0; i < 5000; i++) {
        snprintf(qualifier, sizeof qualifier, "%05d", i);
        make_pb_cell(&cells, (struct make_cell){"r", "f", qualifier, "", 5, 4, {0}});
    }
    put_cells(&m, &cells);
    for (int i = 0; i < 4; i++) make_pb_cell(&cells, (struct make_cell){"r", "f", qualifier, value, 9 - i, 4, {0}});
    put_cells(&m, &cells);
    begin(&f, 1000);
    make_ok(recorder_run(&f.rec, NULL, buf_bytes(&m.b), &f.o, &f.err));
    assert_int_equal(f.rec.cells, 5004);
    fixture_end(&f);
    made_free(&m);
    buf_free(&cells);
    free(value);
}

/* Ranks do not depend on how the file is cut, and rise with the records. */
struct ranks {
    struct emit base;
    uint64_t n, seen[64];
};

static int note_ranks(struct emit *e, const struct row_part *part, const struct tally *tally, struct err *err) {
    struct ranks *r = (struct ranks *)e;
    (void)tally, (void)err;
    for (uint32_t i = 0; i < part->n_cells; i++) r->seen[r->n++] = part->cells[i].rank;
    return 0;
}

static void test_ranks(void **state) {
    (void)state;
    static const struct emit_ops ops = {.cells = note_ranks};
    for (size_t v = 0; v < countof(variants); v++) {
        struct ranks all[2] = {0};
        struct made m = variants[v];
        struct buf want = {0};
        make_table(&m, false, &want);
        for (size_t i = 0; i < 2; i++) {
            struct chunk c = {0};
            struct fixture f;
            char path[64];
            int fd;
            fixture_begin(&f, NULL);
            f.o.memory.chunk = i ? 1 : 1 << 20;
            all[i].base.ops = &ops;
            struct reader *r = format_open(recorder_file(buf_bytes(&m.b), &fd, path), "seqfile", &f.o, NULL, &f.err);
            while (r->ops->next(r, &c, &f.err) > 0) make_ok(r->ops->parse(r, &c, 3, &all[i].base, &f.err));
            r->ops->close(r);
            close(fd);
            buf_free(&c.data);
            fixture_end(&f);
        }
        assert_int_equal(all[0].n, 21);
        assert_memory_equal(all[0].seen, all[1].seen, 21 * sizeof *all[0].seen);
        for (size_t i = 1; i < 21; i++) assert_true(all[0].seen[i - 1] < all[0].seen[i]);
        assert_int_equal(rank_input(all[0].seen[20]), 3);
        made_free(&m);
        buf_free(&want);
    }
}

/* ---- what is refused ---- */

static void test_refused(void **state) {
    (void)state;
    struct made m = {.version = 6};
    made_header_of(&m, "org.apache.hadoop.hbase.regionserver.wal.HLogKey", "org.apache.hadoop.hbase.regionserver.wal.WALEdit", 0);
    expect_error(buf_bytes(&m.b), 0, ERR_UNSUPPORTED, "a write-ahead log; replay it with WALPlayer");
    made_free(&m);
    m = (struct made){.version = 6, .compressed = true, .codec_class = "com.hadoop.compression.lzo.LzopCodec"};
    made_header(&m);
    expect_error(buf_bytes(&m.b), 0, ERR_UNSUPPORTED, "compressed with com.hadoop.compression.lzo.LzopCodec");
    m.b.p[3] = 3;
    expect_error(buf_bytes(&m.b), 0, ERR_UNSUPPORTED, "is a SequenceFile of version 3");
    m.b.p[3] = 7;
    expect_error(buf_bytes(&m.b), 0, ERR_UNSUPPORTED, "is a SequenceFile of version 7");
    made_free(&m);
    m = (struct made){.version = 6, .blocks = true};
    made_header(&m);
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "compressed blocks, but no compression");
    made_free(&m);
    m = (struct made){.version = 6};
    made_header(&m);
    m.b.p[4] = 0x88; /* a length of 8 bytes, negative */
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "no readable name of the key class");
    m.b.p[4] = 0x31;
    m.b.p[10] = '\n';
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "no readable name of the key class");
    made_free(&m);
    expect_error(bytes_of("SEQ\6", 4), 0, ERR_INPUT, "ends inside its header, at byte 4");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exports),  cmocka_unit_test(test_other_jobs), cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_metadata), cmocka_unit_test(test_no_records), cmocka_unit_test(test_bad_cells),
        cmocka_unit_test(test_order),    cmocka_unit_test(test_wide_rows),  cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("seqfile", tests, NULL, NULL);
}
