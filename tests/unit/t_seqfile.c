/* SequenceFiles as input: what HBase's Export wrote, cell for cell; every version and compression made here; sync markers,
 * truncation, limits and damage. Chunks of any size must give the same cells. */
#include "recorder.h"

#include "base/fs.h"
#include "cell/order.h"
#include "formats/seqfile_frame.h"
#include "seqfile_make.h"

static const size_t chunk_sizes[] = {1, 7, 100, 4096, 1 << 20};

/* Parts as the pipeline wants them: cell order, not too large, of one row and family. */
static int checked_cells(struct emit *e, const struct row_part *part, const struct tally *tally, struct err *err) {
    assert_in_range(part->n_cells, 1, PART_MAX_CELLS);
    assert_null(tally);
    for (uint32_t i = 1; i < part->n_cells; i++) assert_true(cell_cmp(&part->cells[i - 1], &part->cells[i], TIE_BY_SEQUENCE) < 0);
    return recorder_cells(e, part, tally, err);
}

static void begin(struct fixture *f, size_t chunk_bytes) {
    static const struct emit_ops ops = {
        .record = recorder_record, .cells = checked_cells, .reject = recorder_reject, .skip = recorder_skip};
    fixture_begin(f, NULL);
    f->rec.base.ops = &ops;
    f->o.chunk_bytes = chunk_bytes;
}

static void expect_in_chunks(struct bytes content, size_t chunk_bytes, const char *want) {
    struct fixture f;
    begin(&f, chunk_bytes);
    fixture_expect_bytes(&f, NULL, content, want);
    fixture_end(&f);
}

static void expect(struct bytes content, const char *want) {
    for (size_t i = 0; i < countof(chunk_sizes); i++) expect_in_chunks(content, chunk_sizes[i], want);
}

static void expect_error(struct bytes content, size_t limit, enum err_code code, const char *text) {
    for (size_t i = 0; i < countof(chunk_sizes); i++) {
        struct fixture f;
        begin(&f, chunk_sizes[i]);
        f.o.max_block_bytes = limit;
        assert_int_equal(recorder_run(&f.rec, NULL, content, &f.o, &f.err), -1);
        if (!strstr(f.err.text, text)) assert_string_equal(f.err.text, text);
        assert_int_equal(f.err.code, code);
        fixture_end(&f);
    }
}

/* ---- what HBase wrote ---- */

static char *load(const char *folder, const char *name, size_t *n) {
    struct err err = {0};
    char *path = fs_printf(&err, "tests/data/seqfiles/%s%s%s", folder, *folder ? "/" : "", name);
    char *text = fs_read_text(path, 1 << 20, n, &err);
    if (!text) fail_msg("%s", err.text);
    free(path);
    return text;
}

static void expect_folder(const char *folder, const char *cells) {
    size_t n[3];
    char *want = load("", cells, &n[0]), *part0 = load(folder, "part-m-00000", &n[1]),
         *part1 = load(folder, "part-m-00001", &n[2]);
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
    static const char *const folders[][2] = {
        {"none_v1", "v1.tsv"},        {"none_v5", "v5.tsv"},     {"none_raw", "raw.tsv"},     {"batch3", "v5.tsv"},
        {"default_record", "v5.tsv"}, {"gzip_record", "v5.tsv"}, {"snappy_record", "v5.tsv"}, {"lz4_record", "v5.tsv"},
        {"default_block", "raw.tsv"}, {"gzip_block", "v5.tsv"},  {"snappy_block", "raw.tsv"}, {"lz4_block", "v5.tsv"},
        {"bzip2_block", "v5.tsv"}};
    for (size_t i = 0; i < countof(folders); i++) expect_folder(folders[i][0], folders[i][1]);
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

static const struct made variants[] = {
    {.version = 6},
    {.version = 5},
    {.version = 4},
    {.version = 4, .compressed = true, .framing = MAKE_ZLIB},
    {.version = 4, .compressed = true, .blocks = true, .framing = MAKE_ZLIB},
    {.version = 5, .compressed = true, .framing = MAKE_GZIP, .codec_class = "org.apache.hadoop.io.compress.GzipCodec"},
    {.version = 5, .compressed = true, .blocks = true, .framing = MAKE_BZIP2, .codec_class = "x.BZip2Codec"},
    {.version = 6, .compressed = true, .framing = MAKE_BZIP2, .codec_class = "org.apache.hadoop.io.compress.BZip2Codec"},
    {.version = 6, .compressed = true, .framing = MAKE_ZSTD, .codec_class = "org.apache.hadoop.io.compress.ZStandardCodec"},
    {.version = 6,
     .compressed = true,
     .blocks = true,
     .framing = MAKE_ZSTD,
     .codec_class = "org.apache.hadoop.io.compress.ZStandardCodec"},
    {.version = 6, .compressed = true, .blocks = true, .framing = MAKE_SNAPPY, .codec_class = "SnappyCodec"},
    {.version = 6, .compressed = true, .framing = MAKE_LZ4, .codec_class = "org.apache.hadoop.io.compress.Lz4Codec"},
};

/* Nine rows of three cells, every fourth without any; in the form of 0.94 or of later versions. Blocks of two and more. */
static void make_table(struct made *m, bool writable, struct buf *want) {
    struct buf cells = {0}, value = {0};
    struct err err = {0};
    made_header(m);
    for (int i = 0; i < 9; i++) {
        char row[20], v[40];
        snprintf(row, sizeof row, "r%d", i);
        snprintf(v, sizeof v, "value-%d", i * i);
        buf_clear(&cells);
        for (int q = 0; q < 3 && i % 4 != 3; q++) {
            struct make_cell c = {row, "cf", q == 0 ? "" : q == 1 ? "a" : "b", v, 1000 - q, q == 0 ? 14 : 4, {0}};
            (writable ? make_94_cell : make_pb_cell)(&cells, c);
            make_ok(buf_printf(want, &err, "%02x%02x\t6366\t%s\t%d\t%d\t0\t", row[0], row[1],
                               q == 0   ? "-"
                               : q == 1 ? "61"
                                        : "62",
                               1000 - q, (int)c.type));
            for (const char *p = v; *p; p++) make_ok(buf_printf(want, &err, "%02x", *p));
            make_ok(buf_printf(want, &err, "\t-\n"));
        }
        made_put(m, row, make_value(&value, &cells, writable));
        if (i % 3 == 1) m->blocks ? made_block(m) : made_sync(m);
    }
    if (m->blocks) made_block(m);
    make_byte(want, 0);
    buf_free(&cells);
    buf_free(&value);
}

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

/* The only place where a cut goes unseen is between two units. */
static void expect_truncation_is_found(const struct made *m) {
    for (size_t n = 5; n < m->b.n; n++) {
        struct seqfile_header h;
        struct err err = {0};
        bool boundary = seqfile_header_parse(bytes_of(m->b.p, n), &h, &err) == 1;
        for (size_t at = boundary ? h.bytes : n; at < n;) {
            struct seqfile_unit u;
            if (seqfile_unit_parse(&h, bytes_of(m->b.p + at, n - at), &u, &err) != 1) boundary = false;
            at += boundary ? u.bytes : n;
        }
        for (size_t i = 0; i < 2; i++) {
            struct fixture f;
            begin(&f, chunk_sizes[2 * i]);
            int rc = recorder_run(&f.rec, "seqfile", bytes_of(m->b.p, n), &f.o, &f.err);
            assert_int_equal(rc, boundary ? 0 : -1);
            assert_int_equal(f.err.code, boundary ? ERR_NONE : ERR_INPUT);
            fixture_end(&f);
        }
    }
}

static void test_truncation(void **state) {
    (void)state;
    static const size_t some[] = {0, 3, 4, 9};
    for (size_t i = 0; i < countof(some); i++) {
        struct made m = variants[some[i]];
        struct buf want = {0};
        make_table(&m, false, &want);
        expect_truncation_is_found(&m);
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

static void put_cells(struct made *m, struct buf *cells) {
    struct buf value = {0};
    made_put(m, "r", make_value(&value, cells, false));
    buf_clear(cells);
    buf_free(&value);
}

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
    static const char *const bad[] = {"type 5 is none that HBase writes (4, 8, 10, 12, 14) |72\\x0966\\x097132\\x091\\x095\\x090",
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
            f.o.chunk_bytes = i ? 1 : 1 << 20;
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
    expect_error(buf_bytes(&m.b), 0, ERR_UNSUPPORTED, "a write-ahead log: replay it with WALPlayer");
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
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "compressed blocks and no compression");
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

static void test_limits(void **state) {
    (void)state;
    struct buf cells = {0};
    char *value = calloc(1, 100001);
    assert_non_null(value);
    memset(value, 'x', 100000);
    for (size_t i = 0; i < countof(variants); i++) {
        struct made m = variants[i];
        made_header(&m);
        make_pb_cell(&cells, (struct make_cell){"r", "f", "q", value, 1, 4, {0}});
        put_cells(&m, &cells);
        m.blocks ? made_block(&m) : made_sync(&m);
        expect_error(buf_bytes(&m.b), 50000, ERR_LIMIT, "the limit");
        made_free(&m);
    }
    buf_free(&cells);
    free(value);
}

/* Lengths that are damaged, in files that go on behind them. */
static void test_damaged_lengths(void **state) {
    (void)state;
    struct made m = {.version = 6};
    made_header(&m);
    size_t at = m.b.n;
    for (int i = 0; i < 2000; i++) {
        made_record(&m, "row", bytes_of("\0", 1));
        if (i % 500 == 499) made_sync(&m);
    }
    put_be32(m.b.p + at, 1 << 30);
    expect_error(buf_bytes(&m.b), 10000, ERR_INPUT, "says it takes 1073741832 bytes, but there is a sync marker at byte 8114");
    put_be32(m.b.p + at, 0x80000000);
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "its length is -2147483648, that of its key 7");
    put_be32(m.b.p + at, 6);
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "its length is 6, that of its key 7");
    put_be32(m.b.p + at, 8);
    put_be32(m.b.p + at + 4, 3);
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "that of its key 3");
    put_be32(m.b.p + at + 4, 7);
    put_be32(m.b.p + at + 8, 4);
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "a key of 7 bytes says that its row has 4");
    put_be32(m.b.p + at + 8, 3);
    memset(m.b.p + at + 16 * 500, 0xff, 5);
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "it is not the sync marker that belongs there");
    m.b.n = at + 16 * 500;
    put_be32(m.b.p + at, 1 << 30);
    expect_error(buf_bytes(&m.b), 1000, ERR_INPUT,
                 "says it takes 1073741832 bytes, but the file ends 8000 bytes behind its start");
    made_free(&m);
}

static void test_damaged_blocks(void **state) {
    (void)state;
    static const char *const want[] = {"lengths of keys and values do not add up", "the length at its byte 21 is impossible",
                                       "it says it has -1 records", "lengths of keys: not a valid deflate stream"};
    for (int i = 0; i < 4; i++) {
        struct made m = {.version = 6, .compressed = true, .blocks = true, .framing = MAKE_ZLIB, .codec_class = "DefaultCodec"};
        made_header(&m);
        size_t at = m.b.n;
        made_in_block(&m, "r", bytes_of("\0", 1));
        made_in_block(&m, "s", bytes_of("\0", 1));
        made_block(&m);
        if (i == 0) m.b.p[at + 20] = 1;
        if (i == 1) m.b.p[at + 21] = 0xff;
        if (i == 2) m.b.p[at + 20] = 0xff;
        if (i == 3) m.b.p[at + 22] ^= 0x40;
        expect_error(buf_bytes(&m.b), 0, ERR_INPUT, want[i]);
        m.b.p[at + 20] = 3;
        if (i == 0) expect_error(buf_bytes(&m.b), 0, ERR_INPUT, want[0]);
        made_free(&m);
    }
}

static void test_sync_find(void **state) {
    (void)state;
    struct made m = {.version = 6};
    struct seqfile_header h;
    struct err err = {0};
    made_header(&m);
    assert_int_equal(seqfile_header_parse(buf_bytes(&m.b), &h, &err), 1);
    assert_int_equal(h.bytes, m.b.n);
    make_put(&m.b, "\xff\xff\xff\xff\xff", 5);
    size_t marker = m.b.n - 1;
    make_put(&m.b, "\xff\xff\xff", 3);
    make_put(&m.b, make_sync_bytes, 16);
    /* The header's own 16 bytes are none: nothing says -1 in front of them. */
    assert_int_equal(seqfile_sync_find(&h, buf_bytes(&m.b), 0), marker);
    assert_int_equal(seqfile_sync_find(&h, buf_bytes(&m.b), marker), marker);
    assert_int_equal(seqfile_sync_find(&h, buf_bytes(&m.b), marker + 1), m.b.n);
    assert_int_equal(seqfile_sync_find(&h, bytes_of(m.b.p, m.b.n - 1), 0), m.b.n - 1);
    assert_int_equal(seqfile_sync_find(&h, bytes_of(m.b.p, 0), 5), 0);
    made_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exports),         cmocka_unit_test(test_other_jobs),     cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_truncation),      cmocka_unit_test(test_metadata),       cmocka_unit_test(test_no_records),
        cmocka_unit_test(test_bad_cells),       cmocka_unit_test(test_order),          cmocka_unit_test(test_wide_rows),
        cmocka_unit_test(test_ranks),           cmocka_unit_test(test_refused),        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_damaged_lengths), cmocka_unit_test(test_damaged_blocks), cmocka_unit_test(test_sync_find),
    };
    return cmocka_run_group_tests_name("seqfile", tests, NULL, NULL);
}
