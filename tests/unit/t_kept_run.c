/* Runs that are kept: another start of the program reads what was written, several of them in one file, and damage does not
 * pass. */
#include "run_parts.h"

#include "base/fs.h"
#include "sort/kept_run.h"

#include <stdio.h>

/* Two runs of these parts in one file; *at is the second one. */
static void write_kept(const char *path, const struct row_part *p, size_t n, struct kept_run_place *at,
                       struct kept_run_stats *stats) {
    struct err err = {0};
    char checksum[17];
    struct outfile *out = outfile_create(path, NULL, &err);
    assert_non_null(out);
    for (int i = 0; i < 2; i++) {
        struct kept_run *r = kept_run_create(out, &err);
        assert_non_null(r);
        for (size_t k = 0; k < n; k++) assert_int_equal(kept_run_put(r, &p[k], &err), 0);
        assert_int_equal(kept_run_finish(r, stats, &err), 0);
        if (n) assert_true(bytes_eq(stats->first_row, p[0].row) && bytes_eq(stats->last_row, p[n - 1].row));
        assert_int_equal(stats->offset, i * stats->bytes);
        stats->first_row = stats->last_row = (struct bytes){0};
        kept_run_free(r);
    }
    assert_int_equal(outfile_finish(out, checksum, &err), 0);
    outfile_close(out);
    *at = (struct kept_run_place){path, stats->offset, stats->bytes, stats->sum};
}

/* As they were, but for ranks, which count down, and shapes, which only their process knows. */
static void expect_kept(const struct kept_run_place *at, const struct row_part *p, size_t n) {
    struct err err = {0};
    struct source *s = kept_run_open(at, 5, bytes_str("f"), &err);
    struct row_part got;
    uint64_t rank = rank_of(5, RANK_POSITION_MAX);
    assert_non_null(s);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(source_next(s, &got, &err), 1);
        assert_true(bytes_eq(got.row, p[i].row) && bytes_eq(got.family, bytes_str("f")));
        assert_int_equal(got.n_cells, p[i].n_cells);
        assert_int_equal(got.first, p[i].first);
        assert_int_equal(got.shape, 0);
        for (uint32_t k = 0; k < got.n_cells; k++) {
            struct cell want = p[i].cells[k];
            want.rank = rank--;
            flat_expect_cell(&got.cells[k], &want);
        }
    }
    assert_int_equal(source_next(s, &got, &err), 0);
    source_close(s);
}

static void test_kept(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 50, 3000};
    struct fixture f;
    begin(&f, 7);
    for (size_t i = 0; i < countof(counts); i++) {
        struct kept_run_stats stats;
        struct kept_run_place at;
        char path[80];
        struct row_part *p = ascending(&f, counts[i]);
        uint64_t cells = 0, deletes = 0;
        int64_t ts_max = -1;
        snprintf(path, sizeof path, "%s/w00000.run", f.dir);
        assert_true(kept_run_is(path) && !kept_run_is(".run") && !kept_run_is("p.hfile"));
        for (size_t k = 0; k < counts[i]; k++)
            for (uint32_t c = 0; c < p[k].n_cells; c++, cells++) {
                deletes += p[k].cells[c].type != CELL_PUT;
                if (p[k].cells[c].ts_ms > ts_max) ts_max = p[k].cells[c].ts_ms;
            }
        write_kept(path, p, counts[i], &at, &stats);
        assert_int_equal(stats.cells, cells);
        assert_int_equal(stats.deletes, deletes);
        assert_true(stats.ts_max == ts_max);
        expect_kept(&at, p, counts[i]);
        at.offset = 0;
        expect_kept(&at, p, counts[i]);
        assert_in_range(kept_run_memory(&at), PART_MAX_CELLS * sizeof(struct cell), 4 << 20);
        assert_int_equal(unlink(path), 0);
    }
    end(&f);
}

/* 0: as it was written. The reader may also refuse to begin. */
static int read_kept(const struct kept_run_place *at, struct err *err) {
    struct row_part got;
    int more = -1;
    struct source *s = kept_run_open(at, 0, bytes_str("f"), err);
    while (s && (more = source_next(s, &got, err)) == 1) {
    }
    source_close(s);
    return more;
}

static void expect_damage(const struct kept_run_place *at, const char *content, size_t n) {
    struct err err = {0};
    assert_int_equal(fs_write_file(at->path, bytes_of(content, n), &err), 0);
    assert_int_equal(read_kept(at, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, at->path));
}

static void test_kept_damage(void **state) {
    (void)state;
    struct fixture f;
    struct kept_run_stats stats;
    struct kept_run_place at;
    struct err err = {0};
    char path[80];
    size_t size;
    begin(&f, 8);
    snprintf(path, sizeof path, "%s/damaged.run", f.dir);
    write_kept(path, ascending(&f, 150), 150, &at, &stats);
    char *was = fs_read_text(path, 1 << 24, &size, &err);
    assert_non_null(was);
    for (size_t i = at.offset; i < size; i += i < at.offset + 64 || i + 64 > size ? 1 : 997) {
        was[i] ^= (char)(1 << i % 7);
        expect_damage(&at, was, size);
        was[i] ^= (char)(1 << i % 7);
    }
    for (size_t n = 0; n < size; n += n < 64 || n + 64 > size ? 1 : 997) {
        expect_damage(&at, was, n);
        assert_int_equal(kept_run_memory(&at), 0);
    }
    assert_int_equal(fs_write_file(path, bytes_of(was, size), &err), 0);
    assert_int_equal(read_kept(&at, &err), 0);
    for (uint64_t k = 0; k < 3; k++) { /* another place than its own */
        struct kept_run_place other = {path, k == 0 ? 1 : at.offset, k == 1 ? 15 : k == 2 ? UINT64_MAX - 5 : at.bytes, at.sum};
        err = (struct err){0};
        assert_int_equal(read_kept(&other, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
    }
    struct kept_run_place stranger = at; /* in this place, but not what was written */
    stranger.sum ^= 1;
    err = (struct err){0};
    assert_int_equal(read_kept(&stranger, &err), -1);
    assert_non_null(strstr(err.text, "is another one than was written there; remove the shard"));
    assert_int_equal(unlink(path), 0);
    err = (struct err){0};
    assert_int_equal(read_kept(&at, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    free(was);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept), cmocka_unit_test(test_kept_damage)};
    return cmocka_run_group_tests_name("kept run", tests, NULL, NULL);
}
