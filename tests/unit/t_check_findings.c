/* The bounded list of findings: counts are of all, the worst stay. */
#include "flat_cells.h"

#include "cmd/verify/check/check_findings.h"

#include <stdio.h>

static void test_worst_stay(void **state) {
    (void)state;
    for (uint32_t limit = 1; limit <= 40; limit += 13)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            uint64_t s = seed, found[FINDING_KINDS] = {0};
            struct check_findings p;
            struct err err = {0};
            assert_int_equal(check_findings_init(&p, limit, &err), 0);
            size_t n = flat_below(&s, 60), problems = 0;
            for (size_t i = 0; i < n; i++) {
                enum finding_kind k = (enum finding_kind)flat_below(&s, FINDING_KINDS);
                problems += k != FINDING_NOTE;
                check_findings_add(&p, k, NULL, "%s %zu", finding_name(k), i);
                found[k]++;
            }
            assert_memory_equal(p.found, found, sizeof found);
            assert_int_equal(check_findings_total(&p), problems); /* a note is none */
            assert_int_equal(p.n, n < limit ? n : limit);
            check_findings_sort(&p);
            uint32_t at = 0;
            for (int k = 0; k < FINDING_KINDS; k++) /* as many of each kind as fit behind the worse ones */
                for (uint64_t i = 0; i < found[k] && at < p.n; i++, at++) {
                    assert_int_equal(p.list[at].kind, k);
                    const char *name = finding_name((enum finding_kind)k);
                    assert_int_equal(strncmp(p.list[at].text, name, strlen(name)), 0);
                    if (i) assert_true(strverscmp(p.list[at - 1].text, p.list[at].text) < 0);
                }
            assert_int_equal(at, p.n);
            check_findings_free(&p);
        }
}

static void test_threads(void **state) {
    (void)state;
    struct check_findings p;
    struct err err = {0};
    assert_int_equal(check_findings_init(&p, 2000, &err), 0);
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 1000; i++) check_findings_add(&p, (enum finding_kind)(i % FINDING_NOTE), "file", "problem %04d", i);
    assert_int_equal(check_findings_total(&p), 1000);
    assert_int_equal(p.n, 1000);
    check_findings_sort(&p);
    for (uint32_t i = 1; i < p.n; i++) {
        assert_true(p.list[i - 1].kind <= p.list[i].kind);
        if (p.list[i - 1].kind == p.list[i].kind) assert_true(strverscmp(p.list[i - 1].text, p.list[i].text) < 0);
    }
    check_findings_free(&p);
}

static void test_long_text_and_no_limit(void **state) {
    (void)state;
    struct check_findings p;
    struct err err = {0};
    char text[3000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    assert_int_equal(check_findings_init(&p, 0, &err), 0); /* room for one at least */
    check_findings_sort(&p);
    check_findings_add(&p, FINDING_METADATA, NULL, "%s", text);
    check_findings_add(&p, FINDING_METADATA, NULL, "yet another of the same kind");
    assert_int_equal(p.n, 1);
    assert_int_equal(p.list[0].text[0], 'x');
    assert_int_equal(strlen(p.list[0].text), 999);
    check_findings_add(&p, FINDING_ORDER, NULL, "worse");
    assert_string_equal(p.list[0].text, "worse");
    assert_int_equal(check_findings_total(&p), 3);
    check_findings_free(&p);
    assert_int_equal(check_findings_init(&p, UINT64_MAX, &err), 0);
    assert_int_equal(p.limit, FINDINGS_MOST);
    check_findings_free(&p);
}

/* Tests that a short list depends on what was found only, not on when; numbers count by their value. */
static void test_any_order(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t s = seed;
        int order[100];
        struct check_findings p;
        struct err err = {0};
        assert_int_equal(check_findings_init(&p, 7, &err), 0);
        for (int i = 0; i < 100; i++) {
            int j = (int)flat_below(&s, (uint64_t)i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        for (int i = 0; i < 100; i++) check_findings_add(&p, FINDING_DAMAGED, "f", "block at %d", order[i]);
        check_findings_sort(&p);
        assert_int_equal(p.n, 7);
        for (uint32_t i = 0; i < p.n; i++) {
            char want[40];
            snprintf(want, sizeof want, "f: block at %u", i);
            assert_string_equal(p.list[i].text, want);
        }
        check_findings_free(&p);
    }
}

static void test_file_and_moving(void **state) {
    (void)state;
    struct check_findings p, q;
    struct err err = {0};
    assert_int_equal(check_findings_init(&p, 2, &err), 0);
    assert_int_equal(check_findings_init(&q, 5, &err), 0);
    check_findings_add(&q, FINDING_DAMAGED, "a/b", "a/b: named already");
    check_findings_add(&q, FINDING_DAMAGED, "a/b", "a/bc: another file");
    check_findings_add(&q, FINDING_COSMETIC, "a/b", "name");
    check_findings_count(&q, FINDING_MISPLACED, 1000);
    check_findings_move(&p, &q);
    assert_int_equal(check_findings_total(&q), 0);
    assert_int_equal(q.n, 0);
    assert_int_equal(check_findings_total(&p), 1003);
    assert_int_equal(p.found[FINDING_MISPLACED], 1000);
    check_findings_sort(&p);
    assert_int_equal(p.n, 2);
    assert_string_equal(p.list[0].text, "a/b: a/bc: another file");
    assert_string_equal(p.list[1].text, "a/b: named already");
    assert_int_equal(p.list[1].file_n, 3);
    check_findings_free(&p);
    check_findings_free(&q);
}

static void test_names(void **state) {
    (void)state;
    static const char *const names[FINDING_KINDS] = {"missing", "damaged",   "count",    "order",    "hidden",
                                                     "extra",   "misplaced", "metadata", "cosmetic", "note"};
    static const char *const severities[] = {"lost", "misplaced", "figures", "cosmetic", "note"};
    int at = 0;
    for (int k = 0; k < FINDING_KINDS; k++) {
        assert_string_equal(finding_name((enum finding_kind)k), names[k]);
        while (strcmp(finding_severity((enum finding_kind)k), severities[at])) assert_true(++at < 5); /* never rises again */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worst_stay), cmocka_unit_test(test_threads),         cmocka_unit_test(test_long_text_and_no_limit),
        cmocka_unit_test(test_any_order),  cmocka_unit_test(test_file_and_moving), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("problems", tests, NULL, NULL);
}
