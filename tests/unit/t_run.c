/* Runs that are spilled: what is written is read, all of it or the rows of a span, from several extents of several files at once,
 * and damage does not pass. */
#include "run_parts.h"

#include "base/fs.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

static void expect_extent(const struct run_extent *x, const struct shape_set *shapes, const struct row_part *want, size_t n) {
    struct err err = {0};
    struct source *s = run_open(x, shapes, bytes_str("other"), &err);
    assert_non_null(s);
    expect_parts(s, want, n, bytes_str("other")); /* the reader says which family they are of */
    source_close(s);
}

static void test_round_trip(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 50, 3000};
    struct fixture f;
    struct err err = {0};
    struct run_extent x[2][countof(counts)];
    struct row_part *p[2][countof(counts)];
    begin(&f, 1);
    struct run_file *file[2] = {run_file_new(f.dir, NULL, &err), run_file_new(f.dir, NULL, &err)};
    assert_true(file[0] && file[1]);
    for (size_t k = 0; k < 2 * countof(counts); k++) {
        size_t i = k / 2;
        p[k % 2][i] = ascending(&f, counts[i]);
        write_parts(file[k % 2], p[k % 2][i], counts[i], 0, &f.shapes, &x[k % 2][i]);
        assert_true(x[k % 2][i].frame_max <= RUN_FRAME_BYTES);
    }
    for (size_t k = 0; k < 2 * countof(counts); k++) expect_extent(&x[k % 2][k / 2], &f.shapes, p[k % 2][k / 2], counts[k / 2]);
    run_release(&x[0][4]);
    expect_extent(&x[0][3], &f.shapes, p[0][3], counts[3]); /* its neighbours stay */
    for (size_t k = 0; k < countof(counts); k++) expect_extent(&x[1][k], &f.shapes, p[1][k], counts[k]);
    run_file_free(file[0]);
    run_file_free(file[1]);
    end(&f);
}

/* A run has rows 0, 3, 6 …; a span may lie anywhere, also between two rows, before the first or after the last. */
static void expect_span(const struct fixture *f, const struct run_extent *x, const struct row_part *p, size_t n, uint64_t from,
                        uint64_t to) {
    struct err err = {0};
    uint8_t start[8], stop[8];
    put_be64(start, from);
    put_be64(stop, to);
    const struct row_span span = {.start = bytes_of(from ? start : NULL, 8), .stop = bytes_of(to <= 3 * n ? stop : NULL, 8)};
    size_t first = (from + 2) / 3 < n ? (from + 2) / 3 : n, last = (to + 2) / 3 < n ? (to + 2) / 3 : n;
    struct source *s = run_open_rows(x, &f->shapes, f->m.family, &span, &err);
    expect_parts(s, p + first, last > first ? last - first : 0, f->m.family);
    source_close(s);
}

static void test_spans(void **state) {
    (void)state;
    enum { PARTS = 3000 };
    static const uint64_t every[] = {0, 1, 150000, 1 << 30};
    for (size_t k = 0; k < countof(every); k++) {
        struct fixture f;
        struct err err = {0};
        struct run_extent x[2];
        begin(&f, 70 + k);
        struct run_file *file = run_file_new(f.dir, NULL, &err);
        struct row_part *p = ascending(&f, PARTS);
        for (size_t i = 0; i < 2; i++) { /* the second one does not begin where its file does */
            write_parts(file, p, PARTS, every[k], &f.shapes, &x[i]);
            assert_int_equal(x[i].points.n > 1, every[k] && every[k] < 1 << 30);
        }
        for (uint64_t i = 0; i < x[1].points.n; i++) {
            uint64_t row = be64(run_point_row(&x[1].points, i).p);
            expect_span(&f, &x[1], p, PARTS, row, row + 5);
            expect_span(&f, &x[1], p, PARTS, row + 1, row + 2);
        }
        for (uint64_t i = 0, from; i < 100; i++) {
            from = flat_below(&f.m.seed, 3 * PARTS + 4);
            expect_span(&f, &x[1], p, PARTS, from, from + flat_below(&f.m.seed, i % 2 ? 9 : 3 * PARTS));
        }
        expect_span(&f, &x[0], p, PARTS, 0, UINT64_MAX / 2);
        for (size_t n = x[1].points.n; n; n = x[1].points.n) { /* until none is left */
            run_points_thin(&x[1].points);
            assert_int_equal(x[1].points.n, n / 2);
            for (uint64_t i = 0; i < 20; i++) expect_span(&f, &x[1], p, PARTS, flat_below(&f.m.seed, 3 * PARTS), 3 * PARTS - i);
        }
        run_release(&x[0]);
        run_release(&x[1]);
        assert_int_equal(x[1].points.n, 0);
        run_file_free(file);
        end(&f);
    }
}

/* A row whose parts are in two frames is no place to begin at, nor is a long one. */
static void test_points(void **state) {
    (void)state;
    enum { PARTS = 4000, LONG = RUN_POINT_ROW_BYTES + 1 };
    static uint8_t row[LONG];
    for (unsigned kind = 0; kind < 2; kind++) {
        struct fixture f;
        struct err err = {0};
        struct run_extent x;
        begin(&f, 80 + kind);
        struct run_file *file = run_file_new(f.dir, NULL, &err);
        struct row_part *p = ascending(&f, PARTS);
        for (size_t i = 0; i < PARTS; i++) {
            put_be64(row, kind ? i : 7);
            p[i].row = flat_copy(&f.pool, bytes_of(row, kind ? LONG : 8));
            p[i].first = kind || i == 0;
        }
        write_parts(file, p, PARTS, 1, &f.shapes, &x);
        assert_true(x.bytes > 3 * RUN_FRAME_BYTES && !x.points.n);
        run_release(&x);
        run_file_free(file);
        end(&f);
    }
}

static void test_interleaved_readers(void **state) {
    (void)state;
    enum { EXTENTS = 7, PARTS = 400 };
    struct fixture f;
    struct err err = {0};
    begin(&f, 2);
    struct run_file *file = run_file_new(f.dir, NULL, &err);
    struct row_part *p[EXTENTS], got;
    struct run_extent x[EXTENTS];
    struct source *s[EXTENTS];
    for (int i = 0; i < EXTENTS; i++) write_parts(file, p[i] = ascending(&f, PARTS), PARTS, 0, &f.shapes, &x[i]);
    for (int i = 0; i < EXTENTS; i++) assert_non_null(s[i] = run_open(&x[i], &f.shapes, f.m.family, &err));
    for (int k = 0; k < PARTS; k++)
        for (int i = 0; i < EXTENTS; i++) {
            assert_int_equal(source_next(s[i], &got, &err), 1);
            assert_int_equal(got.n_cells, p[i][k].n_cells);
            flat_expect_cell(&got.cells[got.n_cells - 1], &p[i][k].cells[got.n_cells - 1]);
        }
    for (int i = 0; i < EXTENTS; i++) source_close(s[i]);
    run_file_free(file);
    end(&f);
}

/* Parts larger than a frame, parts with the most cells, the longest row, an empty one; later parts of a row. */
static void test_large_parts(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f, 3);
    struct run_file *file = run_file_new(f.dir, NULL, &err);
    struct run_extent x;
    struct row_part p[5];
    p[0] = maker_explicit(&f.m, bytes_str(""), PART_MAX_CELLS);
    f.m.value_max = 3000000;
    p[1] = maker_explicit(&f.m, bytes_str("a"), 1);
    p[2] = maker_explicit(&f.m, bytes_str("a"), 2);
    p[2].first = false;
    p[3] = maker_shaped(&f.m, bytes_str("b"), 1);
    f.m.value_max = 10;
    p[4] = maker_shaped(&f.m, bytes_of(flat_alloc(&f.pool, ROW_MAX_BYTES), ROW_MAX_BYTES), 1);
    memset((void *)p[4].row.p, 'z', ROW_MAX_BYTES);
    write_parts(file, p, countof(p), 0, &f.shapes, &x);
    expect_extent(&x, &f.shapes, p, countof(p));
    run_file_free(file);
    end(&f);
}

/* The unlinked file of this process whose name began with dir: the only way to it. */
static int find_unlinked(const char *dir) {
    DIR *d = opendir("/proc/self/fd");
    char path[300], target[300];
    int found = -1;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        snprintf(path, sizeof path, "/proc/self/fd/%s", e->d_name);
        ssize_t n = readlink(path, target, sizeof target - 1);
        if (n <= 0) continue;
        target[n] = 0;
        if (!strncmp(target, dir, strlen(dir)) && strstr(target, "(deleted)")) found = (int)strtol(e->d_name, NULL, 10);
    }
    closedir(d);
    assert_true(found >= 0);
    return found;
}

/* Reads all there is; 0, or -1 with what the first error says. */
static int read_all(const struct run_extent *x, const struct shape_set *shapes, struct err *err) {
    struct row_part got;
    int more;
    struct source *s = run_open(x, shapes, bytes_str("f"), err);
    assert_non_null(s);
    while ((more = source_next(s, &got, err)) == 1) {
    }
    source_close(s);
    return more;
}

static void test_damage(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f, 4);
    struct run_file *file = run_file_new(f.dir, NULL, &err);
    struct run_extent first, x;
    struct row_part *p = ascending(&f, 150);
    write_parts(file, p, 150, 0, &f.shapes, &first);
    write_parts(file, p, 150, 0, &f.shapes, &x);
    assert_true(x.bytes > RUN_FRAME_BYTES); /* several frames */
    int fd = find_unlinked(f.dir);
    for (uint64_t at = 0; at < x.bytes; at += at < 64 ? 1 : 997) {
        uint8_t was, bad;
        assert_int_equal(pread(fd, &was, 1, (off_t)(x.offset + at)), 1);
        bad = was ^ (uint8_t)(1 << at % 8);
        assert_int_equal(pwrite(fd, &bad, 1, (off_t)(x.offset + at)), 1);
        err = (struct err){0};
        assert_int_equal(read_all(&x, &f.shapes, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        assert_non_null(strstr(err.text, f.dir));
        assert_non_null(strstr(err.text, "spill frame at "));
        assert_int_equal(pwrite(fd, &was, 1, (off_t)(x.offset + at)), 1);
    }
    err = (struct err){0};
    assert_int_equal(read_all(&x, &f.shapes, &err), 0);
    assert_int_equal(ftruncate(fd, (off_t)(x.offset + x.bytes - 1)), 0);
    assert_int_equal(read_all(&first, &f.shapes, &err), 0);
    assert_int_equal(read_all(&x, &f.shapes, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, "ends at byte"));
    run_file_free(file);
    end(&f);
}

static void test_quota_and_release(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f, 5);
    struct disk_quota quota = {.limit_bytes = 600000};
    struct run_file *file = run_file_new(f.dir, &quota, &err);
    struct row_part *p = ascending(&f, 300);
    struct run_extent x, y;
    write_parts(file, p, 300, 0, &f.shapes, &x);
    assert_in_range(x.bytes, 100000, 400000);
    assert_int_equal(quota.used_bytes, x.bytes);
    int fd = find_unlinked(f.dir), runs = 0;
    struct stat before, after;
    assert_int_equal(fstat(fd, &before), 0);
    for (struct source *s; runs < 100; runs++) {
        s = array_open(p, 300, SIZE_MAX, NULL);
        int rc = run_write(file, s, &f.shapes, 0, &y, &err);
        source_close(s);
        if (rc) break;
    }
    assert_in_range(runs, 1, 5);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_non_null(strstr(err.text, "--disk-limit 600000 is reached"));
    assert_true(quota.used_bytes <= quota.limit_bytes);
    uint64_t used = quota.used_bytes, bytes = x.bytes;
    run_release(&x);
    assert_in_range(used - quota.used_bytes, bytes - 8192, bytes); /* whole pages */
    run_release(&x);                                               /* again: nothing more */
    assert_in_range(used - quota.used_bytes, bytes - 8192, bytes);
    assert_int_equal(fstat(fd, &after), 0);
    assert_true((uint64_t)after.st_size >= (uint64_t)before.st_size); /* a hole, the file keeps its length */
    run_file_free(file);
    assert_int_equal(quota.used_bytes, 0);
    end(&f);
}

static void test_errors(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f, 6);
    assert_null(run_file_new("/nonexistent/directory", NULL, &err));
    assert_int_equal(err.code, ERR_OUTPUT);
    assert_string_equal(err.text, "cannot make a temporary file in /nonexistent/directory: No such file or directory");
    err = (struct err){0};
    struct run_file *file = run_file_new(f.dir, NULL, &err);
    struct row_part *p = ascending(&f, 10);
    struct run_extent x;
    struct source *s = array_open(p, 10, 6, NULL);
    assert_int_equal(run_write(file, s, &f.shapes, 0, &x, &err), -1); /* a source that fails is no shorter source */
    assert_string_equal(err.text, "planted");
    source_close(s);
    write_parts(file, p, 10, 0, &f.shapes, &x); /* and leaves nothing in the next extent */
    expect_extent(&x, &f.shapes, p, 10);
    run_file_free(file);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_interleaved_readers),
        cmocka_unit_test(test_large_parts),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_quota_and_release),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_points),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
