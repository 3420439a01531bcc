/* Ledgers: sums over threads, and every way not to balance. */
#include "flat_cells.h"

#include "rules/ledger.h"

static struct tally random_tally(uint64_t *seed) {
    return (struct tally){flat_below(seed, 1000), {flat_random(seed), flat_random(seed)}};
}

/* A ledger that balances. */
static struct ledger random_ledger(uint64_t *seed) {
    struct ledger l = {.records_accepted = flat_below(seed, 1000), .records_rejected = flat_below(seed, 10)};
    l.records_skipped = flat_below(seed, 5);
    l.records_read = l.records_accepted + l.records_rejected + l.records_skipped;
    l.lost = (struct lost_count){flat_below(seed, 9), flat_below(seed, 99), flat_below(seed, 3)}; /* weighs nothing */
    l.rejected = random_tally(seed);
    tally_add(&l.in, l.rejected);
    for (int c = 0; c < CAUSE_COUNT; c++) {
        struct tally t = random_tally(seed);
        tally_add(&l.dropped[cause_verdict((enum cause)c)], t);
        tally_add(&l.in, t);
        if (c != CAUSE_KEPT) l.by[c] = t;
    }
    return l;
}

static void test_balanced(void **state) {
    (void)state;
    uint64_t seed = 1, written = 0, read = 0;
    struct ledger sum = {0};
    struct err err = {0};
    assert_int_equal(ledger_check(&sum, &err), 0); /* nothing is balanced */
    for (int i = 0; i < 100; i++) {
        struct ledger l = random_ledger(&seed);
        assert_int_equal(ledger_check(&l, &err), 0);
        written += ledger_written(&l)->cells;
        read += l.records_read;
        ledger_add(&sum, &l);
        assert_int_equal(ledger_check(&sum, &err), 0);
    }
    assert_int_equal(ledger_written(&sum)->cells, written);
    assert_int_equal(sum.records_read, read);
    assert_string_equal(err.text, "");
}

/* Sums do not depend on the order or on how the work was shared out. */
static void test_order_free(void **state) {
    (void)state;
    uint64_t seed = 2;
    struct ledger parts[20], forward = {0}, backward = {0}, odd = {0}, even = {0};
    for (int i = 0; i < 20; i++) parts[i] = random_ledger(&seed);
    for (int i = 0; i < 20; i++) {
        ledger_add(&forward, &parts[i]);
        ledger_add(&backward, &parts[19 - i]);
        ledger_add(i % 2 ? &odd : &even, &parts[i]);
    }
    ledger_add(&odd, &even);
    assert_memory_equal(&forward, &backward, sizeof forward);
    assert_memory_equal(&forward, &odd, sizeof forward);
}

static void expect_unbalanced(struct ledger l, const char *text) {
    struct err err = {0};
    assert_int_equal(ledger_check(&l, &err), -1);
    assert_int_equal(err.code, ERR_INTERNAL);
    if (!strstr(err.text, text)) assert_string_equal(err.text, text);
}

static void test_each_entry_counts(void **state) {
    (void)state;
    uint64_t seed = 3;
    const struct ledger l = random_ledger(&seed);
    for (size_t at = 0; at < offsetof(struct ledger, lost); at += 8) { /* it is made of 64-bit numbers only */
        if (at >= offsetof(struct ledger, by[CAUSE_KEPT]) && at < offsetof(struct ledger, by[CAUSE_KEPT + 1])) continue;
        struct ledger x = l;
        uint64_t v;
        memcpy(&v, (char *)&x + at, 8);
        v += UINT64_C(1) << flat_below(&seed, 64);
        memcpy((char *)&x + at, &v, 8);
        expect_unbalanced(x, at < offsetof(struct ledger, in) ? "record ledger" : "cell ledger");
    }
}

static void test_messages(void **state) {
    (void)state;
    expect_unbalanced((struct ledger){.records_read = 5, .records_accepted = 3, .records_skipped = 1},
                      "record ledger does not balance: 5 read, 4 accepted + rejected + skipped");
    expect_unbalanced((struct ledger){.in.cells = 2, .rejected.cells = 3},
                      "cell ledger does not balance: 2 cells in, 3 accounted for");
    expect_unbalanced((struct ledger){.in = {2, {1, 0}}, .dropped[VERDICT_KEEP] = {2, {0, 1}}},
                      "cell ledger does not balance: 2 cells on both sides, digest in 00000000000000000000000000000001, "
                      "accounted for 00000000000000010000000000000000");
}

/* Tests that a dropped cell is booked under its verdict and its reason; a manifest without reasons is not held against them. */
static void test_reasons(void **state) {
    (void)state;
    struct ledger l = {0};
    struct err err = {0};
    for (int c = CAUSE_KEPT + 1; c < CAUSE_COUNT; c++) {
        struct digest d = {(uint64_t)c, 1};
        ledger_drop(&l, (enum cause)c, d);
        tally_one(&l.in, d);
    }
    assert_int_equal(ledger_check(&l, &err), 0);
    assert_int_equal(l.dropped[VERDICT_EXPIRED].cells, 2);
    assert_int_equal(l.dropped[VERDICT_DELETED].cells, 4);
    assert_int_equal(l.dropped[VERDICT_PURGED].cells, 4);
    assert_string_equal(cause_name(CAUSE_BY_DELETE_FAMILY), "DeleteFamily");
    assert_string_equal(cause_name(CAUSE_PURGED_DELETE_FAMILY_VERSION), "DeleteFamilyVersion");
    assert_null(cause_name(CAUSE_VERSIONS));
    l.by[CAUSE_CELL_TTL].digest.lo++;
    expect_unbalanced(l, "cell ledger does not balance: 2 cells expired, their reasons account for 2 of another digest");
    memset(l.by, 0, sizeof l.by);
    expect_unbalanced(l, "cell ledger does not balance: 2 cells expired, their reasons account for 0");
    struct ledger sum = {0};
    l.unparted = 1;
    ledger_add(&sum, &l);
    assert_int_equal(ledger_check(&sum, &err), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balanced), cmocka_unit_test(test_order_free), cmocka_unit_test(test_each_entry_counts),
        cmocka_unit_test(test_messages), cmocka_unit_test(test_reasons),
    };
    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
