/* A cluster of regions made of sizes: where writes go, and what follows from them. */
#include "cell/cell.h"
#include "cmd/split/simulate/cluster.h"
#include "cmd/split/simulate/seeded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { EVENTS_MOST = 4000 };

struct events {
    struct sim_event e[EVENTS_MOST];
    uint32_t n;
};

static int note(void *arg, const struct sim_event *e, struct err *err) {
    struct events *l = arg;
    (void)err;
    assert_true(l->n < EVENTS_MOST);
    l->e[l->n++] = *e;
    return 0;
}

static uint32_t count(const struct events *l, enum sim_event_kind kind) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n; i++) n += l->e[i].kind == kind;
    return n;
}

static struct sim_settings settings_of(uint32_t families) {
    static const char *const names[] = {"f", "g"};
    struct sim_settings s;
    struct err err = {0};
    struct sim_given g = {.family_names = names, .n_families = families};
    assert_int_equal(sim_settings_make(&g, &s, &err), 0);
    return s;
}

/* Small memstores, no ratio that a small file passes for free, exact split sizes, disks that take no time to speak of. */
static struct sim_settings small_settings(uint32_t families) {
    struct sim_settings s = settings_of(families);
    s.region.flush_bytes = 100000;
    s.region.family_flush_bytes = 20000;
    s.region.initial_split_bytes = 200000;
    s.region.max_file_jitter = 0;
    s.server.disk_bytes_s = UINT64_C(1) << 40;
    s.server.compaction_low_bytes_s = s.server.compaction_high_bytes_s = UINT64_C(1) << 40;
    for (uint32_t i = 0; i < families; i++) s.families[i].compaction.min_bytes = 0;
    return s;
}

static struct sim_settings plain_settings(void) {
    return settings_of(1);
}

static struct sim_cluster *begin(const struct sim_settings *s, struct events *l, uint32_t servers) {
    struct err err = {0};
    struct sim_options o = {.settings = s, .servers = servers, .start_ms = 1000000, .seed = 42, .event = note, .event_arg = l};
    struct sim_cluster *c = sim_cluster_new(&o, &err);
    if (!c) fail_msg("%s", err.text);
    l->n = 0;
    return c;
}

static void put_cell(struct sim_cluster *c, int64_t at_ms, const char *row, uint32_t family, uint32_t value_bytes) {
    struct err err = {0};
    struct sim_cell cell = {.row = bytes_str(row),
                            .family = family,
                            .qualifier_bytes = 1,
                            .value_bytes = value_bytes,
                            .type = CELL_PUT,
                            .ts_ms = at_ms};
    if (sim_cluster_put(c, at_ms, &cell, &err)) fail_msg("%s", err.text);
}

static void put(struct sim_cluster *c, int64_t at_ms, const char *row, uint32_t value_bytes) {
    put_cell(c, at_ms, row, 0, value_bytes);
}

static const struct sim_report *report(struct sim_cluster *c) {
    struct err err = {0};
    const struct sim_report *r = sim_cluster_report(c, &err);
    if (!r) fail_msg("%s", err.text);
    return r;
}

static void advance(struct sim_cluster *c, int64_t at_ms) {
    struct err err = {0};
    if (sim_cluster_advance(c, at_ms, &err)) fail_msg("%s", err.text);
}

/* n flushes of equal cells, a second from cell to cell. Of a row of 8 bytes and a value of 970 a cell is 1,000 bytes as a
 * KeyValue and 1,072 on the heap (40 + 1,032): a memstore is over 100,000 with the 94th. */
enum { CELLS_PER_FLUSH = 94 };

static int64_t load(struct sim_cluster *c, uint32_t flushes, uint64_t first, uint64_t step, int64_t at) {
    char row[9];
    for (uint64_t i = 0; i < (uint64_t)flushes * CELLS_PER_FLUSH; i++, at += 1000) {
        snprintf(row, sizeof row, "%08llu", (unsigned long long)((first + i * step) % 100000000));
        put(c, at, row, 970);
    }
    return at;
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

static void course_adds_up(const struct sim_report *r) {
    uint64_t bytes = 0, cells = 0, flushed = 0, compacted = 0;
    for (uint32_t b = 0; b < r->n_buckets; b++) {
        uint64_t of_regions = 0;
        for (uint32_t i = 0; i < r->n_regions; i++) of_regions += r->regions[i].course[b];
        assert_int_equal(of_regions, r->buckets[b].bytes);
        assert_true(r->buckets[b].hottest_share <= 1);
        bytes += r->buckets[b].bytes;
        cells += r->buckets[b].cells;
        flushed += r->buckets[b].flushed_bytes;
        compacted += r->buckets[b].compacted_bytes;
    }
    assert_int_equal(bytes, r->totals.bytes);
    assert_int_equal(cells, r->totals.cells);
    assert_int_equal(flushed, r->totals.flushed_bytes);
    assert_int_equal(compacted, r->totals.compacted_bytes);
}

static void close_all(struct sim_cluster *c, struct sim_settings *s, struct events *l) {
    sim_cluster_free(c);
    sim_settings_free(s);
    free(l);
}

/* Files of one size s, ratio 1.2, 3 to 10 files, no minimum: 1 1 1 -> 3; 3 1 1 1 -> 6 (3 <= 3.6); 6 1 1 1 -> 6 3;
 * 6 3 1 1 -> 11 (6 <= 6.0000002, as Java's float has it). So 11 flushes write 11 + 3 + 6 + 3 + 11. */
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

/* Of two families only the one above the bound is flushed: 20,000 of 100,000. */
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
        cmocka_unit_test(any_load_keeps_the_books),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
