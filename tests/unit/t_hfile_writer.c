/* The writer against files that HBase's own writer classes made from the same cells: byte for byte. */
#include "tests/unit/golden_write.h"

static void assert_same_bytes(const char *a, const char *b) {
    struct err err = {0};
    size_t n, m;
    char *x = fs_read_text(a, 64u << 20, &n, &err), *y = fs_read_text(b, 64u << 20, &m, &err);
    assert_non_null(x);
    assert_non_null(y);
    for (size_t i = 0; i < n && i < m; i++)
        if (x[i] != y[i]) fail_msg("%s and %s (%zu, %zu bytes) differ first at %zu", a, b, n, m, i);
    assert_int_equal(n, m);
    free(x);
    free(y);
}

static void check_golden(const char *name, const struct hfile_write_opts *o) {
    char tsv[200], want[200], got[200];
    snprintf(tsv, sizeof tsv, GOLDEN "%s.tsv", name);
    snprintf(want, sizeof want, GOLDEN "%s.hfile", name);
    snprintf(got, sizeof got, "/tmp/t_hfile_writer.%d", (int)getpid());
    struct tsv t;
    struct hfile_write_stats stats;
    assert_true(tsv_load(tsv, &t));
    golden_write(got, o, &t, &stats);
    assert_int_equal(stats.tally.cells, t.n);
    assert_same_bytes(got, want);
    unlink(got);
    tsv_free(&t);
}

static void golden_g01(void **s) {
    (void)s;
    struct hfile_write_opts o = golden_opts();
    check_golden("g01_small", &o);
}

static void golden_g02(void **s) {
    (void)s;
    struct hfile_write_opts o = golden_opts();
    o.bloom = HFILE_BLOOM_ROW;
    o.block_bytes = 512;
    o.index_chunk_bytes = 600;
    o.bloom_chunk_bytes = 256;
    o.bytes_per_checksum = 512;
    for (unsigned batch = 1; batch <= 7; batch += 3) {
        o.batch_blocks = batch;
        check_golden("g02_multilevel_row", &o);
    }
}

static void golden_g04_g05(void **s) {
    (void)s;
    struct hfile_write_opts o = golden_opts();
    o.bloom = HFILE_BLOOM_ROW;
    o.tags_compressed = true;
    o.block_bytes = 4096;
    for (unsigned batch = 1; batch <= 7; batch += 3) {
        o.batch_blocks = batch;
        o.encoding = HFILE_ENC_PREFIX;
        check_golden("g04_prefix", &o);
        o.encoding = HFILE_ENC_DIFF;
        check_golden("g05_diff", &o);
    }
}

static void golden_g07(void **s) {
    (void)s;
    struct hfile_write_opts o = golden_opts();
    o.mvcc = false;
    o.block_bytes = 4096;
    o.bloom = HFILE_BLOOM_NONE;
    o.tags_compressed = true; /* so HBase says, although these tags stand as they are */
    o.encoding = HFILE_ENC_ROW_INDEX_V1;
    check_golden("g07_rowindex", &o);
}

/* Tests the profile not of a bulk load, but of a store file: no tags, sequence ids, other checksums. */
static void golden_g08_g09(void **s) {
    (void)s;
    struct hfile_write_opts o = golden_opts();
    o.tags = false;
    o.block_bytes = 1024;
    o.bytes_per_checksum = 512;
    o.checksum = HFILE_SUM_NULL;
    check_golden("g09_nullck", &o);
    o.checksum = HFILE_SUM_CRC32;
    o.bloom = HFILE_BLOOM_ROW;
    check_golden("g08_crc32", &o);
}

static void golden_g10(void **s) {
    (void)s;
    struct hfile_write_opts o = golden_opts();
    o.bloom = HFILE_BLOOM_ROW;
    o.tags = o.mvcc = false;
    check_golden("g10_plain", &o);
}

static void golden_g11(void **s) {
    (void)s;
    struct hfile_write_opts o = golden_opts();
    o.bloom = HFILE_BLOOM_ROW;
    o.block_bytes = 1024;
    o.index_chunk_bytes = 2048;
    o.bytes_per_checksum = 512;
    check_golden("g11_leaf2", &o);
}

static void golden_g12(void **s) {
    (void)s;
    struct hfile_write_opts o = golden_opts();
    check_golden("g12_empty", &o);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden_g01),     cmocka_unit_test(golden_g02),
                                       cmocka_unit_test(golden_g04_g05), cmocka_unit_test(golden_g07),
                                       cmocka_unit_test(golden_g10),     cmocka_unit_test(golden_g08_g09),
                                       cmocka_unit_test(golden_g11),     cmocka_unit_test(golden_g12)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
