/* Random cells through writer and reader: all codecs, encodings, block sizes, with and without tags and sequence ids, huge
 * values; the same bytes with any number of threads. */
#include "base/fs.h"
#include "cell/keyvalue.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_keys.h"
#include "hfile/hfile_scan.h"
#include "hfile/index_reader.h"
#include "tests/unit/random_cells.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static char path[100], other[100];

static struct tally digest_of(const struct random_cells *r) {
    struct tally t = {0};
    struct buf scratch = {0};
    struct err err = {0};
    for (size_t i = 0; i < r->n; i++) {
        struct row_part p = {.row = r->c[i].row, .family = r->family, .cells = &r->cells[i], .n_cells = 1};
        assert_int_equal(digest_part(&scratch, &p, &t, &err), 0);
    }
    buf_free(&scratch);
    return t;
}

static void assert_read_back(const struct random_cells *r, const struct hfile_write_opts *o) {
    struct err err = {0};
    struct tally t = {0};
    struct hfile *h = hfile_open(path, 0, &err);
    if (!h) fail_msg("%s", err.text);
    struct source *scan = hfile_scan_open(h, &(struct hfile_scan_opts){.tally = &t}, &err);
    struct row_part p;
    size_t i = 0;
    int rc;
    while ((rc = source_next(scan, &p, &err)) == 1) {
        for (uint32_t k = 0; k < p.n_cells; k++, i++) {
            const struct cell *a = &p.cells[k], *b = &r->cells[i];
            assert_true(i < r->n && bytes_eq(p.row, r->c[i].row) && bytes_eq(p.family, r->family));
            assert_true(bytes_eq(a->qualifier, b->qualifier) && bytes_eq(a->value, b->value) && bytes_eq(a->tags, b->tags));
            assert_true(a->ts_ms == b->ts_ms && a->type == b->type && a->seq == (o->mvcc && o->seqs ? b->seq : 0));
        }
    }
    if (rc) fail_msg("%s", err.text);
    assert_int_equal(i, r->n);
    struct tally want = digest_of(r);
    assert_true(digest_eq(t.digest, want.digest));
    if (hfile_index_walk(h, NULL, NULL, &err)) fail_msg("%s", err.text);
    source_close(scan);
    hfile_close(h);
}

static void assert_stats(const struct random_cells *r, const struct hfile_write_stats *s) {
    struct tally want = digest_of(r);
    uint64_t kv = 0, deletes = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct row_part p = {.row = r->c[i].row, .family = r->family};
        kv += kv_size(&p, &r->cells[i], r->cells[i].tags.n > 0);
        deletes += cell_is_delete(r->cells[i].type);
    }
    assert_int_equal(s->tally.cells, r->n);
    assert_true(digest_eq(s->tally.digest, want.digest));
    assert_int_equal(s->kv_bytes, kv);
    assert_int_equal(s->deletes, deletes);
    assert_int_equal(s->puts, r->n - deletes);
}

static void check(const struct random_shape *shape, const struct hfile_write_opts *o, uint64_t seed) {
    struct err err = {0};
    struct hfile_write_stats stats = {0};
    struct random_cells r = random_cells_make(shape, seed);
    if (random_cells_write(&r, o, path, seed, &stats, &err)) fail_msg("%s", err.text);
    assert_stats(&r, &stats);
    assert_read_back(&r, o);
    random_cells_free(&r);
}

static void all_layouts(void **state) {
    (void)state;
    static const enum hfile_codec codecs[] = {HFILE_NONE, HFILE_GZ, HFILE_SNAPPY, HFILE_LZ4, HFILE_ZSTD};
    static const uint32_t blocks[] = {1, 300, 4096, 65536};
    uint64_t seed = 1;
    for (size_t c = 0; c < countof(codecs); c++)
        for (size_t b = 0; b < countof(blocks); b++)
            for (unsigned layout = 0; layout < 4; layout++, seed++) {
                struct hfile_write_opts o = random_opts(codecs[c], blocks[b], layout & 1, layout & 2);
                o.batch_blocks = 1 + seed % 5;
                struct random_shape s = {.cells = 1500,
                                         .rows = 1 + seed * 37 % 900,
                                         .value_max = 60,
                                         .tags = layout & 1,
                                         .seqs = seed % 3,
                                         .deletes = seed % 2};
                check(&s, &o, seed);
            }
}

static const enum hfile_encoding encodings[] = {HFILE_ENC_PREFIX, HFILE_ENC_DIFF, HFILE_ENC_FAST_DIFF, HFILE_ENC_ROW_INDEX_V1};

static void all_encodings(void **state) {
    (void)state;
    static const uint32_t blocks[] = {1, 300, 4096, 65536};
    uint64_t seed = 1;
    for (size_t e = 0; e < countof(encodings); e++)
        for (unsigned layout = 0; layout < 16; layout++, seed++) {
            uint32_t block = blocks[(layout + layout / 4 + e) % countof(blocks)];
            struct hfile_write_opts o = random_opts(layout & 8 ? HFILE_SNAPPY : HFILE_NONE, block, layout & 1, layout & 2);
            o.encoding = encodings[e];
            o.tags_compressed = layout & 4;
            o.batch_blocks = 1 + seed % 5;
            struct random_shape s = {.cells = 2000,
                                     .rows = 1 + seed * 37 % 900,
                                     .value_max = seed % 7 ? 60 : 0,
                                     .tags = layout & 1,
                                     .seqs = seed % 3,
                                     .deletes = seed % 2};
            check(&s, &o, seed);
            struct err err = {0};
            struct hfile *h = hfile_open(path, 0, &err);
            assert_int_equal(hfile_info(h)->encoding, encodings[e]);
            hfile_close(h);
        }
}

/* Tests files without sequence ids. With seqs false every cell's is 0, and so is the largest: HBase then takes one byte per cell
 * for granted. */
static void sequence_ids_left_out(void **state) {
    (void)state;
    for (size_t e = 0; e <= countof(encodings); e++) {
        struct hfile_write_opts o = random_opts(HFILE_NONE, 4096, true, true);
        o.encoding = e < countof(encodings) ? encodings[e] : HFILE_ENC_NONE;
        o.seqs = false;
        check(&(struct random_shape){.cells = 1500, .rows = 300, .value_max = 30, .tags = true, .seqs = true}, &o, e + 1);
        struct err err = {0};
        struct hfile *h = hfile_open(path, 0, &err);
        assert_true(hfile_info(h)->has_mvcc);
        assert_int_equal(hfile_info(h)->max_mvcc, 0);
        hfile_close(h);
    }
}

/* Index and bloom chunks so small that there are many, in several levels. */
static void many_levels(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        struct hfile_write_opts o = random_opts(HFILE_SNAPPY, 200, true, true);
        o.index_chunk_bytes = 100;
        o.index_min_entries = 2 + (uint32_t)seed % 3;
        o.bloom_chunk_bytes = 128;
        check(&(struct random_shape){.cells = 4000, .rows = 3000, .value_max = 20, .tags = true, .seqs = true, .deletes = true},
              &o, seed);
        struct err err = {0};
        struct hfile *h = hfile_open(path, 0, &err);
        assert_true(hfile_info(h)->index_levels > 3);
        hfile_close(h);
    }
}

static void huge_values(void **state) {
    (void)state;
    static const enum hfile_codec codecs[] = {HFILE_NONE, HFILE_GZ, HFILE_SNAPPY, HFILE_LZ4, HFILE_ZSTD};
    for (size_t c = 0; c < countof(codecs); c++) {
        struct hfile_write_opts o = random_opts(codecs[c], 65536, true, true);
        check(&(struct random_shape){.cells = 40, .rows = 10, .value_max = 3000000}, &o, c + 1);
    }
    for (size_t e = 0; e < countof(encodings); e++) {
        struct hfile_write_opts o = random_opts(HFILE_SNAPPY, 65536, true, true);
        o.encoding = encodings[e];
        check(&(struct random_shape){.cells = 40, .rows = 10, .value_max = 3000000}, &o, e + 1);
    }
}

static void no_cells(void **state) {
    (void)state;
    struct hfile_write_opts o = random_opts(HFILE_SNAPPY, 65536, true, true);
    check(&(struct random_shape){.cells = 0, .rows = 1}, &o, 1);
}

static void longest_row(void **state) {
    (void)state;
    struct hfile_write_opts o = random_opts(HFILE_SNAPPY, 65536, true, true);
    struct random_cells r = random_cells_make(&(struct random_shape){.cells = 20, .rows = 1, .value_max = 5}, 3);
    uint8_t *row = random_alloc(&r, ROW_MAX_BYTES);
    memset(row, 0xfe, ROW_MAX_BYTES);
    for (size_t i = 0; i < r.n; i++) r.c[i].row = bytes_of(row, ROW_MAX_BYTES);
    qsort(r.c, r.n, sizeof *r.c, random_cmp);
    for (size_t i = 0; i < r.n; i++) r.cells[i] = r.c[i].cell;
    struct err err = {0};
    struct hfile_write_stats stats = {0};
    if (random_cells_write(&r, &o, path, 1, &stats, &err)) fail_msg("%s", err.text);
    assert_read_back(&r, &o);
    random_cells_free(&r);
}

static void assert_same_file(const char *a, const char *b) {
    struct err err = {0};
    size_t n = 0, m = 0;
    char *x = fs_read_text(a, 64u << 20, &n, &err), *y = fs_read_text(b, 64u << 20, &m, &err);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

/* Inside and outside of parallel regions, with any width and batch. */
static void same_bytes(void **state) {
    (void)state;
    static const enum hfile_codec codecs[] = {HFILE_NONE, HFILE_GZ, HFILE_SNAPPY, HFILE_LZ4, HFILE_ZSTD};
    struct random_cells r = random_cells_make(
        &(struct random_shape){.cells = 20000, .rows = 7000, .value_max = 100, .tags = true, .seqs = true, .deletes = true}, 9);
    for (size_t c = 0; c < countof(codecs); c++) {
        struct hfile_write_opts o = random_opts(codecs[c], 4096, true, true);
        o.encoding = c < countof(encodings) ? encodings[c] : HFILE_ENC_NONE;
        o.tags_compressed = true;
        struct hfile_write_stats stats = {0};
        struct err err = {0};
        if (random_cells_write(&r, &o, other, 1, &stats, &err)) fail_msg("%s", err.text);
        for (int threads = 1; threads <= 4; threads += 3) {
            o.batch_blocks = threads == 1 ? 9 : 3;
            int rc = -1;
#pragma omp parallel num_threads(threads)
#pragma omp single
            rc = random_cells_write(&r, &o, path, 2, &stats, &err);
            if (rc) fail_msg("%s", err.text);
            assert_same_file(path, other);
        }
    }
    random_cells_free(&r);
}

/* Several writers at once, each in a task of its own. */
static void writers_in_tasks(void **state) {
    (void)state;
    enum { N = 6 };
    struct random_cells r =
        random_cells_make(&(struct random_shape){.cells = 5000, .rows = 900, .value_max = 80, .seqs = true}, 4);
    struct hfile_write_opts o = random_opts(HFILE_ZSTD, 2048, true, true);
    struct err errs[N] = {0};
    char paths[N][120];
    int rc[N] = {0};
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < N; i++) {
        snprintf(paths[i], sizeof paths[i], "%s.%d", path, i);
#pragma omp task firstprivate(i) shared(r, o, errs, paths, rc)
        {
            struct hfile_write_stats stats = {0};
            rc[i] = random_cells_write(&r, &o, paths[i], (uint64_t)i + 1, &stats, &errs[i]);
        }
    }
    for (int i = 0; i < N; i++) {
        if (rc[i]) fail_msg("%s", errs[i].text);
        assert_same_file(paths[i], paths[0]);
    }
    for (int i = 0; i < N; i++) unlink(paths[i]);
    random_cells_free(&r);
}

static size_t heap_bytes(void) {
    struct mallinfo2 m = mallinfo2(); /* all zero under ASan */
    return m.uordblks + m.hblkhd;
}

static void check_scan_memory(void) {
    struct err err = {0};
    struct row_part p;
    struct hfile *h = hfile_open(path, 0, &err);
    if (!h) fail_msg("%s", err.text);
    size_t before = heap_bytes(), most = 0, bound = hfile_scan_memory(h);
    struct source *scan = hfile_scan_open(h, &(struct hfile_scan_opts){0}, &err);
    while (source_next(scan, &p, &err) == 1)
        if (heap_bytes() > most) most = heap_bytes();
    source_close(scan);
    hfile_close(h);
    if (most > before + bound) fail_msg("a scan holds %zu bytes, %zu promised", most - before, bound);
    assert_true(bound < 2u << 20);
}

/* Tests that memory between two puts stays below hfile_writer_memory, and that of a scan below hfile_scan_memory. */
static void memory_bound(void **state) {
    (void)state;
    static const struct {
        enum hfile_codec codec;
        enum hfile_encoding encoding;
    } kinds[] = {{HFILE_NONE, HFILE_ENC_NONE},   {HFILE_GZ, HFILE_ENC_NONE},          {HFILE_SNAPPY, HFILE_ENC_NONE},
                 {HFILE_LZ4, HFILE_ENC_NONE},    {HFILE_ZSTD, HFILE_ENC_NONE},        {HFILE_NONE, HFILE_ENC_FAST_DIFF},
                 {HFILE_SNAPPY, HFILE_ENC_DIFF}, {HFILE_NONE, HFILE_ENC_ROW_INDEX_V1}};
    for (size_t c = 0; c < countof(kinds); c++) {
        struct hfile_write_opts o = random_opts(kinds[c].codec, 65536, true, true);
        o.encoding = kinds[c].encoding;
        struct err err = {0};
        unlink(path);
        struct outfile *out = outfile_create(path, NULL, &err);
        size_t before = heap_bytes(), most = 0;
        struct hfile_writer *w = hfile_writer_open(&o, out, &err);
        char value[50], row[16];
        memset(value, 'v', sizeof value);
        struct cell cells[4];
        for (int k = 0; k < 4; k++)
            cells[k] =
                (struct cell){.qualifier = bytes_of(&"abcd"[k], 1), .value = bytes_of(value, 50), .ts_ms = 5, .type = CELL_PUT};
        for (unsigned i = 0; i < 150000; i++) {
            snprintf(row, sizeof row, "row%010u", i);
            memcpy(value, row, 13);
            struct row_part p = {
                .row = bytes_of(row, 13), .family = bytes_str("cf"), .cells = cells, .n_cells = 4, .first = true};
            if (hfile_writer_put(w, &p, &err)) fail_msg("%s", err.text);
            if (i % 64 == 0 && heap_bytes() > most) most = heap_bytes();
        }
        size_t used = most > before ? most - before : 0, bound = hfile_writer_memory(&o);
        struct hfile_write_stats stats;
        char sum[17];
        if (hfile_writer_finish(w, &stats, &err) || outfile_finish(out, sum, &err)) fail_msg("%s", err.text);
        hfile_writer_close(w);
        outfile_close(out);
        if (used > bound) fail_msg("kind %zu: %zu bytes in use, %zu promised", c, used, bound);
        assert_true(bound < 10u << 20);
        check_scan_memory();
    }
}

static void own_file_info(void **state) {
    (void)state;
    struct hfile_extra extra[] = {{"OBKV.PARTITION", bytes_str("p7")}, {"OBKV.RULES", bytes_str("abc")}};
    struct hfile_write_opts o = random_opts(HFILE_GZ, 65536, true, true);
    o.extra = extra;
    o.n_extra = 2;
    struct random_cells r = random_cells_make(&(struct random_shape){.cells = 100, .rows = 20, .value_max = 9}, 8);
    struct hfile_write_stats stats = {0};
    struct err err = {0};
    assert_int_equal(random_cells_write(&r, &o, path, 1, &stats, &err), 0);
    struct hfile *h = hfile_open(path, 0, &err);
    assert_non_null(h);
    struct tally want = digest_of(&r);
    uint8_t digest[16];
    put_be64(put_be64(digest, want.digest.hi), want.digest.lo);
    assert_int_equal(be64(hfile_find(h, "OBKV.CELLS").p), 100);
    assert_true(bytes_eq(hfile_find(h, "OBKV.DIGEST"), bytes_of(digest, 16)));
    assert_true(bytes_eq(hfile_find(h, "OBKV.FIRST"), r.c[0].row));
    assert_true(bytes_eq(hfile_find(h, "OBKV.LAST"), r.c[99].row));
    assert_true(bytes_eq(hfile_find(h, "OBKV.PARTITION"), bytes_str("p7")));
    assert_true(bytes_eq(hfile_find(h, "OBKV.RULES"), bytes_str("abc")));
    assert_null(hfile_find(h, "OBKV").p);
    hfile_close(h);
    extra[1].key = "OBKV.CELLS"; /* twice the same key */
    assert_int_equal(random_cells_write(&r, &o, path, 1, &stats, &err), -1);
    assert_int_equal(err.code, ERR_INTERNAL);
    random_cells_free(&r);
}

/* last < separator <= first, and never longer than needed by more than a byte. */
static void separators(void **state) {
    (void)state;
    struct random_cells r =
        random_cells_make(&(struct random_shape){.cells = 5000, .rows = 500, .value_max = 0, .deletes = true}, 2);
    struct buf keys[3] = {0};
    struct err err = {0};
    for (size_t i = 1; i < r.n; i++) {
        struct kv_key k[3];
        for (size_t j = 0; j < 2; j++) {
            const struct random_cell *c = &r.c[i - 1 + j];
            keys[j].n = 0;
            assert_int_equal(buf_reserve(&keys[j], 200, &err), 0);
            keys[j].n =
                (size_t)(kv_put_key(keys[j].p, c->row, r.family, c->cell.qualifier, c->cell.ts_ms, c->cell.type) - keys[j].p);
        }
        assert_true(kv_key_parse(buf_bytes(&keys[0]), &k[0]) && kv_key_parse(buf_bytes(&keys[1]), &k[1]));
        if (kv_key_cmp(&k[0], &k[1]) == 0) continue;
        assert_int_equal(separator_put(&keys[2], buf_bytes(&keys[0]), buf_bytes(&keys[1]), &err), 0);
        assert_true(kv_key_parse(buf_bytes(&keys[2]), &k[2]));
        assert_true(kv_key_cmp(&k[0], &k[2]) < 0);
        assert_true(kv_key_cmp(&k[2], &k[1]) <= 0);
        if (!bytes_eq(k[0].row, k[1].row)) assert_true(k[2].row.n <= bytes_lcp(k[0].row, k[1].row) + 1);
    }
    for (size_t i = 0; i < 3; i++) buf_free(&keys[i]);
    random_cells_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_layouts),  cmocka_unit_test(all_encodings), cmocka_unit_test(sequence_ids_left_out),
        cmocka_unit_test(many_levels),  cmocka_unit_test(huge_values),   cmocka_unit_test(no_cells),
        cmocka_unit_test(longest_row),  cmocka_unit_test(same_bytes),    cmocka_unit_test(writers_in_tasks),
        cmocka_unit_test(memory_bound), cmocka_unit_test(own_file_info), cmocka_unit_test(separators)};
    random_path(path, sizeof path, "t_hfile_roundtrip");
    random_path(other, sizeof other, "t_hfile_roundtrip.other");
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    unlink(other);
    return rc;
}
