/* A cluster of regions made of sizes: where writes go, and what follows from them. */
#include "cell/cell.h"
#include "simulate/cluster.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static struct sim_settings plain_settings(void) {
    static const char *const names[] = {"f"};
    struct sim_settings s;
    struct err err = {0};
    struct sim_given g = {.family_names = names, .n_families = 1};
    assert_int_equal(sim_settings_make(&g, &s, &err), 0);
    return s;
}

static void put(struct sim_cluster *c, int64_t at_ms, const char *row, uint32_t value_bytes) {
    struct err err = {0};
    struct sim_cell cell = {.row = bytes_str(row), .qualifier_bytes = 1, .value_bytes = value_bytes, .type = CELL_PUT};
    if (sim_cluster_put(c, at_ms, &cell, &err)) fail_msg("%s", err.text);
}

static void writes_go_to_the_region_of_their_row(void **state) {
    (void)state;
    struct sim_settings s = plain_settings();
    struct err err = {0};
    const struct bytes splits[] = {bytes_str("b"), bytes_str("d")};
    struct sim_options o = {.settings = &s, .splits = splits, .n_splits = 2, .servers = 2, .start_ms = 1000};
    struct sim_cluster *c = sim_cluster_new(&o, &err);
    assert_non_null(c);
    const char *rows[] = {"a", "b", "c", "cz", "d", "z", ""};
    for (size_t i = 0; i < countof(rows); i++) put(c, 1000 + (int64_t)i * 100, rows[i], 10);
    const struct sim_report *r = sim_cluster_report(c, &err);
    assert_non_null(r);
    assert_int_equal(r->n_regions, 3);
    assert_int_equal(r->regions[0].cells, 2);
    assert_int_equal(r->regions[1].cells, 3);
    assert_int_equal(r->regions[2].cells, 2);
    assert_int_equal(r->totals.cells, 7);
    assert_int_equal(r->servers[0].regions + r->servers[1].regions, 3);
    assert_int_equal(r->bucket_ms, 8); /* 600 ms in at most 96 buckets */
    assert_int_equal(r->n_buckets, 600 / 8 + 1);
    sim_cluster_free(c);
    sim_settings_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_go_to_the_region_of_their_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
