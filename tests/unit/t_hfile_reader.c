/* The reader against files by HBase's own writers: every cell, every bloom filter, row ranges and block ranges; what
 * it does not read must be refused by name. */
#include "base/fs.h"
#include "cell/keyvalue.h"
#include "hfile/bloom_reader.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_ranges.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_scan.h"
#include "hfile/index_reader.h"
#include "tests/unit/sampled.h"
#include "tests/unit/sha256.h"
#include "tests/unit/tsv_cells.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define DATA "tests/data/hfile/"

/* One line of hbase_files/MANIFEST.tsv, or a golden file. */
struct fixture {
    char path[200], tsv[200];
    char version[8], codec[16], encoding[20], tags[8], mvcc[8], bloom[32], note[200];
    unsigned long cells;
};

static bool read_fixture(FILE *f, struct fixture *x) {
    char line[500], *p = line, *c[12];
    if (!fgets(line, sizeof line, f)) return false;
    line[strcspn(line, "\n")] = 0;
    for (int i = 0; i < 12; i++) c[i] = strsep(&p, "\t");
    snprintf(x->path, sizeof x->path, DATA "hbase_files/%s", c[0]);
    snprintf(x->version, sizeof x->version, "%s", c[2]);
    snprintf(x->codec, sizeof x->codec, "%s", c[3]);
    snprintf(x->encoding, sizeof x->encoding, "%s", c[4]);
    snprintf(x->bloom, sizeof x->bloom, "%s", c[5]);
    snprintf(x->tags, sizeof x->tags, "%s", c[7]);
    snprintf(x->mvcc, sizeof x->mvcc, "%s", c[8]);
    x->cells = strtoul(c[9], NULL, 10);
    snprintf(x->tsv, sizeof x->tsv, DATA "hbase_files/%s", c[10]);
    snprintf(x->note, sizeof x->note, "%s", c[11]);
    return true;
}

/* The word its refusal must hold; NULL: it must be read. */
static const char *refusal(const struct fixture *x) {
    if (strstr(x->note, "encryption_key")) return "encrypted";
    return strcmp(x->encoding, "PREFIX_TREE") ? NULL : x->encoding;
}

static void assert_bytes(const struct fixture *x, size_t i, const char *what, struct bytes got, struct bytes want) {
    if (!bytes_eq(got, want)) fail_msg("%s: cell %zu: %s differs (%zu and %zu bytes)", x->path, i, what, got.n, want.n);
}

static void assert_value(const struct fixture *x, size_t i, struct bytes got, const struct tsv_cell *want) {
    uint8_t hash[32];
    if (!want->sha256.p) {
        assert_bytes(x, i, "value", got, want->cell.value);
        return;
    }
    assert_int_equal(got.n, want->cell.value.n);
    sha256(got.p, got.n, hash);
    assert_bytes(x, i, "hash of value", bytes_of(hash, sizeof hash), want->sha256);
}

static void assert_cell(const struct fixture *x, size_t i, const struct row_part *part, const struct cell *got,
                        const struct tsv_cell *want) {
    assert_bytes(x, i, "row", part->row, want->row);
    assert_bytes(x, i, "family", part->family, want->family);
    assert_bytes(x, i, "qualifier", got->qualifier, want->cell.qualifier);
    assert_bytes(x, i, "tags", got->tags, want->cell.tags);
    assert_value(x, i, got->value, want);
    if (got->ts_ms != want->cell.ts_ms || got->type != want->cell.type || got->seq != want->cell.seq)
        fail_msg("%s: cell %zu: ts %lld/%lld type %u/%u seq %llu/%llu", x->path, i, (long long)got->ts_ms,
                 (long long)want->cell.ts_ms, got->type, want->cell.type, (unsigned long long)got->seq,
                 (unsigned long long)want->cell.seq);
}

/* Reads a scan to its end; its cells are t[at…]. Returns how many. */
static size_t compare_scan(const struct fixture *x, struct source *scan, const struct tsv *t, size_t at, struct tally *hashed) {
    struct err err = {0};
    struct row_part part;
    struct buf scratch = {0};
    size_t i = at;
    uint64_t rank = UINT64_MAX;
    int rc;
    while ((rc = source_next(scan, &part, &err)) == 1) {
        assert_in_range(part.n_cells, 1, PART_MAX_CELLS);
        bool first = i == at || !bytes_eq(t->cells[i].row, t->cells[i - 1].row);
        assert_int_equal(part.first, first);
        for (uint32_t k = 0; k < part.n_cells; k++, i++) {
            if (i >= t->n) fail_msg("%s: more cells than expected", x->path);
            assert_cell(x, i, &part, &part.cells[k], &t->cells[i]);
            assert_true(part.cells[k].rank < rank);
            rank = part.cells[k].rank;
        }
        assert_int_equal(digest_part(&scratch, &part, hashed, &err), 0);
    }
    if (rc) fail_msg("%s", err.text);
    buf_free(&scratch);
    return i - at;
}

static void check_whole(const struct fixture *x, const struct hfile *h, const struct tsv *t) {
    struct err err = {0};
    struct tally inside = {0}, outside = {0};
    struct hfile_scan_opts o = {.tally = &inside, .input = 7};
    struct source *scan = hfile_scan_open(h, &o, &err);
    assert_non_null(scan);
    assert_int_equal(compare_scan(x, scan, t, 0, &outside), t->n);
    assert_int_equal(inside.cells, t->n);
    assert_true(digest_eq(inside.digest, outside.digest));
    uint64_t blocks, cells;
    hfile_scan_counts(scan, &blocks, &cells);
    assert_int_equal(cells, t->n);
    source_close(scan);
}

static void check_block_ranges(const struct fixture *x, const struct hfile *h, const struct tsv *t, size_t want) {
    struct err err = {0};
    uint64_t cursor = 0, cells = 0;
    struct hfile_range r;
    struct tally outside = {0};
    int rc;
    while ((rc = hfile_range_next(h, &cursor, want, &r, &err)) == 1) {
        struct hfile_scan_opts o = {.range = r};
        struct source *scan = hfile_scan_open(h, &o, &err);
        assert_non_null(scan);
        struct row_part part;
        int got;
        while ((got = source_next(scan, &part, &err)) == 1)
            for (uint32_t k = 0; k < part.n_cells; k++, cells++) assert_cell(x, cells, &part, &part.cells[k], &t->cells[cells]);
        if (got) fail_msg("%s", err.text);
        source_close(scan);
    }
    if (rc) fail_msg("%s", err.text);
    assert_int_equal(cells, t->n);
    (void)outside;
}

static size_t lower_bound(const struct tsv *t, struct bytes row) {
    size_t i = 0;
    while (i < t->n && bytes_cmp(t->cells[i].row, row) < 0) i++;
    return i;
}

static void check_row_range(const struct fixture *x, const struct hfile *h, const struct tsv *t, struct bytes start,
                            struct bytes stop) {
    struct err err = {0};
    struct tally hashed = {0};
    struct hfile_scan_opts o = {.start_row = start, .stop_row = stop};
    struct source *scan = hfile_scan_open(h, &o, &err);
    if (!scan) fail_msg("%s", err.text);
    size_t from = start.p ? lower_bound(t, start) : 0, to = stop.p ? lower_bound(t, stop) : t->n;
    size_t n = compare_scan(x, scan, t, from, &hashed);
    if (n != (to > from ? to - from : 0))
        fail_msg("%s: %zu cells in a row range, expected %zu", x->path, n, to > from ? to - from : 0);
    struct bytes first, last;
    hfile_scan_bounds(scan, &first, &last);
    assert_int_equal(first.n > 0, n > 0);
    if (n) {
        struct kv_key k;
        assert_true(kv_key_parse(first, &k));
        assert_bytes(x, from, "first key's row", k.row, t->cells[from].row);
        assert_true(kv_key_parse(last, &k));
        assert_bytes(x, to - 1, "last key's row", k.row, t->cells[to - 1].row);
        assert_bytes(x, to - 1, "last key's qualifier", k.qualifier, t->cells[to - 1].cell.qualifier);
    }
    source_close(scan);
}

/* Bounds that are rows, lie between rows, before and behind all. */
static void check_row_ranges(const struct fixture *x, const struct hfile *h, const struct tsv *t) {
    const struct bytes none = {0};
    check_row_range(x, h, t, bytes_of("", 0), none);
    check_row_range(x, h, t, none, bytes_of("", 0));
    check_row_range(x, h, t, bytes_of("\xff\xff\xff\xff", 4), none);
    size_t step = sampled_step(t->n / 40 + 1);
    for (size_t i = 0; i < t->n; i += step) {
        struct bytes row = t->cells[i].row, far = t->cells[(i * 7 + 3) % t->n].row;
        check_row_range(x, h, t, row, none);
        check_row_range(x, h, t, none, row);
        check_row_range(x, h, t, row, far);
        uint8_t longer[ROW_MAX_BYTES + 1];
        memcpy(longer, row.p, row.n);
        longer[row.n] = 0;
        check_row_range(x, h, t, bytes_of(longer, row.n + 1), far);
        check_row_range(x, h, t, bytes_of(row.p, row.n - 1), row);
    }
}

/* One scan that is moved about, forwards and backwards, and sometimes in the middle of a row. */
static void check_seeks(const struct fixture *x, const struct hfile *h, const struct tsv *t) {
    struct err err = {0};
    struct source *scan = hfile_scan_open(h, &(struct hfile_scan_opts){0}, &err);
    struct row_part part;
    assert_non_null(scan);
    for (size_t k = 0; k < 40 && t->n; k++) {
        uint8_t row[ROW_MAX_BYTES + 1];
        struct bytes want = t->cells[k * 7919 % t->n].row;
        memcpy(row, want.p, want.n);
        row[want.n] = 0;
        struct bytes to = bytes_of(row, k % 3 == 0 ? want.n + 1 : k % 3 == 1 ? want.n - 1 : want.n);
        assert_int_equal(hfile_scan_seek(scan, to, &err), 0);
        size_t at = lower_bound(t, to);
        for (size_t parts = 0; parts < k % 5 + 1 && at < t->n; parts++) {
            if (source_next(scan, &part, &err) != 1) fail_msg("%s: seek %zu: %s", x->path, k, err.text);
            assert_true(parts || part.first);
            for (uint32_t i = 0; i < part.n_cells; i++, at++) assert_cell(x, at, &part, &part.cells[i], &t->cells[at]);
        }
        if (at == t->n) assert_int_equal(source_next(scan, &part, &err), 0);
    }
    source_close(scan);
}

struct walked {
    uint64_t n, bytes;
};

static int count_entry(void *arg, const struct hfile_index_entry *e, struct err *err) {
    struct walked *w = arg;
    (void)err;
    w->n++;
    w->bytes += e->disk_bytes;
    return 0;
}

static void check_index(const struct fixture *x, const struct hfile *h) {
    struct err err = {0};
    struct walked w = {0};
    struct hfile_scan_opts o = {0};
    struct row_part part;
    if (hfile_index_walk(h, count_entry, &w, &err)) fail_msg("%s", err.text);
    struct source *scan = hfile_scan_open(h, &o, &err);
    while (source_next(scan, &part, &err) == 1) {
    }
    uint64_t blocks, cells;
    hfile_scan_counts(scan, &blocks, &cells);
    if (w.n != blocks)
        fail_msg("%s: %llu index entries, %llu data blocks", x->path, (unsigned long long)w.n, (unsigned long long)blocks);
    source_close(scan);
}

/* Every cell's row and column is in the filter, few that are absent are. */
static void check_general_bloom(const struct fixture *x, struct hfile_bloom_reader *b, const struct tsv *t) {
    struct err err = {0};
    bool columns = !strcmp(x->bloom, "ROWCOL");
    for (size_t i = 0; i < t->n; i++) {
        struct bytes row = t->cells[i].row, qualifier = t->cells[i].cell.qualifier;
        if (hfile_bloom_may_have(b, row, &err) != 1 || hfile_bloom_may_have_column(b, row, qualifier, &err) != 1)
            fail_msg("%s: cell %zu is not in the %s bloom filter %s", x->path, i, x->bloom, err.text);
    }
    size_t rows = 0, pairs = 0;
    for (int i = 0; i < 5000; i++) {
        char text[32];
        struct bytes absent = bytes_of(text, (size_t)snprintf(text, sizeof text, "%dabsent", i * 31));
        rows += hfile_bloom_may_have(b, absent, &err) == 1;
        pairs += hfile_bloom_may_have_column(b, t->cells[(size_t)i % t->n].row, absent, &err) == 1;
    }
    assert_true(columns ? rows == 5000 : rows <= 150);
    assert_true(columns ? pairs <= 150 : pairs == 5000);
}

static void check_delete_bloom(const struct fixture *x, const struct hfile *h, const struct tsv *t) {
    struct err err = {0};
    size_t markers = 0, others = 0, hits = 0;
    struct hfile_bloom_reader *b = hfile_bloom_open_deletes(h, &err);
    assert_int_equal(err.code, ERR_NONE);
    for (size_t i = 0; i < t->n; i++) markers += cell_is_family_delete(t->cells[i].cell.type);
    assert_int_equal(b != NULL, markers > 0 && strcmp(x->bloom, "ROWCOL") != 0);
    for (size_t i = 0, from = 0; b && i < t->n; i = from) {
        bool marked = false;
        for (; from < t->n && bytes_eq(t->cells[from].row, t->cells[i].row); from++)
            marked |= cell_is_family_delete(t->cells[from].cell.type);
        int has = hfile_bloom_may_have(b, t->cells[i].row, &err);
        if (marked && has != 1) fail_msg("%s: row of cell %zu is not in the bloom of markers %s", x->path, i, err.text);
        others += !marked;
        hits += !marked && has;
    }
    if (hits > 5 + others / 20) fail_msg("%s: %zu of %zu rows without marker pass its bloom", x->path, hits, others);
    hfile_bloom_close(b);
}

static void check_bloom(const struct fixture *x, const struct hfile *h, const struct tsv *t) {
    struct err err = {0};
    struct hfile_bloom_reader *b = hfile_bloom_open(h, &err);
    assert_int_equal(err.code, ERR_NONE);
    bool none = !x->bloom[0] || !strcmp(x->bloom, "NONE") || t->n == 0;
    assert_int_equal(b == NULL, none);
    assert_int_equal(hfile_info(h)->bloom == HFILE_BLOOM_NONE, none);
    if (b) check_general_bloom(x, b, t);
    hfile_bloom_close(b);
    check_delete_bloom(x, h, t);
}

static void check_info(const struct fixture *x, const struct hfile *h) {
    const struct hfile_info *info = hfile_info(h);
    char version[16];
    snprintf(version, sizeof version, "%u.%u", info->major, info->minor);
    assert_string_equal(version, x->version);
    assert_string_equal(hfile_codec_name(info->codec), x->codec);
    assert_string_equal(hfile_encoding_name(info->encoding), x->encoding);
    assert_int_equal(info->cells, x->cells);
    assert_int_equal(info->has_tags, strcmp(x->tags, "no") != 0);
    assert_int_equal(info->has_mvcc, strcmp(x->mvcc, "no") != 0);
}

struct memory_file {
    struct buf bytes;
    unsigned reads;
};

/* Reads as callbacks may, which give less than they are asked for and are interrupted now and then. */
static ssize_t pread_memory(void *arg, void *p, size_t n, uint64_t offset) {
    struct memory_file *file = arg;
    if (file->reads++ % 7 == 0) return -EINTR;
    if (offset >= file->bytes.n) return 0;
    if (n > 1000) n = 1000;
    if (n > file->bytes.n - offset) n = file->bytes.n - (size_t)offset;
    memcpy(p, file->bytes.p + offset, n);
    return (ssize_t)n;
}

static ssize_t pread_nothing(void *arg, void *p, size_t n, uint64_t offset) {
    (void)arg, (void)p, (void)n, (void)offset;
    return -EIO;
}

static void close_memory(void *arg) {
    struct memory_file *file = arg;
    buf_free(&file->bytes);
}

static void check_callbacks(const struct fixture *x, const struct tsv *t) {
    struct err err = {0};
    struct memory_file file = {0};
    file.bytes.p = (uint8_t *)fs_read_text(x->path, 1 << 26, &file.bytes.n, &err);
    struct hfile_bytes bytes = {.pread = pread_memory, .close = close_memory, .arg = &file, .size = file.bytes.n};
    struct hfile *h = hfile_open_bytes(bytes, x->path, 0, NULL, &err);
    if (!h) fail_msg("%s", err.text);
    check_whole(x, h, t);
    hfile_close(h);
    assert_null(file.bytes.p);
    bytes.pread = pread_nothing;
    assert_null(hfile_open_bytes(bytes, x->path, 0, NULL, &err));
    assert_int_equal(err.code, ERR_INPUT);
    assert_int_equal(err.sys, EIO);
}

static void check_readable(const struct fixture *x) {
    struct err err = {0};
    struct tsv t;
    assert_true(tsv_load(x->tsv, &t));
    struct hfile *h = hfile_open(x->path, 0, &err);
    if (!h) fail_msg("%s", err.text);
    check_info(x, h);
    check_whole(x, h, &t);
    check_block_ranges(x, h, &t, 1);
    check_block_ranges(x, h, &t, 20000);
    check_row_ranges(x, h, &t);
    check_seeks(x, h, &t);
    check_callbacks(x, &t);
    check_index(x, h);
    check_bloom(x, h, &t);
    hfile_close(h);
    tsv_free(&t);
}

static void check_refused(const struct fixture *x, const char *word) {
    struct err err = {0};
    struct hfile *h = hfile_open(x->path, 0, &err);
    if (h) fail_msg("%s was opened, but should be refused for %s", x->path, word);
    if (err.code != ERR_UNSUPPORTED || !strstr(err.text, word))
        fail_msg("%s: refused with code %d, %s", x->path, err.code, err.text);
    if (!strstr(err.text, x->path)) fail_msg("%s: not named in: %s", x->path, err.text);
}

static void files_of_hbase(void **state) {
    (void)state;
    FILE *f = fopen(DATA "hbase_files/MANIFEST.tsv", "r");
    struct fixture x;
    size_t good = 0, bad = 0;
    assert_non_null(f);
    read_fixture(f, &x); /* column names */
    while (read_fixture(f, &x)) {
        const char *word = refusal(&x);
        if (word)
            check_refused(&x, word);
        else
            check_readable(&x);
        (*(word ? &bad : &good))++;
    }
    fclose(f);
    assert_int_equal(good, 81);
    assert_int_equal(bad, 3);
}

static void golden_files(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct fixture x;
    } golden[] = {
        {"g01_small", {.codec = "NONE", .tags = "yes", .mvcc = "zero", .cells = 3}},
        {"g02_multilevel_row", {.codec = "NONE", .bloom = "ROW", .tags = "yes", .mvcc = "zero", .cells = 3000}},
        {"g03_gz_rowcol", {.codec = "GZ", .bloom = "ROWCOL", .tags = "no", .mvcc = "zero", .cells = 1500}},
        {"g04_prefix", {.codec = "NONE", .encoding = "PREFIX", .bloom = "ROW", .tags = "dict", .mvcc = "seq", .cells = 1000}},
        {"g05_diff", {.codec = "NONE", .encoding = "DIFF", .bloom = "ROW", .tags = "dict", .mvcc = "seq", .cells = 1000}},
        {"g06_fastdiff_gz",
         {.codec = "GZ",
          .encoding = "FAST_DIFF",
          .bloom = "ROWPREFIX_FIXED_LENGTH",
          .tags = "dict",
          .mvcc = "seq",
          .cells = 1000}},
        {"g07_rowindex", {.codec = "NONE", .encoding = "ROW_INDEX_V1", .tags = "yes", .mvcc = "no", .cells = 1000}},
        {"g08_crc32", {.codec = "NONE", .bloom = "ROW", .tags = "no", .mvcc = "seq", .cells = 300}},
        {"g09_nullck", {.codec = "NONE", .tags = "no", .mvcc = "seq", .cells = 300}},
        {"g10_plain", {.codec = "NONE", .bloom = "ROW", .tags = "no", .mvcc = "no", .cells = 300}},
        {"g11_leaf2", {.codec = "NONE", .bloom = "ROW", .tags = "yes", .mvcc = "zero", .cells = 1200}},
        {"g12_empty", {.codec = "NONE", .tags = "yes", .mvcc = "zero", .cells = 0}},
    };
    for (size_t i = 0; i < countof(golden); i++) {
        struct fixture x = golden[i].x;
        snprintf(x.path, sizeof x.path, DATA "golden_hfiles/%s.hfile", golden[i].name);
        snprintf(x.tsv, sizeof x.tsv, DATA "golden_hfiles/%s.tsv", golden[i].name);
        strcpy(x.version, "3.3");
        if (!x.encoding[0]) strcpy(x.encoding, "NONE");
        check_readable(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden_files), cmocka_unit_test(files_of_hbase)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
