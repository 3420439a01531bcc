/* A missing log, by the sequence ids of the others: what HBase leaves out itself is no sign of one, wherever it happens; a hole
 * between two logs is, if it is larger than that, and names region, ids and both logs. Without room nothing is judged. */
#include "formats/wal/wal_run.h"
#include "recorder.h"

struct logs {
    struct wal_run run;
    struct wal_gaps_open open;
    struct wal_hole holes[4];
};

static void begin(struct logs *l) {
    *l = (struct logs){0};
    wal_run_init(&l->run);
    l->run.gaps.room = 1 << 20;
}

static void note(struct logs *l, const char *region, uint64_t seq, const char *marker) {
    const struct wal_key key = {.region = bytes_str(region), .seq = seq};
    const struct kv_key first = {
        .row = bytes_str("r1"), .family = bytes_str(marker ? "METAFAMILY" : "a"), .qualifier = bytes_str(marker ? marker : "q")};
    wal_run_note(&l->run, &l->open, &key, &first);
}

static void edits(struct logs *l, const char *region, uint64_t first, uint64_t last) {
    for (uint64_t seq = first; seq <= last; seq++) note(l, region, seq, NULL);
}

/* A log with the edits first to last of region A. */
static void put_log(struct logs *l, const char *path, uint64_t first, uint64_t last) {
    wal_run_begin_log(&l->run, &l->open, path);
    edits(l, "A", first, last);
    wal_run_end_log(&l->run, &l->open, false);
}

static size_t end(struct logs *l) {
    const size_t n = wal_run_missing(&l->run, l->holes, countof(l->holes));
    return n;
}

/* Logs 1, 2 and 4 of a server: with a marker in the first one. */
static void three_logs(struct logs *l, uint64_t missing) {
    begin(l);
    wal_run_begin_log(&l->run, &l->open, "WALs/s,1,1/s%2C1%2C1.100");
    note(l, "A", 1, "HBASE::REGION_EVENT::REGION_OPEN");
    edits(l, "A", 2, 50);
    wal_run_end_log(&l->run, &l->open, false);
    put_log(l, "oldWALs/s%2C1%2C1.200", 51, 100);
    put_log(l, "oldWALs/s%2C1%2C1.400", 101 + missing, 200);
}

static void test_missing(void **state) {
    (void)state;
    struct logs l;
    three_logs(&l, 0);
    assert_int_equal(end(&l), 0);
    wal_run_free(&l.run);
    three_logs(&l, 8); /* flushes of nothing */
    assert_int_equal(end(&l), 0);
    wal_run_free(&l.run);
    three_logs(&l, 9);
    assert_int_equal(end(&l), 1);
    assert_int_equal(l.holes[0].first, 101);
    assert_int_equal(l.holes[0].last, 109);
    assert_true(bytes_eq(l.holes[0].region, bytes_str("A")));
    assert_true(bytes_eq(l.holes[0].before_name, bytes_str("s%2C1%2C1.200")));
    assert_true(bytes_eq(l.holes[0].after_name, bytes_str("s%2C1%2C1.400")));
    wal_run_free(&l.run);
}

/* Logs of a server that have nothing of the region leave time for more such ids. */
static void test_logs_between(void **state) {
    (void)state;
    struct logs l;
    three_logs(&l, 20);
    for (int i = 0; i < 2; i++) {
        wal_run_begin_log(&l.run, &l.open, i ? "s%2C1%2C1.300" : "s%2C1%2C1.350");
        wal_run_end_log(&l.run, &l.open, false);
    }
    assert_int_equal(end(&l), 0);
    wal_run_free(&l.run);
}

/* Writes that skip the log are missing inside of logs, too. */
static void test_skipped_writes(void **state) {
    (void)state;
    struct logs l;
    three_logs(&l, 30);
    put_log(&l, "s%2C1%2C1.500", 201, 220);
    wal_run_begin_log(&l.run, &l.open, "s%2C1%2C1.600");
    edits(&l, "A", 221, 230);
    edits(&l, "A", 241, 250);
    wal_run_end_log(&l.run, &l.open, false);
    assert_int_equal(end(&l), 0);
    wal_run_free(&l.run);
}

/* A region goes on elsewhere: opened there, or not. Two regions that lack ids before one log are one place. */
static void test_other_server(void **state) {
    (void)state;
    for (int opened = 0; opened < 2; opened++) {
        struct logs l;
        three_logs(&l, 0);
        wal_run_begin_log(&l.run, &l.open, "t%2C1%2C1.500");
        if (opened) note(&l, "A", 202, "HBASE::REGION_EVENT::REGION_OPEN");
        edits(&l, "A", 203, 210);
        wal_run_end_log(&l.run, &l.open, false);
        assert_int_equal(end(&l), !opened);
        wal_run_free(&l.run);
    }
    struct logs l;
    begin(&l);
    for (int i = 0; i < 2; i++) {
        wal_run_begin_log(&l.run, &l.open, i ? "s.200" : "s.100");
        edits(&l, "A", 1 + i * 40u, 10 + i * 40u);
        edits(&l, "B", 1 + i * 90u, 10 + i * 90u);
        note(&l, "B", 11 + i * 90u, "HBASE::FLUSH");
        wal_run_end_log(&l.run, &l.open, false);
    }
    assert_int_equal(end(&l), 1);
    assert_int_equal(l.holes[0].n_regions, 2);
    assert_true(bytes_eq(l.holes[0].region, bytes_str("B")));
    wal_run_free(&l.run);
}

/* A log that lost its end, ids that a base holds, logs before HBase 1.0, and more than there is room for. */
static void test_not_judged(void **state) {
    (void)state;
    struct logs l;
    three_logs(&l, 50);
    l.run.gaps.logs[1].is_damaged = true;
    assert_int_equal(end(&l), 0);
    wal_run_free(&l.run);
    uint64_t seq[] = {150};
    const char *families[] = {"a"};
    struct wal_base_region region = {.start = bytes_str(""), .end = bytes_str(""), .seq = seq};
    const struct wal_base base = {&region, 1, families, 1};
    for (seq[0] = 149; seq[0] <= 150; seq[0]++) {
        three_logs(&l, 50);
        l.run.base = &base;
        assert_int_equal(end(&l), seq[0] == 149);
        wal_run_free(&l.run);
    }
    begin(&l);
    put_log(&l, "s.100", 1, 50);
    put_log(&l, "s.200", 200, 250);
    assert_int_equal(end(&l), 0);
    wal_run_free(&l.run);
    for (size_t room = 0; room < 20000; room += 100) {
        begin(&l);
        l.run.gaps.room = room;
        for (unsigned i = 0; i < 40; i++) {
            char path[32];
            snprintf(path, sizeof path, "s.%u", i + 100);
            wal_run_begin_log(&l.run, &l.open, path);
            note(&l, "A", 1 + i * 100, "HBASE::FLUSH");
            note(&l, "B", 1 + i * 100, NULL);
            wal_run_end_log(&l.run, &l.open, false);
        }
        const size_t n = end(&l);
        assert_true(n == 0 || n == 39);
        assert_true(l.run.gaps.is_full == (n == 0) && l.run.gaps.room <= room);
        wal_run_free(&l.run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_missing), cmocka_unit_test(test_logs_between),
                                       cmocka_unit_test(test_skipped_writes), cmocka_unit_test(test_other_server),
                                       cmocka_unit_test(test_not_judged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
