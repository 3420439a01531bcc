/* Samples of cells, and the map of when which keys were written. */
#include "cmd/common/spread/heat_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void put(struct cell_sampler *s, const char *row, int64_t ts_ms) {
    struct err err = {0};
    struct cell c = {.qualifier = bytes_str("q"), .ts_ms = ts_ms, .type = CELL_PUT};
    struct row_part part = {.row = bytes_str(row), .family = bytes_str("f"), .cells = &c, .n_cells = 1};
    assert_int_equal(cell_sampler_put(s, &part, &err), 0);
}

/* Key i of n at time i: with `streams` samplers and in other orders the same sample. */
static void collect(struct cell_sample *out, unsigned n, unsigned streams, unsigned step) {
    struct cell_sampler s[4];
    struct err err = {0};
    char row[32];
    for (unsigned k = 0; k < streams; k++) assert_int_equal(cell_sampler_open(&s[k], out, &err), 0);
    for (unsigned i = 0, at = 0; i < n; i++, at = (at + step) % n) {
        snprintf(row, sizeof row, "r%08u", at);
        put(&s[i % streams], row, 1000000 + at);
    }
    for (unsigned k = 0; k < streams; k++) {
        assert_int_equal(cell_sampler_flush(&s[k], &err), 0);
        cell_sampler_close(&s[k]);
    }
    cell_sample_finish(out);
}

static void cut(struct key_cuts *k, unsigned n) {
    struct err err = {0};
    char row[32];
    key_cuts_limit(k, 1000);
    for (unsigned i = 0; i < n; i++) {
        const struct key_weight w = {40, 1, 1};
        snprintf(row, sizeof row, "r%08u", i);
        assert_int_equal(key_cuts_add(k, bytes_str(row), &w, &err), 0);
    }
    key_cuts_finish(k);
}

static void sample_depends_on_cells_only(void **state) {
    enum { N = 200003 };
    struct cell_sample a = {0}, b = {0};
    (void)state;
    collect(&a, N, 1, 1);
    collect(&b, N, 3, 7919);
    assert_int_equal(a.seen, N);
    assert_int_equal(b.seen, N);
    assert_int_equal(a.n, CELL_SAMPLE_MOST);
    assert_int_equal(b.n, CELL_SAMPLE_MOST);
    for (uint32_t i = 0; i < a.n; i++) assert_true(a.cells[i].hash == b.cells[i].hash && a.cells[i].ts_ms == b.cells[i].ts_ms);
    cell_sample_free(&a);
    cell_sample_free(&b);
}

/* Keys that grow with time lie on the diagonal, and every sampled cell is counted. */
static void growing_keys_are_a_diagonal(void **state) {
    enum { N = 100000 };
    struct cell_sample s = {0};
    struct key_cuts k = {0};
    struct heat_map *h = calloc(1, sizeof *h);
    uint64_t sum = 0;
    (void)state;
    collect(&s, N, 2, 1);
    cut(&k, N);
    heat_map_make(&s, &k, h);
    assert_int_equal(h->bands, HEAT_BANDS);
    assert_int_equal(h->columns, HEAT_COLUMNS);
    for (uint32_t b = 0; b < h->bands; b++)
        for (uint32_t c = 0; c < h->columns; c++) {
            sum += h->cells[b][c];
            double off = (double)c / HEAT_COLUMNS - (double)b / HEAT_BANDS;
            if (h->cells[b][c]) assert_true(off > -0.07 && off < 0.07);
        }
    assert_int_equal(sum, h->sampled);
    assert_true(h->from_ms >= 1000000 && h->to_ms < 1000000 + N && heat_map_time(h, 0) == h->from_ms);
    free(h);
    cell_sample_free(&s);
    key_cuts_free(&k);
}

static void one_moment_one_row(void **state) {
    struct cell_sample s = {0};
    struct key_cuts k = {0};
    struct heat_map *h = calloc(1, sizeof *h);
    (void)state;
    heat_map_make(&s, &k, h);
    assert_int_equal(h->columns, 0);
    collect(&s, 1, 1, 1);
    cut(&k, 1);
    heat_map_make(&s, &k, h);
    assert_int_equal(h->columns, 1);
    assert_int_equal(h->bands, 1);
    assert_int_equal(h->cells[0][0], 1);
    free(h);
    cell_sample_free(&s);
    key_cuts_free(&k);
}

/* A few cells of the year 1970 and "latest" do not squeeze the rest into one column. */
static void outliers_do_not_stretch_time(void **state) {
    struct cell_sample s = {0};
    struct cell_sampler in;
    struct key_cuts k = {0};
    struct heat_map *h = calloc(1, sizeof *h);
    struct err err = {0};
    (void)state;
    collect(&s, 20000, 1, 1);
    assert_int_equal(cell_sampler_open(&in, &s, &err), 0);
    put(&in, "r00000007", 0);
    put(&in, "r00000008", INT64_MAX);
    assert_int_equal(cell_sampler_flush(&in, &err), 0);
    cell_sampler_close(&in);
    cut(&k, 20000);
    heat_map_make(&s, &k, h);
    assert_true(h->from_ms >= 1000000 && h->to_ms <= 1020000);
    assert_true(h->earlier >= 1 && h->later >= 1);
    free(h);
    cell_sample_free(&s);
    key_cuts_free(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sample_depends_on_cells_only),
                                       cmocka_unit_test(growing_keys_are_a_diagonal), cmocka_unit_test(one_moment_one_row),
                                       cmocka_unit_test(outliers_do_not_stretch_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
