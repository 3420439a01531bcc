/* Random loads of an emulated cluster: bytes, writes, regions and servers add up at every moment. */
#include "sim_cluster_made.h"

/* Settings, keys and speeds at random: the books balance, regions cover the key space, nothing is under way for ever. */
static void books_balance(const struct sim_report *r, uint64_t written) {
    uint64_t heap = 0, files = 0, file_bytes = 0, cells = 0, of_servers = 0;
    uint32_t regions = 0;
    for (uint32_t i = 0; i < r->n_regions; i++) {
        const struct sim_region *g = &r->regions[i];
        for (uint32_t f = 0; f < r->n_families; f++) heap += g->stores[f].memstore_bytes;
        files += g->files;
        file_bytes += g->file_bytes;
        cells += g->cells;
        if (g->gone_ms != SIM_NONE) assert_int_equal(g->files, 0);
    }
    for (uint32_t i = 0; i < r->n_servers; i++) {
        regions += r->servers[i].regions;
        of_servers += r->servers[i].cells;
    }
    assert_int_equal(heap, r->totals.memstore_bytes);
    assert_int_equal(files, r->totals.files);
    assert_int_equal(file_bytes, r->totals.file_bytes);
    assert_int_equal(cells, written);
    assert_int_equal(of_servers, written);
    assert_int_equal(regions, r->totals.regions);
    assert_int_equal(r->totals.delay_ms, r->totals.blocked_region_ms + r->totals.blocked_server_ms);
    for (uint32_t i = 0; i < r->totals.regions; i++) {
        const struct sim_region *g = &r->regions[r->live[i]];
        assert_true(bytes_eq(g->first, i ? r->regions[r->live[i - 1]].last : bytes_of("", 0)));
        assert_true(i + 1 < r->totals.regions || !g->last.n);
    }
    course_adds_up(r);
}

static struct sim_settings drawn_settings(uint64_t *random) {
    struct sim_settings s = small_settings(1 + splitmix_next(random) % 2);
    s.region.split_policy = (enum sim_split_policy)(splitmix_next(random) % 6);
    s.region.flush_policy = (enum sim_flush_policy)(splitmix_next(random) % 3);
    s.region.max_file_bytes = 200000 + splitmix_next(random) % 1000000;
    s.region.max_file_jitter = 0.25;
    s.region.prefix_bytes = (uint32_t)(splitmix_next(random) % 4);
    s.region.delimiter = strdup(splitmix_next(random) % 2 ? "_" : "5");
    s.region.block_multiplier = 2 + (uint32_t)(splitmix_next(random) % 3);
    s.server.heap_bytes = 600000 + splitmix_next(random) % 5000000;
    s.server.disk_bytes_s = UINT64_C(10000) << splitmix_next(random) % 12;
    s.server.compaction_low_bytes_s = s.server.disk_bytes_s / 2;
    s.server.compaction_high_bytes_s = s.server.disk_bytes_s;
    s.server.region_limit = 5 + (uint32_t)(splitmix_next(random) % 30);
    for (uint32_t i = 0; i < s.n_families; i++) {
        struct sim_compaction *k = &s.families[i].compaction;
        k->selection = (enum sim_selection)(splitmix_next(random) % 2);
        k->blocking_files = 3 + (uint32_t)(splitmix_next(random) % 14);
        k->check_multiplier = 1 + (uint32_t)(splitmix_next(random) % 5);
        k->max_files = 3 + (uint32_t)(splitmix_next(random) % 8);
        k->major_period_ms = (int64_t)(splitmix_next(random) % 4) * 100000;
        k->offpeak_from_h = 0;
        k->offpeak_to_h = (int)(splitmix_next(random) % 24);
        s.families[i].file_ratio = 0.2 + seeded_share(random);
        s.families[i].compaction_kept = 0.9;
    }
    return s;
}

static void any_load_keeps_the_books(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t random = seed;
        struct sim_settings s = drawn_settings(&random);
        struct err err = {0};
        struct sim_options o = {.settings = &s, .servers = 1 + (uint32_t)(splitmix_next(&random) % 4), .seed = seed};
        struct sim_cluster *c = sim_cluster_new(&o, &err);
        assert_non_null(c);
        uint64_t kind = splitmix_next(&random) % 3, n = 4000, pace = 1 + splitmix_next(&random) % 400;
        for (uint64_t i = 0; i < n; i++) {
            char row[32];
            unsigned long long key = kind == 0 ? i : splitmix_next(&random) % (kind == 1 ? 1000000 : 3);
            int len = snprintf(row, sizeof row, "%06llu_%llu", key, key % 7);
            struct sim_cell cell = {.row = bytes_of(row, (size_t)len),
                                    .family = (uint32_t)(splitmix_next(&random) % s.n_families),
                                    .value_bytes = (uint32_t)(splitmix_next(&random) % 2000),
                                    .type = CELL_PUT};
            if (sim_cluster_put(c, (int64_t)(i * pace), &cell, &err))
                fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
        }
        books_balance(report(c), n);
        advance(c, INT64_C(86400000));
        const struct sim_report *r = report(c);
        books_balance(r, n);
        assert_int_equal(r->totals.memstore_bytes, 0); /* all too old by now */
        sim_cluster_free(c);
        sim_settings_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_load_keeps_the_books)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
