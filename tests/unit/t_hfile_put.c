/* Cells that the writer of HFiles takes, and those it refuses: out of order, more than a file can hold, or on a full disk. */
#include "tests/unit/random_cells.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static char path[100];

static struct cell put_of(const char *qualifier, int64_t ts_ms) {
    return (struct cell){.qualifier = bytes_str(qualifier), .value = bytes_str("v"), .ts_ms = ts_ms, .type = CELL_PUT};
}

struct try {
    struct outfile *out;
    struct hfile_writer *w;
    struct err err;
};

static struct try try_open(const struct hfile_write_opts *o) {
    struct try t = {0};
    unlink(path);
    t.out = outfile_create(path, NULL, &t.err);
    t.w = hfile_writer_open(o, t.out, &t.err);
    return t;
}

static int try_put(struct try *t, const char *row, const char *family, const struct cell *cells, uint32_t n) {
    struct row_part p = {.row = bytes_str(row), .family = bytes_str(family), .cells = cells, .n_cells = n};
    return hfile_writer_put(t->w, &p, &t->err);
}

static void try_refused(struct try *t, int rc, enum err_code code, const char *a, const char *b) {
    assert_int_equal(rc, -1);
    assert_int_equal(t->err.code, code);
    if (!strstr(t->err.text, a) || !strstr(t->err.text, b)) fail_msg("%s", t->err.text);
    hfile_writer_close(t->w);
    outfile_close(t->out);
}

static void descending_keys(void **state) {
    (void)state;
    struct hfile_write_opts o = random_opts(HFILE_SNAPPY, 65536, true, true);
    struct cell ab[] = {put_of("a", 5), put_of("b", 5)}, ba[] = {put_of("b", 5), put_of("a", 5)};
    struct cell older_first[] = {put_of("q", 5), put_of("q", 6)};
    struct cell put_first[] = {put_of("q", 5), put_of("q", 5)};
    put_first[1].type = CELL_DELETE;
    struct try t = try_open(&o);
    try_refused(&t, try_put(&t, "r1", "cf", ba, 2), ERR_INTERNAL, "row 7231 qualifier 62 ts 5", "row 7231 qualifier 61 ts 5");
    t = try_open(&o);
    try_refused(&t, try_put(&t, "r1", "cf", older_first, 2), ERR_INTERNAL, "ts 5", "ts 6");
    t = try_open(&o);
    try_refused(&t, try_put(&t, "r1", "cf", put_first, 2), ERR_INTERNAL, "type 4", "type 8");
    t = try_open(&o);
    assert_int_equal(try_put(&t, "r1", "cf", ab, 2), 0);
    try_refused(&t, try_put(&t, "r1", "cf", ab, 2), ERR_INTERNAL, "qualifier 62", "qualifier 61");
    t = try_open(&o);
    assert_int_equal(try_put(&t, "r2", "cf", ab, 2), 0);
    try_refused(&t, try_put(&t, "r1", "cf", ab, 2), ERR_INTERNAL, "row 7232", "row 7231");
    o.block_bytes = 1; /* the last key then lies in a block that has gone */
    t = try_open(&o);
    assert_int_equal(try_put(&t, "r2", "cf", ab, 2), 0);
    assert_int_equal(try_put(&t, "r3", "cf", ab, 2), 0);
    try_refused(&t, try_put(&t, "r2", "cf", ab, 2), ERR_INTERNAL, "row 7233", "row 7232");
}

static void other_refusals(void **state) {
    (void)state;
    struct hfile_write_opts o = random_opts(HFILE_SNAPPY, 65536, false, true);
    struct cell c = put_of("a", 5);
    struct try t = try_open(&o);
    assert_int_equal(try_put(&t, "r1", "cf", &c, 1), 0);
    try_refused(&t, try_put(&t, "r2", "other", &c, 1), ERR_INTERNAL, "other", "cf");
    t = try_open(&o);
    c.tags = bytes_of("\0\1\1", 3);
    try_refused(&t, try_put(&t, "r1", "cf", &c, 1), ERR_INTERNAL, "tags", path);
    c = put_of("a", 5);
    t = try_open(&o);
    c.seq = UINT64_MAX;
    try_refused(&t, try_put(&t, "r1", "cf", &c, 1), ERR_INTERNAL, "sequence id", path);
    c = put_of("a", 5);
    t = try_open(&o);
    c.value.n = (size_t)3 << 30;
    try_refused(&t, try_put(&t, "r1", "cf", &c, 1), ERR_LIMIT, "3221225473", path);
    struct err err = {0};
    o.codec = HFILE_BZIP2;
    assert_null(hfile_writer_open(&o, NULL, &err));
    assert_int_equal(err.code, ERR_USAGE);
}

/* A full disk: the error comes out of put or finish, and closing afterwards is clean. */
static void disk_quota(void **state) {
    (void)state;
    struct random_cells r = random_cells_make(&(struct random_shape){.cells = 20000, .rows = 5000, .value_max = 100}, 6);
    struct hfile_write_opts o = random_opts(HFILE_SNAPPY, 4096, true, true);
    for (uint64_t limit = 1000; limit < 400000; limit = limit * 3) {
        struct disk_quota quota = {.limit_bytes = limit};
        struct try t = {0};
        struct hfile_write_stats stats;
        char sum[17];
        unlink(path);
        t.out = outfile_create(path, &quota, &t.err);
        t.w = hfile_writer_open(&o, t.out, &t.err);
        int rc = random_cells_put(&r, t.w, 1, &t.err);
        if (!rc) rc = hfile_writer_finish(t.w, &stats, &t.err);
        if (!rc) rc = outfile_finish(t.out, sum, &t.err);
        try_refused(&t, rc, ERR_LIMIT, "--disk-limit", path);
        assert_int_equal(access(path, F_OK), -1);
    }
    random_cells_free(&r);
}

/* Cells with one key stay in one block, however small it should be. */
static void equal_keys_stay_together(void **state) {
    (void)state;
    struct hfile_write_opts o = random_opts(HFILE_NONE, 64, true, true);
    struct try t = try_open(&o);
    struct cell cells[90];
    for (size_t i = 0; i < 90; i++) cells[i] = put_of(i / 30 == 0 ? "a" : i / 30 == 1 ? "b" : "c", 5);
    for (uint32_t i = 0; i < 90; i += 10) assert_int_equal(try_put(&t, "r", "cf", cells + i, 10), 0);
    struct hfile_write_stats stats;
    char sum[17];
    assert_int_equal(hfile_writer_finish(t.w, &stats, &t.err), 0);
    assert_int_equal(stats.data_blocks, 3);
    assert_int_equal(outfile_finish(t.out, sum, &t.err), 0);
    hfile_writer_close(t.w);
    outfile_close(t.out);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(descending_keys), cmocka_unit_test(other_refusals),
                                       cmocka_unit_test(disk_quota), cmocka_unit_test(equal_keys_stay_together)};
    random_path(path, sizeof path, "t_hfile_put");
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return rc;
}
