/* The bloom filters of whole files: those HBase wrote from the same cells bit for bit, membership and false positives of
 * files we write, meta blocks of every kind and with every fault. */
#include "base/wire.h"
#include "hfile/bloom.h"
#include "hfile/bloom_reader.h"
#include "hfile/file_info.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_state.h"
#include "hfile/index_writer.h"
#include "tests/unit/golden_write.h"

#include <fcntl.h>

static char *temp_path(char *path, size_t n) {
    snprintf(path, n, "/tmp/t_hfile_blooms.%d", (int)getpid());
    return path;
}

/* ---- against golden files ---- */

/* A file's blocks, without hfile_open: encodings do not matter here. */
struct blocks {
    struct block_source src;
    struct block_reader reader;
    struct buf tail;
    struct trailer trailer;
    uint64_t end;
};

static void blocks_open(struct blocks *b, const char *path) {
    struct err err = {0};
    size_t n;
    char *text = fs_read_text(path, 1 << 24, &n, &err);
    *b = (struct blocks){.src = {.path = path, .header_bytes = BLOCK_HEADER_BYTES, .max_block_bytes = 1 << 24}};
    assert_non_null(text);
    assert_int_equal(buf_copy(&b->tail, bytes_of(text + n - TRAILER_V3_BYTES, TRAILER_V3_BYTES), &err), 0);
    free(text);
    assert_int_equal(trailer_parse(buf_bytes(&b->tail), &b->trailer, &err), 0);
    assert_int_equal(hfile_bytes_of_fd(open(path, O_RDONLY | O_CLOEXEC), path, &b->src.bytes, &err), 0);
    b->src.codec = codec_by_ordinal(b->trailer.codec);
    b->end = n - TRAILER_V3_BYTES;
    block_reader_init(&b->reader, &b->src, b->end, 0);
}

static void blocks_close(struct blocks *b) {
    block_reader_release(&b->reader);
    buf_free(&b->tail);
    hfile_bytes_close(&b->src.bytes);
}

static void put_text(struct buf *out, struct bytes b) {
    struct err err = {0};
    assert_int_equal(buf_put_be32(out, (uint32_t)b.n, &err) || buf_put(out, b.p, b.n, &err), 0);
}

/* All that a filter is, but for the places of its chunks. */
static void describe_filter(struct blocks *b, struct bytes payload, struct buf *out) {
    struct err err = {0};
    struct bloom_meta m;
    if (bloom_meta_parse(payload, 1 << 20, &m, &err)) fail_msg("%s: %s", b->src.path, err.text);
    uint64_t sum = 0, numbers[] = {m.bytes, m.keys, m.max_keys, m.hash_count, m.hash, m.n};
    put_text(out, bytes_of(numbers, sizeof numbers));
    put_text(out, m.comparator);
    for (uint32_t i = 0; i < m.n; i++) {
        struct block_reader r;
        struct block c;
        put_text(out, m.chunks[i].key);
        block_reader_init(&r, &b->src, b->end, 0);
        if (block_reader_get(&r, m.chunks[i].offset, BLOCK_ANY, &c, &err)) fail_msg("%s", err.text);
        assert_int_equal(c.header.type, BLOCK_BLOOM_CHUNK);
        put_text(out, c.payload);
        sum += c.payload.n;
        block_reader_release(&r);
    }
    assert_int_equal(sum, m.bytes);
    bloom_meta_free(&m);
}

static void describe_pairs(struct bytes payload, struct buf *out) {
    struct err err = {0};
    struct hfile_pair *pairs;
    size_t n;
    assert_int_equal(file_info_parse(payload, &pairs, &n, &err), 0);
    for (size_t i = 0; i < n; i++) {
        bool bloom =
            memmem(pairs[i].key.p, pairs[i].key.n, "BLOOM", 5) || !bytes_cmp(pairs[i].key, bytes_str("DELETE_FAMILY_COUNT"));
        if (!bloom) continue;
        put_text(out, pairs[i].key);
        put_text(out, pairs[i].value);
    }
    free(pairs);
}

/* order: types and payloads of all blocks that hold no offsets, in file order. */
static void describe_file(const char *path, struct buf *blooms, struct buf *order) {
    struct err err = {0};
    struct blocks b;
    struct block at = {0};
    blocks_open(&b, path);
    for (; at.next < b.end;) {
        if (block_reader_get(&b.reader, at.next, BLOCK_ANY, &at, &err)) fail_msg("%s", err.text);
        enum block_type t = at.header.type;
        put_text(order, bytes_str(block_type_name(t)));
        if (t == BLOCK_DATA || t == BLOCK_ENCODED_DATA || t == BLOCK_BLOOM_CHUNK || t == BLOCK_FILE_INFO)
            put_text(order, at.payload);
        if (t == BLOCK_FILE_INFO) describe_pairs(at.payload, blooms);
        if (t == BLOCK_GENERAL_BLOOM_META || t == BLOCK_DELETE_FAMILY_BLOOM_META) {
            put_text(blooms, bytes_str(block_type_name(t)));
            describe_filter(&b, at.payload, blooms);
        }
    }
    blocks_close(&b);
}

static void assert_same(const char *name, const char *what, const struct buf *a, const struct buf *b) {
    assert_true(a->n > 100);
    if (!bytes_eq(buf_bytes(a), buf_bytes(b))) fail_msg("%s: %s differ (%zu and %zu bytes)", name, what, a->n, b->n);
}

static void check_golden(const char *name, const struct hfile_write_opts *o) {
    char tsv[200], want[200], got[64];
    struct buf blooms[2] = {{0}}, order[2] = {{0}};
    struct hfile_write_stats stats;
    struct tsv t;
    snprintf(tsv, sizeof tsv, GOLDEN "%s.tsv", name);
    snprintf(want, sizeof want, GOLDEN "%s.hfile", name);
    assert_true(tsv_load(tsv, &t));
    golden_write(temp_path(got, sizeof got), o, &t, &stats);
    describe_file(got, &blooms[0], &order[0]);
    describe_file(want, &blooms[1], &order[1]);
    assert_same(name, "blooms", &blooms[0], &blooms[1]);
    assert_same(name, "blocks", &order[0], &order[1]);
    unlink(got);
    tsv_free(&t);
    for (int i = 0; i < 2; i++) buf_free(&blooms[i]), buf_free(&order[i]);
}

/* All but g03 and g06, which are compressed, are compared byte for byte in t_hfile_writer. */
static void golden_filters(void **state) {
    (void)state;
    struct hfile_write_opts o = golden_opts();
    o.bloom = HFILE_BLOOM_PREFIX;
    o.bloom_prefix = 8;
    o.bloom_chunk_bytes = 1024;
    o.encoding = HFILE_ENC_FAST_DIFF;
    o.tags_compressed = true;
    o.codec = HFILE_GZ;
    o.block_bytes = 4096;
    check_golden("g06_fastdiff_gz", &o);
    o.encoding = HFILE_ENC_NONE;
    o.tags_compressed = false;
    o.bloom = HFILE_BLOOM_ROWCOL;
    o.bloom_chunk_bytes = 512;
    o.block_bytes = 2048;
    o.bytes_per_checksum = 512;
    o.tags = false;
    check_golden("g03_gz_rowcol", &o);
}

/* ---- membership and false positives ---- */

enum { ROWS = 120000, ABSENT = 100000, PREFIX = 7 };

/* Every third row begins with a marker of the family; prefixes of 7 bytes are shared by 4 rows. */
static size_t row_of(uint32_t i, char *row, size_t n) {
    return (size_t)snprintf(row, n, "%06up%c%u", i / 4, 'a' + (int)(i % 4), i * 2654435761u);
}

static void write_rows(const char *path, const struct hfile_write_opts *o, uint32_t rows) {
    struct err err = {0};
    struct hfile_write_stats stats;
    char sum[17], row[64];
    unlink(path);
    struct outfile *out = outfile_create(path, NULL, &err);
    struct hfile_writer *w = out ? hfile_writer_open(o, out, &err) : NULL;
    if (!w) fail_msg("%s", err.text);
    struct cell cells[] = {{.ts_ms = 7, .type = CELL_DELETE_FAMILY},
                           {.qualifier = bytes_str("a"), .ts_ms = 9, .type = CELL_PUT},
                           {.qualifier = bytes_str("a"), .ts_ms = 8, .type = CELL_PUT},
                           {.qualifier = bytes_str("b"), .ts_ms = 8, .type = CELL_DELETE_COLUMN}};
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t skip = i % 3 != 0;
        struct row_part p = {.family = bytes_str("f"), .cells = cells + skip, .n_cells = 4 - skip, .first = true};
        p.row = bytes_of(row, row_of(i, row, sizeof row));
        if (hfile_writer_put(w, &p, &err)) fail_msg("%s", err.text);
    }
    if (hfile_writer_finish(w, &stats, &err) || outfile_finish(out, sum, &err)) fail_msg("%s", err.text);
    hfile_writer_close(w);
    outfile_close(out);
}

static void expect_all(struct hfile_bloom_reader *b, uint32_t step, bool with_marker) {
    struct err err = {0};
    char row[64];
    for (uint32_t i = 0; i < ROWS; i += step) {
        struct bytes r = bytes_of(row, row_of(i, row, sizeof row));
        assert_int_equal(hfile_bloom_may_have(b, r, &err), 1);
        assert_int_equal(hfile_bloom_may_have_column(b, r, bytes_str("a"), &err), 1);
        assert_int_equal(hfile_bloom_may_have_column(b, r, bytes_str("b"), &err), 1);
        if (with_marker && i % 3 == 0) assert_int_equal(hfile_bloom_may_have_column(b, r, bytes_str(""), &err), 1);
    }
}

static void expect_few(struct hfile_bloom_reader *b, bool columns, double rate) {
    struct err err = {0};
    char row[64];
    size_t hits = 0;
    for (uint32_t i = 0; i < ABSENT; i++) {
        size_t n = columns ? row_of(i, row, sizeof row) : (size_t)snprintf(row, sizeof row, "%06u-%u", i * 3 / 10, i);
        int has = columns ? hfile_bloom_may_have_column(b, bytes_of(row, n), bytes_str("c"), &err)
                          : hfile_bloom_may_have(b, bytes_of(row, n), &err);
        assert_in_range(has, 0, 1);
        hits += (size_t)has;
    }
    if ((double)hits > rate * ABSENT) fail_msg("%zu of %d absent keys pass, %g was asked for", hits, ABSENT, rate);
}

static void check_written(enum hfile_bloom kind, const char *name, double rate) {
    char path[64];
    struct err err = {0};
    struct hfile_write_opts o = hfile_write_defaults();
    o.bloom = kind;
    o.bloom_prefix = PREFIX;
    write_rows(temp_path(path, sizeof path), &o, ROWS);
    struct hfile *h = hfile_open(path, 0, &err);
    if (!h) fail_msg("%s", err.text);
    assert_int_equal(hfile_info(h)->bloom, kind);
    assert_true(bytes_eq(hfile_info(h)->bloom_type_name, bytes_str(name)));
    struct hfile_bloom_reader *b = hfile_bloom_open(h, &err);
    assert_int_equal(b != NULL, kind != HFILE_BLOOM_NONE);
    if (b) {
        expect_all(b, 1, true);
        expect_few(b, kind == HFILE_BLOOM_ROWCOL, rate);
        /* behind LAST_BLOOM_KEY, whatever the bits say */
        assert_int_equal(hfile_bloom_may_have_column(b, bytes_str("~"), bytes_str("a"), &err), 0);
        assert_int_equal(hfile_bloom_may_have_column(b, bytes_str("!"), bytes_str("a"), &err), 0);
    }
    hfile_bloom_close(b);
    b = hfile_bloom_open_deletes(h, &err);
    assert_int_equal(b != NULL, kind != HFILE_BLOOM_ROWCOL);
    if (b) {
        expect_all(b, 3, false);
        expect_few(b, false, 0.01);
    }
    hfile_bloom_close(b);
    hfile_close(h);
    unlink(path);
}

static void written_filters(void **state) {
    (void)state;
    check_written(HFILE_BLOOM_NONE, "", 0);
    check_written(HFILE_BLOOM_ROW, "ROW", 0.0115);
    check_written(HFILE_BLOOM_ROWCOL, "ROWCOL", 0.0065);
    check_written(HFILE_BLOOM_PREFIX, "ROWPREFIX_FIXED_LENGTH", 0.0115);
}

static void no_keys_no_filter(void **state) {
    (void)state;
    char path[64];
    struct err err = {0};
    for (unsigned kind = HFILE_BLOOM_ROW; kind <= HFILE_BLOOM_PREFIX; kind++) {
        struct hfile_write_opts o = hfile_write_defaults();
        o.bloom = (enum hfile_bloom)kind;
        o.bloom_prefix = 1;
        write_rows(temp_path(path, sizeof path), &o, 0);
        struct hfile *h = hfile_open(path, 0, &err);
        assert_non_null(h);
        assert_null(hfile_bloom_open(h, &err));
        assert_null(hfile_bloom_open_deletes(h, &err));
        assert_null(hfile_find(h, "BLOOM_FILTER_TYPE").p);
        assert_null(hfile_find(h, "BLOOM_FILTER_PARAM").p);
        hfile_close(h);
        unlink(path);
    }
}

static void prefix_out_of_range(void **state) {
    (void)state;
    struct hfile_write_opts o = hfile_write_defaults();
    o.bloom = HFILE_BLOOM_PREFIX;
    for (int i = 0; i < 2; i++) {
        struct err err = {0};
        o.bloom_prefix = i ? ROW_MAX_BYTES + 1 : 0;
        assert_null(hfile_writer_open(&o, NULL, &err));
        assert_int_equal(err.code, ERR_USAGE);
    }
}

/* ---- meta blocks ---- */

/* One chunk of 64 bytes, then one that starts at `second`. */
static void make_meta(struct buf *out, uint32_t hash, const char *comparator, struct bytes first, struct bytes second) {
    struct err err = {0};
    uint8_t name_n[HADOOP_VLONG_MAX];
    size_t n = strlen(comparator);
    buf_clear(out);
    assert_int_equal(buf_put_be32(out, 3, &err) || buf_put_be64(out, 128, &err) || buf_put_be32(out, 5, &err), 0);
    assert_int_equal(buf_put_be32(out, hash, &err) || buf_put_be64(out, 20, &err) || buf_put_be64(out, 50, &err), 0);
    assert_int_equal(buf_put_be32(out, 2, &err) || buf_put(out, name_n, hadoop_vlong_put(name_n, (int64_t)n), &err), 0);
    assert_int_equal(buf_put(out, comparator, n, &err), 0);
    assert_int_equal(index_put_root_entry(out, 1000, 97, first, &err) || index_put_root_entry(out, 2000, 97, second, &err), 0);
}

static void meta_of_every_hash(void **state) {
    (void)state;
    struct err err = {0};
    struct buf text = {0};
    for (uint32_t hash = 0; hash <= 2; hash++) {
        struct bloom_meta m;
        uint8_t bits[64] = {0};
        make_meta(&text, hash, "", bytes_str("b"), bytes_str("d"));
        if (bloom_meta_parse(buf_bytes(&text), 1000, &m, &err)) fail_msg("%s", err.text);
        for (uint32_t i = 0; i < 5; i++) {
            uint32_t bit = bloom_hash_bit(bloom_hash_key((enum bloom_hash_type)hash, bytes_str("carp")), i, sizeof bits * 8);
            bits[bit / 8] |= (uint8_t)(1u << bit % 8);
        }
        assert_true(bloom_meta_may_have(&m, bytes_of(bits, sizeof bits), bytes_str("carp")));
        assert_false(bloom_meta_may_have(&m, bytes_of(bits, sizeof bits), bytes_str("crab")));
        assert_int_equal(bloom_meta_chunk_of(&m, bytes_str("a")), 2);
        assert_int_equal(bloom_meta_chunk_of(&m, bytes_str("b")), 0);
        assert_int_equal(bloom_meta_chunk_of(&m, bytes_str("cz")), 0);
        assert_int_equal(bloom_meta_chunk_of(&m, bytes_str("d")), 1);
        assert_int_equal(bloom_meta_chunk_of(&m, bytes_str("e")), 1);
        bloom_meta_free(&m);
    }
    buf_free(&text);
}

/* Keys of columns compare by row, then qualifier, however long the row is; HBase has changed the name of that order. */
static void meta_of_columns(void **state) {
    (void)state;
    static const char *const names[] = {"KeyValue$KeyComparator", "KeyValue$KVComparator", "CellComparator", "CellComparatorImpl",
                                        "InnerStoreCellComparator"};
    struct err err = {0};
    struct buf text = {0}, first = {0}, second = {0};
    assert_int_equal(bloom_kind_begin_column(&first, bytes_str("longer"), &err), 0);
    assert_int_equal(bloom_kind_end_column(&first, bytes_str("q"), &err), 0);
    assert_int_equal(bloom_kind_begin_column(&second, bytes_str("z"), &err), 0);
    assert_int_equal(bloom_kind_end_column(&second, bytes_str(""), &err), 0);
    assert_true(bytes_cmp(buf_bytes(&first), buf_bytes(&second)) > 0); /* as plain bytes */
    for (size_t i = 0; i < countof(names); i++) {
        struct bloom_meta m;
        char name[100];
        snprintf(name, sizeof name, "org.apache.hadoop.hbase.%s", names[i]);
        make_meta(&text, 1, name, buf_bytes(&first), buf_bytes(&second));
        if (bloom_meta_parse(buf_bytes(&text), 1000, &m, &err)) fail_msg("%s: %s", name, err.text);
        assert_true(m.of_cells);
        assert_int_equal(bloom_meta_chunk_of(&m, buf_bytes(&second)), 1);
        bloom_meta_free(&m);
    }
    buf_free(&text);
    buf_free(&first);
    buf_free(&second);
}

static void expect_refused(const struct buf *text, const char *word) {
    struct bloom_meta m;
    struct err err = {0};
    assert_int_equal(bloom_meta_parse(buf_bytes(text), 1000, &m, &err), -1);
    if (!strstr(err.text, word)) fail_msg("expected \"%s\" in: %s", word, err.text);
    assert_null(m.chunks);
}

static void damaged_meta(void **state) {
    (void)state;
    struct buf text = {0};
    make_meta(&text, 3, "", bytes_str("b"), bytes_str("d"));
    expect_refused(&text, "hash function 3");
    make_meta(&text, 1, "org.example.Comparator", bytes_str("b"), bytes_str("d"));
    expect_refused(&text, "comparator \"org.example.Comparator\"");
    make_meta(&text, 1, "org.apache.hadoop.hbase.CellComparatorImpl", bytes_str("b"), bytes_str("d"));
    expect_refused(&text, "chunk 0 of 2 is malformed");
    make_meta(&text, 1, "", bytes_str("d"), bytes_str("d"));
    expect_refused(&text, "do not ascend");
    make_meta(&text, 1, "", bytes_str("b"), bytes_str("d"));
    put_be32(text.p, 2);
    expect_refused(&text, "version 2");
    put_be32(text.p, 3);
    put_be32(text.p + 12, 0);
    expect_refused(&text, "0 hashes");
    put_be32(text.p + 12, 65);
    expect_refused(&text, "65 hashes");
    put_be32(text.p + 12, 5);
    put_be32(text.p + 36, 0x7fffffff);
    expect_refused(&text, "2147483647 chunks");
    put_be32(text.p + 36, 1);
    expect_refused(&text, "after the last");
    put_be32(text.p + 36, 2);
    for (size_t n = text.n; n-- > 0;) {
        uint8_t *exact = malloc(n + !n); /* so that ASan sees a read too far */
        memcpy(exact, text.p, n);
        struct buf cut = {.p = exact, .n = n};
        expect_refused(&cut, "");
        free(exact);
    }
    buf_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden_filters),     cmocka_unit_test(written_filters),
                                       cmocka_unit_test(no_keys_no_filter),  cmocka_unit_test(prefix_out_of_range),
                                       cmocka_unit_test(meta_of_every_hash), cmocka_unit_test(meta_of_columns),
                                       cmocka_unit_test(damaged_meta)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
