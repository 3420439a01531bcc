/* Histograms against sorted values. */
#include "base/histogram.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 11;
}

static void check(uint64_t *v, size_t n, struct histogram *h) {
    static const double shares[] = {0, 0.001, 0.25, 0.5, 0.75, 0.95, 0.98, 0.99, 0.999, 1};
    double sum = 0, off = 0;
    qsort(v, n, sizeof *v, by_value);
    for (size_t i = 0; i < n; i++) sum += (double)v[i];
    for (size_t i = 0; i < n; i++) off += ((double)v[i] - sum / (double)n) * ((double)v[i] - sum / (double)n);
    assert_int_equal(h->n, n);
    assert_true(h->least == v[0] && h->largest == v[n - 1]);
    assert_true(fabs(histogram_mean(h) - sum / (double)n) <= 1e-9 * sum);
    assert_true(fabs(histogram_deviation(h) - sqrt(off / (double)(n - 1))) <= 1e-4 * (1 + sqrt(off / (double)(n - 1))));
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        size_t rank = (size_t)ceil(shares[i] * (double)n);
        uint64_t want = v[rank ? rank - 1 : 0], got = histogram_share(h, shares[i]);
        if (want < HISTOGRAM_EXACT)
            assert_int_equal(got, want);
        else
            assert_true(got >= want && got - want <= want / HISTOGRAM_STEPS);
    }
}

static void against_sorted(void **state) {
    (void)state;
    enum { N = 10000 };
    static const uint64_t most[] = {1, 100, 1024, 1030, 100000, UINT64_C(1) << 40};
    uint64_t *v = malloc(N * sizeof *v), seed = 7;
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        struct histogram h[3] = {{0}};
        for (size_t i = 0; i < N; i++) {
            v[i] = next(&seed) % most[k];
            histogram_add(&h[i % 2], v[i]); /* two halves, added up */
        }
        histogram_merge(&h[2], &h[0]);
        histogram_merge(&h[2], &h[1]);
        check(v, N, &h[2]);
    }
    free(v);
}

static void borders(void **state) {
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        for (int d = -1; d <= 1; d++) {
            uint64_t v = (UINT64_C(1) << bit) + (uint64_t)(int64_t)d;
            struct histogram h = {0};
            histogram_add(&h, v);
            assert_true(histogram_share(&h, 0.5) == v);
        }
    }
    struct histogram h = {0};
    histogram_add(&h, UINT64_MAX);
    assert_true(histogram_share(&h, 1) == UINT64_MAX);
}

static void empty(void **state) {
    (void)state;
    struct histogram a = {0}, b = {0};
    histogram_merge(&a, &b);
    assert_int_equal(a.n, 0);
    assert_int_equal(histogram_share(&a, 0.5), 0);
    assert_true(histogram_mean(&a) == 0 && histogram_deviation(&a) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(against_sorted), cmocka_unit_test(borders), cmocka_unit_test(empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
