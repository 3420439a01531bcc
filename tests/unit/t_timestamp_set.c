/* Rows with very many markers, and the set of timestamps that remembers them: in any order, and within its memory. */
#include "recorder.h"

#include "rules/rules.h"
#include "rules/timestamp_set.h"

enum { ROW_BYTES = 64 << 20, MARKERS = 200000 };

static void one_row_of_many_markers(void **state) {
    (void)state;
    const struct rules_env env = {
        .row_bytes = ROW_BYTES, .now_ms = 1000000, .earliest_put_ms = 0, .family = {.versions = UINT32_MAX}};
    struct err err = {0};
    enum cause why;
    struct rules *r = rules_new(&env, &err);
    rules_begin_row(r);
    for (int64_t i = MARKERS; i > 0; i--) {
        struct cell c = {.ts_ms = i * 2, .type = CELL_DELETE_FAMILY_VERSION};
        assert_int_equal(rules_judge(r, &c, &why, &err), 0);
        assert_int_equal(why, CAUSE_PURGED_DELETE_FAMILY_VERSION);
    }
    for (int row = 0; row < 2; row++) {
        for (int64_t ts = MARKERS * 2 + 1; ts > 0; ts--) {
            struct cell c = {.qualifier = bytes_str("q"), .ts_ms = ts, .type = CELL_PUT};
            assert_int_equal(rules_judge(r, &c, &why, &err), 0);
            if (why != (ts % 2 || row ? CAUSE_KEPT : CAUSE_BY_DELETE_FAMILY_VERSION))
                fail_msg("row %d, ts %lld", row, (long long)ts);
        }
        rules_begin_row(r);
    }
    rules_free(r);
}

/* Adds timestamps in any order, again and again: those in falling order and others. */
static void set_of_stamps(void **state) {
    (void)state;
    enum { SMALL = 3000 };
    static bool in[SMALL];
    struct timestamp_set s = {.max_bytes = ROW_BYTES};
    struct err err = {0};
    uint64_t seed = 7;
    for (int round = 0; round < 200; round++) {
        memset(in, 0, sizeof in);
        assert_false(timestamp_set_has(&s, 0));
        int64_t at = SMALL;
        for (uint64_t n = test_random(&seed) % 1000; n; n--) {
            bool falls = round % 3 == 0 || test_random(&seed) % 10;
            at = falls ? at - (int64_t)(test_random(&seed) % 4) : (int64_t)(test_random(&seed) % SMALL);
            if (at < 0) break;
            if (at == SMALL) continue;
            in[at] = true;
            assert_int_equal(timestamp_set_add(&s, at, &err), 0);
        }
        for (int64_t ts = 0; ts < SMALL; ts++)
            if (timestamp_set_has(&s, ts) != in[ts]) fail_msg("round %d, %lld", round, (long long)ts);
        assert_false(timestamp_set_has(&s, INT64_MAX));
        timestamp_set_clear(&s);
    }
    assert_int_equal(timestamp_set_add(&s, INT64_MAX, &err), 0);
    assert_int_equal(timestamp_set_add(&s, 0, &err), 0);
    assert_int_equal(timestamp_set_add(&s, INT64_MIN + 1, &err), 0);
    assert_true(timestamp_set_has(&s, INT64_MAX) && timestamp_set_has(&s, 0) && timestamp_set_has(&s, INT64_MIN + 1));
    assert_false(timestamp_set_has(&s, 1) || timestamp_set_has(&s, -1) || timestamp_set_has(&s, INT64_MAX - 1));
    timestamp_set_free(&s);
}

/* A row may hold tens of millions; what falls out of order takes more, and more than 64 MB of it is refused. */
static void large_set_of_stamps(void **state) {
    (void)state;
    enum { FALLING = 10000000 };
    struct timestamp_set s = {.max_bytes = ROW_BYTES};
    struct err err = {0};
    for (int64_t i = FALLING; i > 0; i--) assert_int_equal(timestamp_set_add(&s, i * 3, &err), 0);
    assert_true(s.falling.firsts.cap + s.falling.steps.cap < FALLING * 4);
    assert_true(timestamp_set_has(&s, 3) && timestamp_set_has(&s, FALLING * INT64_C(3)) && !timestamp_set_has(&s, 4));
    int64_t more = FALLING * INT64_C(4);
    while (!timestamp_set_add(&s, more, &err)) more++;
    assert_int_equal(err.code, ERR_LIMIT);
    assert_non_null(strstr(err.text, "65536 KB"));
    assert_true(s.falling.firsts.cap + s.falling.steps.cap + s.cap * sizeof *s.slots <= s.max_bytes);
    assert_true(more - FALLING * INT64_C(4) > 1500000);
    timestamp_set_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_of_many_markers),
        cmocka_unit_test(set_of_stamps),
        cmocka_unit_test(large_set_of_stamps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
