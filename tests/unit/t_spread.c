/* How even partitions and nodes are: worked examples, and plain sums over random amounts. */
#include "cmd/common/spread/spread.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void near(double got, double want) {
    assert_true(fabs(got - want) <= 1e-9 * (1 + fabs(want)));
}

static uint64_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static void even_is_even(void **state) {
    const uint64_t v[] = {7, 7, 7, 7};
    struct spread s;
    struct err err = {0};
    (void)state;
    assert_int_equal(spread_make(v, 4, &s, &err), 0);
    near(s.max_mean, 1);
    near(s.cv, 0);
    near(s.gini, 0);
    near(s.lorenz[50], 0.5);
    near(s.lorenz[100], 1);
    assert_int_equal(s.empty, 0);
}

static void all_in_one(void **state) {
    const uint64_t v[] = {0, 10, 0, 0};
    struct spread s;
    struct err err = {0};
    (void)state;
    assert_int_equal(spread_make(v, 4, &s, &err), 0);
    near(s.max_mean, 4);
    near(s.cv, sqrt(3));
    near(s.gini, 0.75);
    near(s.lorenz[75], 0);
    near(s.lorenz[90], 0.6);
    assert_int_equal(s.empty, 3);
    assert_int_equal(s.median, 0);
}

static void nothing_is_no_division(void **state) {
    const uint64_t v[] = {0, 0};
    struct spread s;
    struct err err = {0};
    (void)state;
    assert_int_equal(spread_make(v, 2, &s, &err), 0);
    assert_true(s.max_mean == 0 && s.cv == 0 && s.gini == 0);
    assert_int_equal(spread_make(v, 0, &s, &err), 0);
    assert_true(s.mean == 0 && s.n == 0);
}

/* Gini as half the mean difference of all pairs. */
static void gini_by_pairs(void **state) {
    enum { N = 60 };
    uint64_t v[N], seed = 4;
    struct spread s;
    struct err err = {0};
    (void)state;
    for (int round = 0; round < 50; round++) {
        double pairs = 0, sum = 0, squares = 0;
        for (int i = 0; i < N; i++) sum += (double)(v[i] = next(&seed) % (round % 2 ? 10 : 1000000));
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++) pairs += fabs((double)v[i] - (double)v[k]);
        for (int i = 0; i < N; i++) squares += ((double)v[i] - sum / N) * ((double)v[i] - sum / N);
        assert_int_equal(spread_make(v, N, &s, &err), 0);
        near(s.gini, pairs / (2.0 * N * sum));
        near(s.cv, sqrt(squares / N) / (sum / N));
        for (int p = 1; p < SPREAD_LORENZ; p++) assert_true(s.lorenz[p] >= s.lorenz[p - 1] && s.lorenz[p] <= p / 100.0 + 1e-9);
    }
}

static void nodes_dealt_both_ways(void **state) {
    const uint64_t v[] = {10, 1, 1, 10, 1, 1, 8};
    struct node_balance b;
    struct err err = {0};
    (void)state;
    assert_int_equal(node_balance_make(v, 7, 3, &b, &err), 0);
    assert_int_equal(b.round_robin[0].amount, 28);
    assert_int_equal(b.round_robin[0].partitions, 3);
    assert_int_equal(b.greedy[0].amount, 11);
    assert_int_equal(b.greedy[1].amount, 11);
    assert_int_equal(b.greedy[2].amount, 10);
    near(b.round_robin_max_mean, 28 / (32.0 / 3));
    near(b.greedy_max_mean, 11 / (32.0 / 3));
    node_balance_free(&b);
    assert_int_equal(node_balance_make(v, 7, 0, &b, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    node_balance_free(&b);
}

/* Compares with looking at every node for every partition. */
static void greedy_by_looking(void **state) {
    enum { N = 300, NODES = 17 };
    uint64_t v[N], sorted[N], seed = 9, load[NODES] = {0};
    struct node_balance b;
    struct err err = {0};
    (void)state;
    for (int i = 0; i < N; i++) sorted[i] = v[i] = next(&seed) % 5000;
    for (int i = 0; i < N; i++)
        for (int k = i + 1; k < N; k++)
            if (sorted[k] > sorted[i]) {
                uint64_t swap = sorted[i];
                sorted[i] = sorted[k];
                sorted[k] = swap;
            }
    for (int i = 0; i < N; i++) {
        int least = 0;
        for (int k = 1; k < NODES; k++)
            if (load[k] < load[least]) least = k;
        load[least] += sorted[i];
    }
    assert_int_equal(node_balance_make(v, N, NODES, &b, &err), 0);
    for (int k = 0; k < NODES; k++) assert_int_equal(b.greedy[k].amount, load[k]);
    node_balance_free(&b);
}

static void more_nodes_than_partitions(void **state) {
    const uint64_t v[] = {5, 0};
    struct node_balance b;
    struct err err = {0};
    (void)state;
    assert_int_equal(node_balance_make(v, 2, 4, &b, &err), 0);
    near(b.greedy_max_mean, 4);
    assert_int_equal(b.greedy[1].partitions, 1);
    node_balance_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(even_is_even),
                                       cmocka_unit_test(all_in_one),
                                       cmocka_unit_test(nothing_is_no_division),
                                       cmocka_unit_test(gini_by_pairs),
                                       cmocka_unit_test(nodes_dealt_both_ways),
                                       cmocka_unit_test(greedy_by_looking),
                                       cmocka_unit_test(more_nodes_than_partitions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
