/* The bounded list of problems: counts are of all, the worst stay. */
#include "flat_cells.h"

#include "cmd/verify/check/problems.h"

#include <stdio.h>

static void test_worst_stay(void **state) {
    (void)state;
    for (uint32_t limit = 1; limit <= 40; limit += 13)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            uint64_t s = seed, found[PROBLEM_KINDS] = {0};
            struct problems p;
            struct err err = {0};
            assert_int_equal(problems_init(&p, limit, &err), 0);
            size_t n = flat_below(&s, 60);
            for (size_t i = 0; i < n; i++) {
                enum problem_kind k = (enum problem_kind)flat_below(&s, PROBLEM_KINDS);
                problems_add(&p, k, NULL, "%s %zu", problem_name(k), i);
                found[k]++;
            }
            assert_memory_equal(p.found, found, sizeof found);
            assert_int_equal(problems_total(&p), n);
            assert_int_equal(p.n, n < limit ? n : limit);
            problems_sort(&p);
            uint32_t at = 0;
            for (int k = 0; k < PROBLEM_KINDS; k++) /* as many of each kind as fit behind the worse ones */
                for (uint64_t i = 0; i < found[k] && at < p.n; i++, at++) {
                    assert_int_equal(p.list[at].kind, k);
                    assert_int_equal(strncmp(p.list[at].text, problem_name((enum problem_kind)k), 5), 0);
                    if (i) assert_true(strverscmp(p.list[at - 1].text, p.list[at].text) < 0);
                }
            assert_int_equal(at, p.n);
            problems_free(&p);
        }
}

static void test_threads(void **state) {
    (void)state;
    struct problems p;
    struct err err = {0};
    assert_int_equal(problems_init(&p, 2000, &err), 0);
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 1000; i++) problems_add(&p, (enum problem_kind)(i % PROBLEM_KINDS), "file", "problem %04d", i);
    assert_int_equal(problems_total(&p), 1000);
    assert_int_equal(p.n, 1000);
    problems_sort(&p);
    for (uint32_t i = 1; i < p.n; i++) {
        assert_true(p.list[i - 1].kind <= p.list[i].kind);
        if (p.list[i - 1].kind == p.list[i].kind) assert_true(strverscmp(p.list[i - 1].text, p.list[i].text) < 0);
    }
    problems_free(&p);
}

static void test_long_text_and_no_limit(void **state) {
    (void)state;
    struct problems p;
    struct err err = {0};
    char text[3000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    assert_int_equal(problems_init(&p, 0, &err), 0); /* room for one at least */
    problems_sort(&p);
    problems_add(&p, PROBLEM_METADATA, NULL, "%s", text);
    problems_add(&p, PROBLEM_METADATA, NULL, "yet another of the same kind");
    assert_int_equal(p.n, 1);
    assert_int_equal(p.list[0].text[0], 'x');
    assert_int_equal(strlen(p.list[0].text), 999);
    problems_add(&p, PROBLEM_ORDER, NULL, "worse");
    assert_string_equal(p.list[0].text, "worse");
    assert_int_equal(problems_total(&p), 3);
    problems_free(&p);
    assert_int_equal(problems_init(&p, UINT64_MAX, &err), 0);
    assert_int_equal(p.limit, PROBLEMS_MOST);
    problems_free(&p);
}

/* What stays on a short list depends on what was found only, not on when; numbers count by their value. */
static void test_any_order(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t s = seed;
        int order[100];
        struct problems p;
        struct err err = {0};
        assert_int_equal(problems_init(&p, 7, &err), 0);
        for (int i = 0; i < 100; i++) {
            int j = (int)flat_below(&s, (uint64_t)i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        for (int i = 0; i < 100; i++) problems_add(&p, PROBLEM_DAMAGED, "f", "block at %d", order[i]);
        problems_sort(&p);
        assert_int_equal(p.n, 7);
        for (uint32_t i = 0; i < p.n; i++) {
            char want[40];
            snprintf(want, sizeof want, "f: block at %u", i);
            assert_string_equal(p.list[i].text, want);
        }
        problems_free(&p);
    }
}

static void test_file_and_moving(void **state) {
    (void)state;
    struct problems p, q;
    struct err err = {0};
    assert_int_equal(problems_init(&p, 2, &err), 0);
    assert_int_equal(problems_init(&q, 5, &err), 0);
    problems_add(&q, PROBLEM_DAMAGED, "a/b", "a/b: named already");
    problems_add(&q, PROBLEM_DAMAGED, "a/b", "a/bc: another file");
    problems_add(&q, PROBLEM_COSMETIC, "a/b", "name");
    problems_count(&q, PROBLEM_MISPLACED, 1000);
    problems_move(&p, &q);
    assert_int_equal(problems_total(&q), 0);
    assert_int_equal(q.n, 0);
    assert_int_equal(problems_total(&p), 1003);
    assert_int_equal(p.found[PROBLEM_MISPLACED], 1000);
    problems_sort(&p);
    assert_int_equal(p.n, 2);
    assert_string_equal(p.list[0].text, "a/b: a/bc: another file");
    assert_string_equal(p.list[1].text, "a/b: named already");
    assert_int_equal(p.list[1].file_n, 3);
    problems_free(&p);
    problems_free(&q);
}

static void test_names(void **state) {
    (void)state;
    static const char *const names[PROBLEM_KINDS] = {"missing", "damaged",   "count",    "order",   "hidden",
                                                     "extra",   "misplaced", "metadata", "cosmetic"};
    static const char *const severities[] = {"lost", "misplaced", "figures", "cosmetic"};
    int at = 0;
    for (int k = 0; k < PROBLEM_KINDS; k++) {
        assert_string_equal(problem_name((enum problem_kind)k), names[k]);
        while (strcmp(problem_severity((enum problem_kind)k), severities[at])) assert_true(++at < 4); /* never rises again */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worst_stay), cmocka_unit_test(test_threads),         cmocka_unit_test(test_long_text_and_no_limit),
        cmocka_unit_test(test_any_order),  cmocka_unit_test(test_file_and_moving), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("problems", tests, NULL, NULL);
}
