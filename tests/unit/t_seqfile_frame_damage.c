/* Damaged SequenceFiles: cut off anywhere, lengths that are wrong, blocks that do not decompress; found, and skipped on request.
 * Chunks of any size must lead to the same. */
#include "base/fs.h"
#include "formats/seqfile/seqfile_frame.h"
#include "seqfile_cases.h"

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
    expect_error(buf_bytes(&m.b), 10000, ERR_INPUT, "claims 1073741832 bytes, but there is a sync marker at byte 8114");
    put_be32(m.b.p + at, 0x80000000);
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "its length is -2147483648, that of its key 7");
    put_be32(m.b.p + at, 6);
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "its length is 6, that of its key 7");
    put_be32(m.b.p + at, 8);
    put_be32(m.b.p + at + 4, 3);
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "that of its key 3");
    put_be32(m.b.p + at + 4, 7);
    put_be32(m.b.p + at + 8, 4);
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "its key of 7 bytes says that the row has 4");
    put_be32(m.b.p + at + 8, 3);
    memset(m.b.p + at + 16 * 500, 0xff, 5);
    expect_error(buf_bytes(&m.b), 0, ERR_INPUT, "it is not the sync marker that belongs there");
    m.b.n = at + 16 * 500;
    put_be32(m.b.p + at, 1 << 30);
    expect_error(buf_bytes(&m.b), 1000, ERR_INPUT, "claims 1073741832 bytes, but the file ends 8000 bytes after its start");
    made_free(&m);
}

static void test_damaged_blocks(void **state) {
    (void)state;
    static const char *const want[] = {"lengths of keys and values do not add up", "the length at its byte 21 is impossible",
                                       "it announces -1 records", "lengths of keys: not a valid deflate stream"};
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

/* ---- damage that is skipped ---- */

static int record_lost(struct emit *e, const struct lost *lost, struct err *err) {
    struct recorder *r = (struct recorder *)e;
    assert_true(lost->cells == LOST_UNKNOWN && bytes_eq(lost->first_row, lost->last_row));
    buf_printf(&r->text, err, "lost %llu ", (unsigned long long)lost->offset);
    recorder_bytes(&r->text, lost->first_row.p ? lost->first_row : bytes_str("?"));
    return buf_printf(&r->text, err, " %s\n", lost->reason);
}

static void count_lost(struct emit *e, uint64_t cells) {
    assert_true(cells == LOST_UNKNOWN);
    ((struct recorder *)e)->skipped++;
}

static void expect_skipped(const struct made *m, const char *want) {
    static const struct emit_ops ops = {
        .cells = checked_cells, .reject = recorder_reject, .lost = record_lost, .lost_cells = count_lost};
    for (size_t i = 0; i < countof(chunk_sizes); i++) {
        struct fixture f;
        begin(&f, chunk_sizes[i]);
        f.rec.base.ops = &ops;
        f.o.on_damage = DAMAGE_SKIPS_BLOCK;
        f.o.memory.max_block = 10000;
        fixture_expect_bytes(&f, "seqfile", buf_bytes(&m->b), want);
        assert_true(!strstr(want, "lost") == !f.rec.skipped);
        fixture_end(&f);
    }
}

/* Rows a, b, … of one cell each, with a sync marker (a block's end) behind every second. Where each unit begins. */
static void make_rows(struct made *m, size_t at[10]) {
    struct buf cells = {0}, value = {0};
    made_header(m);
    for (int i = 0; i < 10; i++) {
        char row[2] = {(char)('a' + i), 0};
        buf_clear(&cells);
        make_pb_cell(&cells, (struct make_cell){row, "f", "q", "a value", 5, 4, {0}});
        at[i] = m->b.n;
        made_put(m, row, make_value(&value, &cells, false));
        if (i % 2) m->blocks ? made_block(m) : made_sync(m);
    }
    buf_free(&cells);
    buf_free(&value);
}

/* The cells of the rows named, and behind `after` of them a line. */
static char *rows_text(const char *rows, size_t after, const char *line) {
    struct buf b = {0};
    struct err err = {0};
    for (size_t i = 0; i <= strlen(rows); i++) {
        if (i == after) buf_printf(&b, &err, "%s", line);
        if (rows[i]) buf_printf(&b, &err, "%02x\t66\t71\t5\t4\t0\t612076616c7565\t-\n", rows[i]);
    }
    buf_put_byte(&b, 0, &err);
    return (char *)b.p;
}

static void expect_rows(struct made *m, const char *rows, size_t after, const char *fmt, ...) {
    char line[500];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    char *want = rows_text(rows, after, line);
    expect_skipped(m, want);
    free(want);
    made_free(m);
}

static void test_skip_in_records(void **state) {
    (void)state;
    size_t at[10];
    struct made m = {.version = 6};
    make_rows(&m, at);
    expect_rows(&m, "abcdefghij", 0, "");
    m.version = 6;
    make_rows(&m, at);
    m.b.p[at[4] + 13] ^= 0x80; /* the value's length: only this record */
    size_t value_n = at[5] - at[4] - 13;
    expect_rows(&m, "abcdfghij", 4,
                "lost %zu e record at byte %zu: the value of %zu bytes is neither a protobuf Result nor one of HBase 0.94\n",
                at[4], at[4], value_n);
    /* Beyond the limit, within it, over two markers, over one; possible as such, but the value is empty then. */
    static const uint32_t lengths[] = {0x7fffffff, 5000, 300, 90, 5};
    for (size_t i = 0; i < countof(lengths); i++) {
        m.version = 6;
        make_rows(&m, at);
        put_be32(m.b.p + at[4], lengths[i]);
        size_t marker = at[6] - SEQFILE_ESCAPE_BYTES;
        if (lengths[i] == 5) { /* possible as such: its value is empty, and what follows is none */
            size_t behind = at[4] + 13;
            expect_rows(&m, "abcdghij", 4,
                        "lost %zu e record at byte %zu: the value of 0 bytes is neither a protobuf Result nor one of HBase 0.94\n"
                        "lost %zu ? record at byte %zu: its length is %d, that of its key %d; skipped to byte %zu\n",
                        at[4], at[4], behind, behind, (int32_t)be32(m.b.p + behind), (int32_t)be32(m.b.p + behind + 4), marker);
            continue;
        }
        expect_rows(&m, "abcdghij", 4,
                    "lost %zu ? record at byte %zu: claims %zu bytes, but there is a sync marker at byte %zu; "
                    "skipped to byte %zu\n",
                    at[4], at[4], (size_t)lengths[i] + 8, marker, marker);
    }
}

static void test_skip_the_end(void **state) {
    (void)state;
    size_t at[10];
    struct made m = {.version = 6};
    make_rows(&m, at);
    m.b.n = at[9] + 30;
    expect_rows(&m, "abcdefghi", 9,
                "lost %zu ? record at byte %zu: takes %zu bytes, but the file ends 30 bytes after its start: it is truncated; "
                "skipped to byte %zu\n",
                at[9], at[9], at[1] - at[0], at[9] + 30);
}

static void test_skip_in_blocks(void **state) {
    (void)state;
    size_t at[10];
    const struct made blocks = {
        .version = 6, .compressed = true, .blocks = true, .framing = MAKE_ZLIB, .codec_class = "DefaultCodec"};
    struct made m = blocks;
    make_rows(&m, at);
    m.b.p[at[4] + 24] ^= 0x40; /* in the lengths of keys, compressed */
    expect_rows(&m, "abcdghij", 4, "lost %zu ? block at byte %zu: lengths of keys: not a valid deflate stream\n", at[4], at[4]);
    m = blocks;
    make_rows(&m, at);
    m.b.p[at[4] + 21] = 120; /* their length */
    expect_rows(&m, "abcdghij", 4,
                "lost %zu ? block at byte %zu: claims 367 bytes, but there is a sync marker at byte %zu; "
                "skipped to byte %zu\n",
                at[4], at[4], at[6], at[6]);
    m = blocks;
    make_rows(&m, at);
    m.b.p[at[4] + 7] ^= 1; /* its marker */
    expect_rows(&m, "abcdghij", 4,
                "lost %zu ? block at byte %zu: it is not the sync marker that belongs there; skipped to byte %zu\n", at[4], at[4],
                at[6]);
}

/* A record whose value does not parse, in a block that is whole. */
static void test_skip_in_a_block(void **state) {
    (void)state;
    struct made m = {.version = 6, .compressed = true, .blocks = true, .framing = MAKE_ZLIB, .codec_class = "DefaultCodec"};
    struct buf cells = {0}, value = {0};
    made_header(&m);
    size_t at = m.b.n;
    make_pb_cell(&cells, (struct make_cell){"a", "f", "q", "a value", 5, 4, {0}});
    made_in_block(&m, "a", make_value(&value, &cells, false));
    made_in_block(&m, "x", bytes_of("\7nonsense", 9));
    buf_clear(&cells);
    make_pb_cell(&cells, (struct make_cell){"b", "f", "q", "a value", 5, 4, {0}});
    made_in_block(&m, "b", make_value(&value, &cells, false));
    made_block(&m);
    expect_rows(&m, "ab", 1,
                "lost %zu x block at byte %zu: the value of 9 bytes is neither a protobuf Result nor one of HBase 0.94\n", at,
                at);
    buf_free(&cells);
    buf_free(&value);
}

static void test_verify(void **state) {
    (void)state;
    for (size_t v = 0; v < countof(variants); v++) {
        struct made m = variants[v];
        struct buf want = {0};
        make_table(&m, false, &want);
        for (int damaged = 0; damaged < 2; damaged++) {
            struct fixture f;
            char path[64];
            uint64_t cells = 0;
            int fd;
            begin(&f, 100);
            f.o.on_damage = DAMAGE_SKIPS_FILE;
            if (damaged) m.b.n -= 3;
            assert_int_equal(format_by_name("seqfile")->verify(recorder_file(buf_bytes(&m.b), &fd, path), &f.o, &cells, &f.err),
                             -damaged);
            assert_int_equal(f.err.code, damaged ? ERR_INPUT : ERR_NONE);
            assert_true(cells == LOST_UNKNOWN);
            close(fd);
            fixture_end(&f);
        }
        made_free(&m);
        buf_free(&want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truncation),     cmocka_unit_test(test_limits),         cmocka_unit_test(test_damaged_lengths),
        cmocka_unit_test(test_damaged_blocks), cmocka_unit_test(test_sync_find),      cmocka_unit_test(test_skip_in_records),
        cmocka_unit_test(test_skip_the_end),   cmocka_unit_test(test_skip_in_blocks), cmocka_unit_test(test_skip_in_a_block),
        cmocka_unit_test(test_verify),
    };
    return cmocka_run_group_tests_name("seqfile_damage", tests, NULL, NULL);
}
