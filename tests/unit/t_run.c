/* Runs, those that are spilled and those that are kept: what is written is read, from several extents of several files at once,
 * and damage does not pass. */
#include "flat_cells.h"

#include "base/bytes.h"
#include "base/fs.h"
#include "sort/sorted.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
    struct flat_pool pool;
    struct shape_set shapes;
    struct part_maker m;
    char dir[40];
};

static void begin(struct fixture *f, uint64_t seed) {
    *f = (struct fixture){.dir = "/tmp/t_run.XXXXXX"};
    f->m = (struct part_maker){.seed = seed,
                               .pool = &f->pool,
                               .shapes = &f->shapes,
                               .family = bytes_str("f"),
                               .inputs = 3,
                               .value_max = 200,
                               .explicit_percent = 40,
                               .cells_max = 30};
    maker_add_shapes(&f->m, false);
    assert_non_null(mkdtemp(f->dir));
}

static void end(struct fixture *f) {
    assert_int_equal(rmdir(f->dir), 0); /* runs have no names */
    flat_pool_free(&f->pool);
    shape_set_free(&f->shapes);
}

/* n parts whose rows ascend. */
static struct row_part *ascending(struct fixture *f, size_t n) {
    struct row_part *p = flat_alloc(&f->pool, n * sizeof *p);
    for (size_t i = 0; i < n; i++) {
        uint8_t row[8];
        put_be64(row, i * 3);
        p[i] = maker_part(&f->m, flat_copy(&f->pool, bytes_of(row, 8)));
    }
    return p;
}

static void write_parts(struct run_file *file, const struct row_part *p, size_t n, const struct shape_set *shapes,
                        struct run_extent *x) {
    struct err err = {0};
    struct source *s = array_open(p, n, SIZE_MAX, NULL);
    uint64_t before = run_file_bytes(file);
    assert_int_equal(run_write(file, s, shapes, x, &err), 0);
    source_close(s);
    assert_int_equal(x->records, n);
    assert_int_equal(x->offset, before);
    assert_int_equal(x->offset + x->bytes, run_file_bytes(file));
}

static void expect_parts(struct source *s, const struct row_part *want, size_t n, struct bytes family) {
    struct err err = {0};
    struct row_part got;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(source_next(s, &got, &err), 1);
        assert_true(bytes_eq(got.row, want[i].row) && bytes_eq(got.family, family));
        assert_int_equal(got.n_cells, want[i].n_cells);
        assert_int_equal(got.shape, want[i].shape);
        assert_int_equal(got.first, want[i].first);
        for (uint32_t k = 0; k < got.n_cells; k++) flat_expect_cell(&got.cells[k], &want[i].cells[k]);
    }
    assert_int_equal(source_next(s, &got, &err), 0);
    assert_int_equal(source_next(s, &got, &err), 0);
    assert_string_equal(err.text, "");
}

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
        write_parts(file[k % 2], p[k % 2][i], counts[i], &f.shapes, &x[k % 2][i]);
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
    for (int i = 0; i < EXTENTS; i++) write_parts(file, p[i] = ascending(&f, PARTS), PARTS, &f.shapes, &x[i]);
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
    write_parts(file, p, countof(p), &f.shapes, &x);
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
    write_parts(file, p, 150, &f.shapes, &first);
    write_parts(file, p, 150, &f.shapes, &x);
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
    write_parts(file, p, 300, &f.shapes, &x);
    assert_in_range(x.bytes, 100000, 400000);
    assert_int_equal(quota.used_bytes, x.bytes);
    int fd = find_unlinked(f.dir), runs = 0;
    struct stat before, after;
    assert_int_equal(fstat(fd, &before), 0);
    for (struct source *s; runs < 100; runs++) {
        s = array_open(p, 300, SIZE_MAX, NULL);
        int rc = run_write(file, s, &f.shapes, &y, &err);
        source_close(s);
        if (rc) break;
    }
    assert_in_range(runs, 1, 5);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_non_null(strstr(err.text, "--disk-limit of 600000 bytes"));
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
    assert_int_equal(run_write(file, s, &f.shapes, &x, &err), -1); /* a source that fails is no shorter source */
    assert_string_equal(err.text, "planted");
    source_close(s);
    write_parts(file, p, 10, &f.shapes, &x); /* and leaves nothing in the next extent */
    expect_extent(&x, &f.shapes, p, 10);
    run_file_free(file);
    end(&f);
}

/* ---- kept runs ---- */

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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_interleaved_readers), cmocka_unit_test(test_large_parts),
        cmocka_unit_test(test_damage),     cmocka_unit_test(test_quota_and_release),   cmocka_unit_test(test_errors),
        cmocka_unit_test(test_kept),       cmocka_unit_test(test_kept_damage),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
