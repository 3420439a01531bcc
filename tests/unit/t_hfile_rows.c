/* A scan that is asked for some rows only hands out exactly these, as a scan of all rows does: same cells, ranks and beginnings
 * of rows; what it passes is counted, and belongs to its bounds. And ranges of blocks that meet between cells of one key are
 * reported, in whatever order they are read. */
#include "formats/hfile/hfile_whole.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_scan.h"
#include "tests/unit/random_cells.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static char path[100];

/* About a third of the rows. */
static bool is_wanted(const void *arg, struct bytes row) {
    uint64_t sum = *(const uint64_t *)arg;
    for (size_t i = 0; i < row.n; i++) sum = sum * 31 + row.p[i];
    return sum % 3 == 0;
}

static void assert_same_cell(const struct cell *a, const struct cell *b) {
    assert_true(bytes_eq(a->qualifier, b->qualifier) && bytes_eq(a->value, b->value) && bytes_eq(a->tags, b->tags));
    assert_true(a->ts_ms == b->ts_ms && a->type == b->type && a->seq == b->seq && a->rank == b->rank);
}

/* The parts of `some` are those of `all` whose rows are wanted. Returns how many cells they have. */
static size_t compare(struct source *all, struct source *some, const struct hfile_rows *rows) {
    struct err err = {0};
    struct row_part a, b;
    size_t cells = 0;
    while (source_next(all, &a, &err) == 1) {
        if (!rows->wanted(rows->arg, a.row)) continue;
        assert_int_equal(source_next(some, &b, &err), 1);
        assert_true(bytes_eq(a.row, b.row) && bytes_eq(a.family, b.family) && a.first == b.first && a.n_cells == b.n_cells);
        for (uint32_t i = 0; i < a.n_cells; i++) assert_same_cell(&a.cells[i], &b.cells[i]);
        cells += a.n_cells;
    }
    assert_int_equal(source_next(some, &b, &err), 0);
    if (err.code) fail_msg("%s", err.text);
    return cells;
}

static void assert_same_bounds(const struct source *all, const struct source *some) {
    struct bytes first[2], last[2];
    uint64_t blocks[2], cells[2];
    hfile_scan_bounds(all, &first[0], &last[0]);
    hfile_scan_bounds(some, &first[1], &last[1]);
    assert_true(bytes_eq(first[0], first[1]) && bytes_eq(last[0], last[1]));
    hfile_scan_counts(all, &blocks[0], &cells[0]);
    hfile_scan_counts(some, &blocks[1], &cells[1]);
    assert_true(blocks[0] == blocks[1] && cells[0] == cells[1]);
}

static void check(const struct hfile_write_opts *o, const struct random_shape *shape, uint64_t seed) {
    struct err err = {0};
    struct hfile_write_stats stats = {0};
    struct random_cells r = random_cells_make(shape, seed);
    if (random_cells_write(&r, o, path, seed, &stats, &err)) fail_msg("%s", err.text);
    struct hfile *h = hfile_open(path, 0, &err);
    if (!h) fail_msg("%s", err.text);
    const struct hfile_rows rows = {is_wanted, &seed};
    struct tally hashed = {0};
    struct source *all = hfile_scan_open(h, &(struct hfile_scan_opts){.input = 3}, &err);
    struct source *some = hfile_scan_open(h, &(struct hfile_scan_opts){.input = 3, .rows = &rows, .tally = &hashed}, &err);
    size_t cells = compare(all, some, &rows);
    assert_true(cells > 0 && cells < r.n);
    assert_int_equal(hashed.cells, cells);
    assert_same_bounds(all, some);
    source_close(all);
    source_close(some);
    hfile_close(h);
    random_cells_free(&r);
}

static void wanted_rows(void **state) {
    (void)state;
    static const uint32_t blocks[] = {1, 300, 65536};
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct hfile_write_opts o = random_opts(HFILE_NONE, blocks[seed % 3], seed & 1, seed & 2);
        o.encoding = seed & 4 ? HFILE_ENC_FAST_DIFF : HFILE_ENC_NONE;
        struct random_shape s = {
            .cells = 1500, .rows = 60 * seed, .value_max = 40, .tags = seed & 1, .seqs = seed & 8, .deletes = seed & 2};
        check(&o, &s, seed);
    }
}

/* ---- ranges ---- */

struct met {
    unsigned equal, descending;
};

static int note_meeting(void *arg, const char *name, struct bytes before, struct bytes key, struct err *err) {
    struct met *m = arg;
    assert_string_equal(name, path);
    assert_int_equal(err->code, ERR_NONE);
    if (bytes_eq(before, key))
        m->equal++;
    else
        m->descending++;
    return 0;
}

/* A range with one cell of each of two columns. Our writer ends no block between cells of one key, so each range is a file. */
static void note_range(struct stretches *s, const char *const columns[2], uint64_t number,
                       const struct hfile_disorder_sink *sink) {
    struct err err = {0};
    struct hfile_write_stats stats = {0};
    struct random_cells r = random_cells_make(&(struct random_shape){.cells = 2, .rows = 1}, 1);
    struct hfile_write_opts o = random_opts(HFILE_NONE, 4096, false, false);
    struct row_part part;
    for (unsigned i = 0; i < r.n; i++) {
        r.c[i].row = bytes_str("r");
        r.cells[i].qualifier = bytes_str(columns[i]);
        r.cells[i].ts_ms = 7;
    }
    if (random_cells_write(&r, &o, path, 1, &stats, &err)) fail_msg("%s", err.text);
    struct hfile *h = hfile_open(path, 0, &err);
    if (!h) fail_msg("%s", err.text);
    struct source *scan = hfile_scan_open(h, &(struct hfile_scan_opts){0}, &err);
    while (source_next(scan, &part, &err) == 1) {
    }
    if (err.code || stretches_note(s, path, scan, number, sink, &err)) fail_msg("%s", err.text);
    source_close(scan);
    hfile_close(h);
    random_cells_free(&r);
}

static void ranges_that_meet(void **state) {
    (void)state;
    static const char *const columns[][2] = {{"a", "b"}, {"b", "c"}, {"d", "e"}, {"d", "f"}};
    static const unsigned orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}};
    for (size_t k = 0; k < countof(orders); k++) {
        struct met met = {0};
        const struct hfile_disorder_sink sink = {note_meeting, &met};
        struct stretches s = {0};
        for (size_t i = 0; i < 4; i++) note_range(&s, columns[orders[k][i]], orders[k][i], &sink);
        assert_true(stretches_whole(&s, 4));
        assert_int_equal(met.equal, 1);
        assert_int_equal(met.descending, 1);
        stretches_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(wanted_rows), cmocka_unit_test(ranges_that_meet)};
    random_path(path, sizeof path, "t_hfile_rows");
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return rc;
}
