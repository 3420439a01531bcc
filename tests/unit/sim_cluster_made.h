/* An emulated cluster for tests: settings, rows written to it, the events it reports. */
#ifndef TESTS_UNIT_SIM_CLUSTER_MADE_H
#define TESTS_UNIT_SIM_CLUSTER_MADE_H

#include "cell/cell.h"
#include "cmd/split/simulate/cluster.h"
#include "cmd/split/simulate/cluster_figures.h"
#include "cmd/split/simulate/cluster_loop.h"
#include "cmd/split/simulate/cluster_state.h"

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

static inline int note(void *arg, const struct sim_event *e, struct err *err) {
    struct events *l = arg;
    (void)err;
    assert_true(l->n < EVENTS_MOST);
    l->e[l->n++] = *e;
    return 0;
}

static inline uint32_t count(const struct events *l, enum sim_event_kind kind) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n; i++) n += l->e[i].kind == kind;
    return n;
}

static inline struct sim_settings settings_of(uint32_t families) {
    static const char *const names[] = {"f", "g"};
    struct sim_settings s;
    struct err err = {0};
    struct sim_given g = {.family_names = names, .n_families = families};
    assert_int_equal(sim_settings_make(&g, &s, &err), 0);
    return s;
}

/* Small memstores, no ratio that a small file passes for free, exact split sizes, disks that take no time to speak of. */
static inline struct sim_settings small_settings(uint32_t families) {
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

static inline struct sim_settings plain_settings(void) {
    return settings_of(1);
}

static inline struct sim_cluster *begin(const struct sim_settings *s, struct events *l, uint32_t servers) {
    struct err err = {0};
    struct sim_options o = {.settings = s, .servers = servers, .start_ms = 1000000, .seed = 42, .event = note, .event_arg = l};
    struct sim_cluster *c = sim_cluster_new(&o, &err);
    if (!c) fail_msg("%s", err.text);
    l->n = 0;
    return c;
}

static inline void put_cell(struct sim_cluster *c, int64_t at_ms, const char *row, uint32_t family, uint32_t value_bytes) {
    struct err err = {0};
    struct sim_cell cell = {.row = bytes_str(row),
                            .family = family,
                            .qualifier_bytes = 1,
                            .value_bytes = value_bytes,
                            .type = CELL_PUT,
                            .ts_ms = at_ms};
    if (sim_cluster_put(c, at_ms, &cell, &err)) fail_msg("%s", err.text);
}

static inline void put(struct sim_cluster *c, int64_t at_ms, const char *row, uint32_t value_bytes) {
    put_cell(c, at_ms, row, 0, value_bytes);
}

static const struct sim_report *report(struct sim_cluster *c) {
    struct err err = {0};
    const struct sim_report *r = sim_cluster_report(c, &err);
    if (!r) fail_msg("%s", err.text);
    return r;
}

static inline void advance(struct sim_cluster *c, int64_t at_ms) {
    struct err err = {0};
    if (sim_cluster_advance(c, at_ms, &err)) fail_msg("%s", err.text);
}

/* n flushes of equal cells, a second from cell to cell. Of a row of 8 bytes and a value of 970 a cell is 1,000 bytes as a
 * KeyValue and 1,072 on the heap (40 + 1,032): a memstore is over 100,000 with the 94th. */
enum { CELLS_PER_FLUSH = 94 };

static inline int64_t load(struct sim_cluster *c, uint32_t flushes, uint64_t first, uint64_t step, int64_t at) {
    char row[9];
    for (uint64_t i = 0; i < (uint64_t)flushes * CELLS_PER_FLUSH; i++, at += 1000) {
        snprintf(row, sizeof row, "%08llu", (unsigned long long)((first + i * step) % 100000000));
        put(c, at, row, 970);
    }
    return at;
}

static inline void course_adds_up(const struct sim_report *r) {
    uint64_t bytes = 0, cells = 0, flushed = 0, compacted = 0;
    for (uint32_t b = 0; b < r->n_buckets; b++) {
        uint64_t of_regions = 0;
        for (uint32_t i = 0; i < r->n_regions; i++) of_regions += r->regions[i].bucket_bytes[b];
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

static inline void close_all(struct sim_cluster *c, struct sim_settings *s, struct events *l) {
    sim_cluster_free(c);
    sim_settings_free(s);
    free(l);
}

/* Files of one size s, ratio 1.2, 3 to 10 files, no minimum: 1 1 1 -> 3; 3 1 1 1 -> 6 (3 <= 3.6); 6 1 1 1 -> 6 3;
 * 6 3 1 1 -> 11 (6 <= 6.0000002, as Java's float has it). So 11 flushes write 11 + 3 + 6 + 3 + 11. */

#endif
