#include "cmd/common/spread/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_amount(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double deviation(const uint64_t *v, uint32_t n, double mean) {
    double squares = 0;
    for (uint32_t i = 0; i < n; i++) squares += ((double)v[i] - mean) * ((double)v[i] - mean);
    return sqrt(squares / n);
}

/* Of ascending amounts: sum of (2i - n - 1) v_i over n * sum of v_i, i from 1. */
static double gini(const uint64_t *v, uint32_t n, double total) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += (2.0 * i + 1 - n) * (double)v[i];
    return sum / (n * total);
}

static void lorenz(const uint64_t *v, uint32_t n, double total, double *out) {
    double below = 0;
    uint32_t i = 0;
    for (int p = 0; p < SPREAD_LORENZ; p++) {
        double at = (double)n * p / (SPREAD_LORENZ - 1);
        for (; i < n && i + 1 <= at; i++) below += (double)v[i];
        double part = i < n ? (at - i) * (double)v[i] : 0;
        out[p] = (below + part) / total;
    }
}

int spread_make(const uint64_t *amounts, uint32_t n, struct spread *out, struct err *err) {
    *out = (struct spread){.n = n};
    if (!n) return 0;
    uint64_t *v = malloc(n * sizeof *v);
    if (!v) return err_nomem(err, n * sizeof *v, "figures of partitions");
    memcpy(v, amounts, n * sizeof *v);
    qsort(v, n, sizeof *v, by_amount);
    for (uint32_t i = 0; i < n; i++) {
        out->total += v[i];
        out->empty += !v[i];
    }
    out->least = v[0];
    out->most = v[n - 1];
    out->median = v[(n - 1) / 2];
    out->mean = (double)out->total / n;
    if (out->total) {
        out->max_mean = (double)out->most / out->mean;
        out->cv = deviation(v, n, out->mean) / out->mean;
        out->gini = gini(v, n, (double)out->total);
        lorenz(v, n, (double)out->total, out->lorenz);
    }
    free(v);
    return 0;
}
