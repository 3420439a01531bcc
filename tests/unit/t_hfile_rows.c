/* A scan that is asked for some rows only hands out exactly these, as a scan of all rows does: same cells, ranks and beginnings
 * of rows; what it passes is counted, and belongs to its bounds. */
#include "hfile/hfile_reader.h"
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(wanted_rows)};
    random_path(path, sizeof path, "t_hfile_rows");
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return rc;
}
