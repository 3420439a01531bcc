/* Shared by the tests of SequenceFiles: files of every kind with the cells in them, and readers with chunks of every size. */
#ifndef TESTS_UNIT_SEQFILE_CASES_H
#define TESTS_UNIT_SEQFILE_CASES_H

#include "cell/cell.h"
#include "recorder.h"
#include "seqfile_make.h"

static const size_t chunk_sizes[] = {1, 7, 100, 4096, 1 << 20};

/* Parts as the pipeline wants them: cell order, not too large, of one row and family. */
static inline int checked_cells(struct emit *e, const struct row_part *part, const struct tally *tally, struct err *err) {
    assert_in_range(part->n_cells, 1, PART_MAX_CELLS);
    assert_null(tally);
    for (uint32_t i = 1; i < part->n_cells; i++) assert_true(cell_cmp(&part->cells[i - 1], &part->cells[i], TIE_BY_SEQUENCE) < 0);
    return recorder_cells(e, part, tally, err);
}

static inline void begin(struct fixture *f, size_t chunk_bytes) {
    static const struct emit_ops ops = {
        .record = recorder_record, .cells = checked_cells, .reject = recorder_reject, .skip = recorder_skip};
    fixture_begin(f, NULL);
    f->rec.base.ops = &ops;
    f->o.memory.chunk = chunk_bytes;
}

static inline void expect_in_chunks(struct bytes content, size_t chunk_bytes, const char *want) {
    struct fixture f;
    begin(&f, chunk_bytes);
    fixture_expect_bytes(&f, NULL, content, want);
    fixture_end(&f);
}

static inline void expect(struct bytes content, const char *want) {
    for (size_t i = 0; i < countof(chunk_sizes); i++) expect_in_chunks(content, chunk_sizes[i], want);
}

static inline void expect_error(struct bytes content, size_t limit, enum err_code code, const char *text) {
    for (size_t i = 0; i < countof(chunk_sizes); i++) {
        struct fixture f;
        begin(&f, chunk_sizes[i]);
        f.o.memory.max_block = limit;
        assert_int_equal(recorder_run(&f.rec, NULL, content, &f.o, &f.err), -1);
        if (!strstr(f.err.text, text)) assert_string_equal(f.err.text, text);
        assert_int_equal(f.err.code, code);
        fixture_end(&f);
    }
}

/* ---- files ---- */

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
static inline void make_table(struct made *m, bool writable, struct buf *want) {
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

/* The gathered cells become the value of a record of row r. */
static inline void put_cells(struct made *m, struct buf *cells) {
    struct buf value = {0};
    made_put(m, "r", make_value(&value, cells, false));
    buf_clear(cells);
    buf_free(&value);
}

#endif
