/* A cluster of regions made of sizes: where writes go, and what follows from them. */
#include "sim_cluster_made.h"

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

static void write_amplification_of_equal_flushes(void **state) {
    (void)state;
    struct sim_settings s = small_settings(1);
    s.region.split_policy = SIM_SPLIT_DISABLED;
    struct events *l = malloc(sizeof *l);
    struct sim_cluster *c = begin(&s, l, 1);
    int64_t at = load(c, 11, 1, 7919, 1000000);
    advance(c, at + 1000);
    const struct sim_report *r = report(c);
    assert_int_equal(r->totals.events[SIM_EVENT_FLUSH], 11);
    assert_int_equal(r->totals.events[SIM_EVENT_MAJOR], 3); /* all files of the store */
    assert_int_equal(r->totals.events[SIM_EVENT_MINOR], 1);
    assert_int_equal(r->totals.files, 1);
    course_adds_up(r);
    uint64_t one = 94000;
    assert_int_equal(r->totals.flushed_bytes, 11 * one);
    assert_int_equal(r->totals.compacted_bytes, 23 * one);
    assert_true(r->totals.write_amplification == 34.0 / 11);
    assert_int_equal(r->totals.delay_ms, 0);
    assert_int_equal(r->totals.cells, 11 * CELLS_PER_FLUSH);
    assert_int_equal(r->totals.bytes, 11 * CELLS_PER_FLUSH * 1000);
    close_all(c, &s, l);
}

/* The region at the end takes all writes, so it alone grows, and splits in the middle of its largest
 * file: older rows than those of the files behind it. */
static void a_sequential_load_splits_the_last_region(void **state) {
    (void)state;
    struct sim_settings s = small_settings(1);
    s.region.split_policy = SIM_SPLIT_CONSTANT_SIZE;
    s.region.max_file_bytes = 500000;
    struct events *l = malloc(sizeof *l);
    struct sim_cluster *c = begin(&s, l, 1);
    load(c, 40, 0, 1, 1000000);
    const struct sim_report *r = report(c);
    assert_true(count(l, SIM_EVENT_SPLIT) >= 8);
    for (uint32_t i = 0; i < l->n; i++)
        if (l->e[i].kind == SIM_EVENT_SPLIT) assert_int_equal(r->regions[l->e[i].region].last.n, 0);
    for (uint32_t i = 0; i + 1 < r->totals.regions; i++) {
        const struct sim_region *g = &r->regions[r->live[i]];
        assert_true(g->file_bytes > 90000 && g->file_bytes < 420000);
        assert_true(bytes_eq(g->last, r->regions[r->live[i + 1]].first));
    }
    course_adds_up(r);
    assert_true(r->totals.hot_regions_most >= 1 && r->totals.hot_regions_most <= 2); /* 2: a parent and its daughter */
    close_all(c, &s, l);
}

/* Stepping: the only region of a server splits at twice the memstore (200,000: with the third flush), others at the maximum. */
static void stepping_splits_early_once(void **state) {
    (void)state;
    struct sim_settings s = small_settings(1);
    struct events *l = malloc(sizeof *l);
    struct sim_cluster *c = begin(&s, l, 1);
    load(c, 2, 1, 7919003, 1000000);
    assert_int_equal(count(l, SIM_EVENT_SPLIT), 0);
    load(c, 20, 77, 7919003, 2000000);
    const struct sim_report *r = report(c);
    assert_int_equal(count(l, SIM_EVENT_SPLIT), 1);
    assert_int_equal(r->totals.regions, 2);
    assert_int_equal(r->n_regions, 3);
    assert_int_equal(r->regions[1].parent, 0);
    assert_int_equal(r->regions[0].gone_ms, r->regions[1].born_ms);
    assert_int_equal(r->regions[0].cells + r->regions[1].cells + r->regions[2].cells, 22 * CELLS_PER_FLUSH);
    close_all(c, &s, l);
}

/* Compacted references hinder the next split until the server has removed them: every two minutes. */
static void a_daughter_splits_after_the_next_cleaning(void **state) {
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        struct sim_settings s = small_settings(1);
        s.region.split_policy = SIM_SPLIT_CONSTANT_SIZE;
        s.region.max_file_bytes = 200000;
        if (slow) s.server.discharge_ms = 10000000;
        struct events *l = malloc(sizeof *l);
        struct sim_cluster *c = begin(&s, l, 1);
        load(c, 20, 0, 1, 1000000);
        assert_int_equal(count(l, SIM_EVENT_SPLIT) > 1, !slow);
        close_all(c, &s, l);
    }
}

/* Tests that only the one of two families that is above the bound, 20,000 of 100,000, is flushed. */
static void large_families_are_flushed_alone(void **state) {
    (void)state;
    struct sim_settings s = small_settings(2);
    struct events *l = malloc(sizeof *l);
    struct sim_cluster *c = begin(&s, l, 1);
    for (int i = 0; i < 90; i++) put_cell(c, 1000000 + i, "row", 0, 974);
    for (int i = 0; i < 9; i++) put_cell(c, 1000100 + i, "row", 1, 974);
    advance(c, 1002000);
    const struct sim_report *r = report(c);
    assert_int_equal(count(l, SIM_EVENT_FLUSH), 1);
    assert_int_equal(l->e[0].family, 0);
    assert_int_equal(r->regions[0].stores[0].files, 1);
    assert_int_equal(r->regions[0].stores[1].files, 0);
    assert_true(r->regions[0].stores[1].memstore_bytes > 0);
    close_all(c, &s, l);
}

static void an_old_memstore_is_flushed(void **state) {
    (void)state;
    struct sim_settings s = small_settings(1);
    struct events *l = malloc(sizeof *l);
    struct sim_cluster *c = begin(&s, l, 1);
    put(c, 1000000, "row", 10);
    advance(c, 1000000 + 3600000);
    assert_int_equal(l->n, 0);
    advance(c, 1000000 + 3600000 + 10000 + 300000 + 100); /* the next round of the checker, and the longest delay */
    assert_int_equal(count(l, SIM_EVENT_FLUSH), 1);
    assert_string_equal(l->e[0].why, "memstore is old");
    advance(c, 1000000 + INT64_C(86400000) * 365);
    assert_int_equal(l->n, 1); /* and a single file is left alone */
    close_all(c, &s, l);
}

/* Two files are too few for a minor compaction; after 3.5 to 10.5 days they become one, and then it is left alone. */
static void major_compaction_by_period(void **state) {
    (void)state;
    struct sim_settings s = small_settings(1);
    struct events *l = malloc(sizeof *l);
    struct sim_cluster *c = begin(&s, l, 1);
    int64_t at = load(c, 2, 1, 7919, 1000000);
    advance(c, at + INT64_C(3) * 86400000);
    assert_int_equal(count(l, SIM_EVENT_MAJOR), 0);
    advance(c, at + INT64_C(11) * 86400000);
    assert_int_equal(count(l, SIM_EVENT_MAJOR), 1);
    assert_string_equal(l->e[l->n - 1].why, "major compaction is due");
    assert_true(l->e[l->n - 1].at_ms > at + INT64_C(302400000) - 200000);
    advance(c, at + INT64_C(100) * 86400000);
    assert_int_equal(count(l, SIM_EVENT_MAJOR), 1);
    close_all(c, &s, l);
}

/* A disk of 100 kB/s and a stream of 100 MB/s: the client waits where the memstore is four times its size. */
static void writes_wait_for_a_slow_disk(void **state) {
    (void)state;
    struct sim_settings s = small_settings(1);
    s.server.disk_bytes_s = 100000;
    struct events *l = malloc(sizeof *l);
    struct sim_cluster *c = begin(&s, l, 1);
    for (int i = 0; i < 2000; i++) put(c, 1000000 + i / 100, "row", 974);
    const struct sim_report *r = report(c);
    assert_true(r->totals.blocked_region_ms > 10000); /* 2 MB less 5 memstores, at most 100 kB a second */
    assert_int_equal(r->totals.blocked_server_ms, 0);
    assert_int_equal(r->totals.delay_ms, r->totals.blocked_region_ms);
    assert_int_equal(r->end_ms, 1000019 + r->totals.delay_ms);
    assert_true(count(l, SIM_EVENT_BLOCK) > 0);
    int64_t in_buckets = 0;
    for (uint32_t i = 0; i < r->n_buckets; i++) in_buckets += r->buckets[i].blocked_ms;
    assert_int_equal(in_buckets, r->totals.delay_ms);
    close_all(c, &s, l);
}

/* All memstores of a server together, 380,000 of 400,000: the largest is flushed although it is not full, and as long as
 * that is not over the other thread takes the next one. */
static void a_full_server_flushes_its_largest_memstore(void **state) {
    (void)state;
    struct sim_settings s = small_settings(1);
    s.server.heap_bytes = 1000000;
    s.region.flush_bytes = 10000000;
    struct events *l = malloc(sizeof *l);
    struct err err = {0};
    const struct bytes split = bytes_str("m");
    struct sim_options o = {.settings = &s, .splits = &split, .n_splits = 1, .servers = 1, .event = note, .event_arg = l};
    struct sim_cluster *c = sim_cluster_new(&o, &err);
    assert_non_null(c);
    l->n = 0;
    for (int i = 0; i < 400; i++) put(c, i * 100, i % 3 ? "z" : "a", 974);
    assert_true(count(l, SIM_EVENT_FLUSH) == 2);
    assert_int_equal(l->e[0].region, 1);
    assert_string_equal(l->e[0].why, "memstores of the server are full");
    const struct sim_report *r = report(c);
    assert_true(r->servers[0].memstore_peak_bytes >= 380000 && r->servers[0].memstore_peak_bytes < 382000);
    close_all(c, &s, l);
}

static void regions_spread_over_servers(void **state) {
    (void)state;
    struct sim_settings s = small_settings(1);
    s.region.split_policy = SIM_SPLIT_INCREASING;
    s.region.max_file_bytes = 400000;
    struct events *l = malloc(sizeof *l);
    struct sim_cluster *c = begin(&s, l, 4);
    int64_t at = load(c, 60, 1, 7919003, 1000000);
    advance(c, at + 600000);
    const struct sim_report *r = report(c);
    assert_true(r->totals.regions >= 8 && count(l, SIM_EVENT_MOVE) > 0);
    uint32_t sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += r->servers[i].regions;
        assert_true(r->servers[i].regions >= r->totals.regions / 4 && r->servers[i].regions <= (r->totals.regions + 3) / 4);
    }
    assert_int_equal(sum, r->totals.regions);
    close_all(c, &s, l);
}

static void the_same_seed_tells_the_same_story(void **state) {
    (void)state;
    struct sim_settings s = small_settings(1);
    struct events *l[2];
    for (int k = 0; k < 2; k++) {
        l[k] = calloc(1, sizeof *l[k]);
        struct sim_cluster *c = begin(&s, l[k], 3);
        load(c, 30, 5, 7919003, 1000000);
        sim_cluster_free(c);
    }
    assert_int_equal(l[0]->n, l[1]->n);
    for (uint32_t i = 0; i < l[0]->n; i++) {
        assert_int_equal(l[0]->e[i].kind, l[1]->e[i].kind);
        assert_int_equal(l[0]->e[i].at_ms, l[1]->e[i].at_ms);
        assert_int_equal(l[0]->e[i].bytes_out, l[1]->e[i].bytes_out);
    }
    free(l[0]);
    free(l[1]);
    sim_settings_free(&s);
}

static void limits_are_kept(void **state) {
    (void)state;
    struct sim_settings s = small_settings(1);
    struct err err = {0};
    struct sim_options o = {.settings = &s, .servers = 1, .memory_bytes = 20000};
    struct sim_cluster *c = sim_cluster_new(&o, &err);
    assert_non_null(c);
    struct sim_cell cell = {.value_bytes = 100, .type = CELL_PUT};
    char row[200];
    int rc = 0;
    for (int i = 0; !rc && i < 10000; i++) {
        cell.row = bytes_of(row, (size_t)snprintf(row, sizeof row, "%0190d", i * 7919 % 10007));
        rc = sim_cluster_put(c, i, &cell, &err);
    }
    assert_int_equal(rc, -1);
    assert_int_equal(err.code, ERR_LIMIT);
    sim_cluster_free(c);
    err = (struct err){0};
    o.memory_bytes = 0;
    c = sim_cluster_new(&o, &err);
    assert_int_equal(sim_cluster_put(c, INT64_MAX, &cell, &err), -1); /* a clock that runs away */
    assert_int_equal(err.code, ERR_LIMIT);
    sim_cluster_free(c);
    err = (struct err){0};
    const struct bytes wrong[] = {bytes_str("b"), bytes_str("a")};
    o.splits = wrong;
    o.n_splits = 2;
    assert_null(sim_cluster_new(&o, &err));
    sim_settings_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_go_to_the_region_of_their_row),
        cmocka_unit_test(write_amplification_of_equal_flushes),
        cmocka_unit_test(a_sequential_load_splits_the_last_region),
        cmocka_unit_test(stepping_splits_early_once),
        cmocka_unit_test(a_daughter_splits_after_the_next_cleaning),
        cmocka_unit_test(large_families_are_flushed_alone),
        cmocka_unit_test(an_old_memstore_is_flushed),
        cmocka_unit_test(major_compaction_by_period),
        cmocka_unit_test(writes_wait_for_a_slow_disk),
        cmocka_unit_test(a_full_server_flushes_its_largest_memstore),
        cmocka_unit_test(regions_spread_over_servers),
        cmocka_unit_test(the_same_seed_tells_the_same_story),
        cmocka_unit_test(limits_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
