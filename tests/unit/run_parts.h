/* Runs in tests: parts whose rows ascend, written, and what is read compared with them. */
#ifndef TESTS_UNIT_RUN_PARTS_H
#define TESTS_UNIT_RUN_PARTS_H

#include "flat_cells.h"

#include "base/bytes.h"
#include "sort/run.h"
#include "sort/sorted.h"

#include <unistd.h>

struct fixture {
    struct flat_pool pool;
    struct shape_set shapes;
    struct part_maker m;
    char dir[40];
};

static inline void begin(struct fixture *f, uint64_t seed) {
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

static inline void end(struct fixture *f) {
    assert_int_equal(rmdir(f->dir), 0); /* runs have no names */
    flat_pool_free(&f->pool);
    shape_set_free(&f->shapes);
}

/* n parts whose rows ascend. */
static inline struct row_part *ascending(struct fixture *f, size_t n) {
    struct row_part *p = flat_alloc(&f->pool, n * sizeof *p);
    for (size_t i = 0; i < n; i++) {
        uint8_t row[8];
        put_be64(row, i * 3);
        p[i] = maker_part(&f->m, flat_copy(&f->pool, bytes_of(row, 8)));
    }
    return p;
}

static inline void write_parts(struct run_file *file, const struct row_part *p, size_t n, uint64_t points_every,
                               const struct shape_set *shapes, struct run_extent *x) {
    struct err err = {0};
    struct source *s = array_open(p, n, SIZE_MAX, NULL);
    uint64_t before = run_file_bytes(file);
    assert_int_equal(run_write(file, s, shapes, points_every, x, &err), 0);
    source_close(s);
    assert_int_equal(x->records, n);
    assert_int_equal(x->offset, before);
    assert_int_equal(x->offset + x->bytes, run_file_bytes(file));
}

static inline void expect_parts(struct source *s, const struct row_part *want, size_t n, struct bytes family) {
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

#endif
