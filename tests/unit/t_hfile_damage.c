/* A damaged file is refused, or what is read from it is unchanged: small files cut at every length, with every byte
 * changed in several ways, with bytes added. Also crafted trailers and headers whose checksums are right. */
#include "base/fs.h"
#include "hfile/bloom_reader.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_ranges.h"
#include "hfile/hfile_scan.h"
#include "hfile/index_reader.h"
#include "tests/unit/random_cells.h"
#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { MAX_BLOCK_BYTES = 1 << 20 };

struct image {
    int fd;
    char path[64];
    uint8_t *p;
    size_t n;
};

static void image_put(struct image *m, const uint8_t *p, size_t n) {
    assert_int_equal(ftruncate(m->fd, 0), 0);
    struct err err = {0};
    if (fs_pwrite_full(m->fd, p, n, 0, m->path, &err)) fail_msg("%s", err.text);
}

static struct image image_of(const char *path) {
    struct image m = {.fd = memfd_create("hfile", MFD_CLOEXEC)};
    struct err err = {0};
    assert_true(m.fd >= 0);
    snprintf(m.path, sizeof m.path, "/proc/self/fd/%d", m.fd);
    m.p = (uint8_t *)fs_read_text(path, 1 << 20, &m.n, &err);
    assert_non_null(m.p);
    image_put(&m, m.p, m.n);
    return m;
}

static void image_free(struct image *m) {
    close(m->fd);
    free(m->p);
}

/* Everything a cell is, of all cells: 0 and *t, or -1. */
static int read_all(const char *path, struct tally *t, uint64_t *seqs, struct err *err) {
    *t = (struct tally){0};
    *seqs = 0;
    struct hfile *h = hfile_open(path, MAX_BLOCK_BYTES, err);
    if (!h) return -1;
    int rc = -1;
    struct source *scan = hfile_scan_open(h, &(struct hfile_scan_opts){.tally = t}, err);
    if (scan) {
        struct row_part p;
        while ((rc = source_next(scan, &p, err)) == 1)
            for (uint32_t i = 0; i < p.n_cells; i++) *seqs = *seqs * 31 + p.cells[i].seq;
        source_close(scan);
    }
    hfile_close(h);
    return rc;
}

static int see_block(void *arg, const struct hfile_block *b, struct err *err) {
    (void)arg;
    (void)err;
    assert_true(b->header.type < BLOCK_TYPES);
    return 0;
}

/* The other ways into a file must not crash either, nor hide that they failed. */
static void poke(const char *path) {
    struct err err = {0};
    struct hfile *h = hfile_open(path, MAX_BLOCK_BYTES, &err);
    if (!h) return;
    int rc = hfile_index_walk(h, NULL, NULL, &err);
    assert_int_equal(rc != 0, err.code != ERR_NONE);
    err.code = ERR_NONE;
    struct hfile_bloom_reader *b = hfile_bloom_open(h, &err);
    if (b) rc = hfile_bloom_may_have_column(b, bytes_str("a"), bytes_str("q"), &err);
    hfile_bloom_close(b);
    err.code = ERR_NONE;
    b = hfile_bloom_open_deletes(h, &err);
    if (b) rc = hfile_bloom_may_have(b, bytes_str("a"), &err);
    hfile_bloom_close(b);
    err.code = ERR_NONE;
    struct buf key = {0};
    rc = hfile_mid_key(h, &key, &err);
    assert_int_equal(rc != 0, err.code != ERR_NONE);
    buf_free(&key);
    err.code = ERR_NONE;
    rc = hfile_blocks_walk(h, see_block, NULL, &err);
    assert_int_equal(rc != 0, err.code != ERR_NONE);
    err.code = ERR_NONE;
    struct source *scan =
        hfile_scan_open(h, &(struct hfile_scan_opts){.start_row = bytes_str("b"), .stop_row = bytes_str("\x80")}, &err);
    struct row_part p;
    while (scan && source_next(scan, &p, &err) == 1) {
    }
    source_close(scan);
    uint64_t cursor = 0;
    struct hfile_range r;
    err.code = ERR_NONE;
    while (hfile_range_next(h, &cursor, 100, &r, &err) == 1) assert_true(r.end > r.offset);
    hfile_close(h);
}

struct want {
    struct tally t;
    uint64_t seqs;
};

static void expect_refused_or_same(struct image *m, const struct want *w, const char *what, size_t at) {
    struct err err = {0};
    struct want got;
    poke(m->path);
    if (read_all(m->path, &got.t, &got.seqs, &err) == 0) {
        if (got.t.cells != w->t.cells || !digest_eq(got.t.digest, w->t.digest) || got.seqs != w->seqs)
            fail_msg("%s at %zu: read without error, but cells differ", what, at);
        return;
    }
    if (err.code != ERR_INPUT && err.code != ERR_UNSUPPORTED && err.code != ERR_LIMIT)
        fail_msg("%s at %zu: code %d, %s", what, at, err.code, err.text);
    if (!strstr(err.text, m->path)) fail_msg("%s at %zu: no file name in: %s", what, at, err.text);
}

static void flip_all(struct image *m, const struct want *w) {
    static const uint8_t masks[] = {0x01, 0x02, 0x80, 0xff};
    uint8_t byte;
    for (size_t i = 0; i < m->n; i += sampled_step(1)) {
        /* Most of a small file is the trailer's padding: one pattern is enough there. */
        bool padding = i > m->n - TRAILER_V3_BYTES + 300 && i < m->n - 8;
        for (size_t k = 0; k < (padding ? 1 : countof(masks)); k++) {
            byte = m->p[i] ^ masks[k];
            assert_int_equal(pwrite(m->fd, &byte, 1, (off_t)i), 1);
            expect_refused_or_same(m, w, "byte changed", i);
        }
        byte = m->p[i];
        assert_int_equal(pwrite(m->fd, &byte, 1, (off_t)i), 1);
    }
}

/* Nothing but the whole file is one. */
static void cut_all(struct image *m) {
    size_t step = sampled_step(1);
    for (size_t n = m->n; n >= step; n -= step) {
        struct err err = {0};
        struct want got;
        assert_int_equal(ftruncate(m->fd, (off_t)(n - step)), 0);
        if (read_all(m->path, &got.t, &got.seqs, &err) == 0)
            fail_msg("cut to %zu of %zu bytes, and read without error", n - step, m->n);
        assert_int_equal(err.code, ERR_INPUT);
    }
    image_put(m, m->p, m->n);
}

static void add_bytes(struct image *m) {
    for (size_t extra = 1; extra < 9000; extra = extra * 3 + 1) {
        uint8_t *p = calloc(1, m->n + extra);
        struct err err = {0};
        struct want got;
        assert_non_null(p);
        memcpy(p, m->p, m->n);
        image_put(m, p, m->n + extra);
        if (read_all(m->path, &got.t, &got.seqs, &err) == 0) fail_msg("%zu bytes behind the file go unnoticed", extra);
        memmove(p + extra, p, m->n); /* and in front of it */
        image_put(m, p, m->n + extra);
        err.code = ERR_NONE;
        if (read_all(m->path, &got.t, &got.seqs, &err) == 0) fail_msg("%zu bytes before the file go unnoticed", extra);
        free(p);
    }
    image_put(m, m->p, m->n);
}

static void torture(const char *path) {
    struct image m = image_of(path);
    struct want w;
    struct err err = {0};
    if (read_all(m.path, &w.t, &w.seqs, &err)) fail_msg("%s", err.text);
    assert_true(w.t.cells > 0);
    flip_all(&m, &w);
    cut_all(&m);
    add_bytes(&m);
    image_free(&m);
}

static void our_files(void **state) {
    (void)state;
    static const struct {
        enum hfile_codec codec;
        enum hfile_encoding encoding;
    } kinds[] = {{HFILE_NONE, 0},
                 {HFILE_GZ, 0},
                 {HFILE_SNAPPY, 0},
                 {HFILE_LZ4, 0},
                 {HFILE_ZSTD, 0},
                 {HFILE_BROTLI, 0},
                 {HFILE_NONE, HFILE_ENC_PREFIX},
                 {HFILE_NONE, HFILE_ENC_DIFF},
                 {HFILE_SNAPPY, HFILE_ENC_FAST_DIFF},
                 {HFILE_NONE, HFILE_ENC_ROW_INDEX_V1}};
    char path[100];
    random_path(path, sizeof path, "t_hfile_damage");
    for (size_t c = 0; c < countof(kinds); c++) {
        struct hfile_write_opts o = hfile_write_defaults();
        o.codec = kinds[c].codec;
        o.encoding = kinds[c].encoding;
        o.tags_compressed = c % 2;
        o.block_bytes = 300;
        o.index_chunk_bytes = 80;
        o.index_min_entries = 2;
        o.bloom_chunk_bytes = 128;
        o.checksum = c % 2 ? HFILE_SUM_CRC32 : HFILE_SUM_CRC32C;
        struct random_cells r = random_cells_make(
            &(struct random_shape){.cells = 25, .rows = 9, .value_max = 30, .tags = true, .seqs = true, .deletes = true}, c + 1);
        struct hfile_write_stats stats;
        struct err err = {0};
        if (random_cells_write(&r, &o, path, 1, &stats, &err)) fail_msg("%s", err.text);
        torture(path);
        random_cells_free(&r);
    }
    unlink(path);
}

static void files_of_hbase(void **state) {
    (void)state;
    torture("tests/data/hfile/golden_hfiles/g01_small.hfile");
    torture("tests/data/hfile/hbase_files/onecell.hfile");
}

/* --- damage that its checksum covers up --- */

static void expect(struct image *m, const uint8_t *p, size_t n, enum err_code code, const char *word) {
    struct err err = {0};
    struct want got;
    image_put(m, p, n);
    poke(m->path);
    if (read_all(m->path, &got.t, &got.seqs, &err) == 0) fail_msg("accepted, but expected: %s", word);
    if (err.code != code || !strstr(err.text, word)) fail_msg("expected '%s', got %d: %s", word, err.code, err.text);
}

/* Recomputes the checksums of the block at `at`. */
static void resum(uint8_t *file, size_t at) {
    struct block_header h;
    assert_null(block_header_parse(file + at, BLOCK_HEADER_BYTES, &h));
    block_sums_put(&h, file + at, 0, file + at + h.summed_bytes);
}

/* The first block of g01_small: 3 cells, not compressed. */
static void forged_cells(void **state) {
    (void)state;
    static const struct {
        size_t at;
        uint8_t value;
        const char *word;
    } forged[] = {
        {0, 0x80, "reach beyond the block"}, /* keyLen */
        {3, 0, "key is too short"},
        {4, 0x7f, "reach beyond the block"}, /* valueLen */
        {8, 0x7f, "row reaches beyond its key"},
        {9, 0xff, "row reaches beyond its key"},
        {10 + 9 + 1, 0x7f, "family reaches beyond its key"},
        {10, 'z', "not in order"},
        {21, 'x', "second family"},
    };
    struct image m = image_of("tests/data/hfile/golden_hfiles/g01_small.hfile");
    for (size_t i = 0; i < countof(forged); i++) {
        uint8_t *p = malloc(m.n);
        memcpy(p, m.p, m.n);
        p[BLOCK_HEADER_BYTES + forged[i].at] = forged[i].value;
        resum(p, 0);
        expect(&m, p, m.n, ERR_INPUT, forged[i].word);
        free(p);
    }
    image_free(&m);
}

/* The encoding's id in a block counts, not the name in file info; both are refused by name where they cannot be read. */
static void forged_encodings(void **state) {
    (void)state;
    static const struct {
        uint8_t id;
        enum err_code code;
        const char *word;
    } ids[] = {{6, ERR_UNSUPPORTED, "PREFIX_TREE (id 6), which is not supported; set DATA_BLOCK_ENCODING"},
               {5, ERR_UNSUPPORTED, "COPY_KEY"},
               {1, ERR_UNSUPPORTED, "BITSET"},
               {0, ERR_UNSUPPORTED, "NONE (id 0)"},
               {99, ERR_UNSUPPORTED, "unknown (id 99)"},
               {2, ERR_INPUT, "block at 0: "}};
    static const char *const names[] = {"NONE", "XIFF"};
    struct image m = image_of("tests/data/hfile/golden_hfiles/g05_diff.hfile");
    uint8_t *p = malloc(m.n), *info = memmem(m.p, m.n, "FILEINF2", 8), *name = memmem(m.p, m.n, "DATA_BLOCK_ENCODING", 19);
    assert_true(p && info && name);
    for (size_t i = 0; i < countof(ids); i++) {
        memcpy(p, m.p, m.n);
        p[BLOCK_HEADER_BYTES + 1] = ids[i].id;
        resum(p, 0);
        expect(&m, p, m.n, ids[i].code, ids[i].word);
    }
    struct want want, got;
    struct err err = {0};
    image_put(&m, m.p, m.n);
    if (read_all(m.path, &want.t, &want.seqs, &err)) fail_msg("%s", err.text);
    for (size_t i = 0; i < countof(names); i++) {
        memcpy(p, m.p, m.n);
        assert_memory_equal(name + 21, "DIFF", 4); /* behind the value's tag and length */
        memcpy(p + (name + 21 - m.p), names[i], 4);
        resum(p, (size_t)(info - m.p));
        if (i) {
            expect(&m, p, m.n, ERR_UNSUPPORTED, "XIFF is not supported; set DATA_BLOCK_ENCODING");
            continue;
        }
        image_put(&m, p, m.n);
        if (read_all(m.path, &got.t, &got.seqs, &err)) fail_msg("%s", err.text);
        assert_true(digest_eq(got.t.digest, want.t.digest) && got.seqs == want.seqs);
    }
    free(p);
    image_free(&m);
}

/* Sizes far beyond the limit are refused before anything is allocated. */
static void forged_sizes(void **state) {
    (void)state;
    struct random_cells r = random_cells_make(&(struct random_shape){.cells = 30, .rows = 9, .value_max = 30}, 1);
    struct hfile_write_opts o = hfile_write_defaults();
    struct hfile_write_stats stats;
    struct err err = {0};
    char path[100];
    random_path(path, sizeof path, "t_hfile_damage");
    if (random_cells_write(&r, &o, path, 1, &stats, &err)) fail_msg("%s", err.text);
    struct image m = image_of(path);
    put_be32(m.p + 12, 0x7fffffff);
    resum(m.p, 0);
    expect(&m, m.p, m.n, ERR_LIMIT, "needs 2147483647 bytes, the limit is 1048576");
    put_be32(m.p + 12, 100000); /* within the limit, but not what comes out */
    resum(m.p, 0);
    expect(&m, m.p, m.n, ERR_INPUT, "SNAPPY");
    image_free(&m);
    unlink(path);
    random_cells_free(&r);
}

static void replace_trailer(struct image *m, const struct trailer *t, enum err_code code, const char *word) {
    struct buf b = {0};
    struct err err = {0};
    assert_int_equal(buf_put(&b, m->p, m->n - TRAILER_V3_BYTES, &err), 0);
    assert_int_equal(trailer_put(t, &b, &err), 0);
    expect(m, b.p, b.n, code, word);
    buf_free(&b);
}

static void forged_trailers(void **state) {
    (void)state;
    struct image m = image_of("tests/data/hfile/golden_hfiles/g11_leaf2.hfile");
    struct trailer good, t;
    struct err err = {0};
    assert_int_equal(trailer_parse(bytes_of(m.p + m.n - TRAILER_V3_BYTES, TRAILER_V3_BYTES), &good, &err), 0);
    t = good;
    t.entry_count++;
    replace_trailer(&m, &t, ERR_INPUT, "number of cells: 1200 found, the trailer says 1201");
    t = good;
    t.last_data_offset -= 1;
    replace_trailer(&m, &t, ERR_INPUT, "last data block");
    t = good;
    t.first_data_offset += 1;
    replace_trailer(&m, &t, ERR_INPUT, "");
    t = good;
    t.total_plain_bytes += 1;
    replace_trailer(&m, &t, ERR_INPUT, "uncompressed bytes");
    t = good;
    t.load_on_open_offset = UINT64_MAX - 4;
    replace_trailer(&m, &t, ERR_INPUT, "do not fit");
    t = good;
    t.file_info_offset += 1;
    replace_trailer(&m, &t, ERR_INPUT, "file info is at");
    t = good;
    t.data_index_count++;
    replace_trailer(&m, &t, ERR_INPUT, "root index");
    t = good;
    t.data_index_count--;
    replace_trailer(&m, &t, ERR_INPUT, "root index");
    t = good;
    t.index_levels = 1;
    replace_trailer(&m, &t, ERR_INPUT, "root index has 16 bytes after its");
    t = good;
    t.meta_index_count = 1;
    replace_trailer(&m, &t, ERR_INPUT, "meta index ends");
    t = good;
    t.index_levels = 1000;
    replace_trailer(&m, &t, ERR_INPUT, "levels of index");
    t = good;
    t.entry_count = 0;
    replace_trailer(&m, &t, ERR_INPUT, "0 cells");
    t = good;
    t.codec = HFILE_BZIP2;
    replace_trailer(&m, &t, ERR_INPUT, "BZIP2: stream at compressed byte 0");
    t = good;
    t.codec = 77;
    replace_trailer(&m, &t, ERR_UNSUPPORTED, "77");
    t = good;
    t.codec = HFILE_SNAPPY;
    replace_trailer(&m, &t, ERR_INPUT, "SNAPPY");
    image_free(&m);
}

static void walk_fails(struct image *m, const struct trailer *t, const char *word) {
    struct buf b = {0};
    struct err err = {0};
    assert_int_equal(buf_put(&b, m->p, m->n - TRAILER_V3_BYTES, &err), 0);
    assert_int_equal(trailer_put(t, &b, &err), 0);
    image_put(m, b.p, b.n);
    struct hfile *h = hfile_open(m->path, 0, &err);
    if (!h) fail_msg("%s", err.text);
    assert_int_equal(hfile_index_walk(h, NULL, NULL, &err), -1);
    if (err.code != ERR_INPUT || !strstr(err.text, word)) fail_msg("expected '%s', got %d: %s", word, err.code, err.text);
    hfile_close(h);
    buf_free(&b);
}

static void forged_index(void **state) {
    (void)state;
    struct image m = image_of("tests/data/hfile/golden_hfiles/g11_leaf2.hfile");
    struct trailer good, t;
    struct err err = {0};
    assert_int_equal(trailer_parse(bytes_of(m.p + m.n - TRAILER_V3_BYTES, TRAILER_V3_BYTES), &good, &err), 0);
    t = good;
    t.index_levels = 3;
    walk_fails(&m, &t, "IDXINTE2");
    t = good;
    t.index_plain_bytes++;
    walk_fails(&m, &t, "the index has");
    image_free(&m);
}

static void not_hfiles(void **state) {
    (void)state;
    struct image m = image_of("tests/data/hfile/golden_hfiles/g01_small.tsv");
    expect(&m, m.p, m.n, ERR_INPUT, "not an HFile");
    expect(&m, m.p, 0, ERR_INPUT, "not an HFile");
    assert_false(hfile_looks_like(bytes_of(m.p, m.n)));
    image_free(&m);
    m = image_of("tests/data/hfile/golden_hfiles/g12_empty.hfile");
    assert_true(hfile_looks_like(bytes_of(m.p, m.n)));
    assert_true(hfile_looks_like(bytes_of(m.p + m.n - 4096, 4096)));
    assert_false(hfile_looks_like(bytes_of(m.p, m.n - 1)));
    uint8_t v1[60] = "TRABLK\"$";
    v1[59] = 1;
    assert_true(hfile_looks_like(bytes_of(v1, sizeof v1)));
    expect(&m, v1, sizeof v1, ERR_UNSUPPORTED, "HFile v1");
    image_free(&m);
    struct err err = {0};
    assert_null(hfile_open("tests/data/hfile", 0, &err));
    assert_int_equal(err.code, ERR_INPUT);
    err.code = ERR_NONE;
    assert_null(hfile_open("tests/data/hfile/absent", 0, &err));
    assert_int_equal(err.code, ERR_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_hfiles),   cmocka_unit_test(forged_cells),    cmocka_unit_test(forged_encodings),
        cmocka_unit_test(forged_sizes), cmocka_unit_test(forged_trailers), cmocka_unit_test(forged_index),
        cmocka_unit_test(our_files),    cmocka_unit_test(files_of_hbase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
