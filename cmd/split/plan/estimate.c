#include "cmd/split/plan/estimate.h"

#include <math.h>

#define DOUBT 0.003

/* A normal variable lies outside of z standard deviations with less than exp(-z^2 / 2); n of them are asked at once. */
static double sigmas_for(uint32_t n) {
    return sqrt(2 * log(n / DOUBT));
}

/* Where next to nothing was seen the variance is not known: there the number of draws is what a Poisson variable allows, each as
 * large as draws are in the mean; and where blocks come out of sorted rows, a block before and behind may belong to it. */
static double least(double z, double share, double var, double squares, double sum) {
    return sum > 0 ? (z * z / 2 * var + 2 * squares) / sum * (1 - share) / share : 0;
}

struct precision precision_of(const struct plan_choice *c, double share, uint64_t blocks) {
    struct precision p = {.share = share, .common = blocks ? 1.0 / (double)blocks : 0, .sigmas = sigmas_for(c->n)};
    double rows = 0, bytes = 0, rows_var = 0, bytes_var = 0;
    for (uint32_t i = 0; i < c->n && share < 1; i++) {
        rows += (double)c->parts[i].rows;
        bytes += (double)c->parts[i].bytes;
        rows_var += c->parts[i].rows_var;
        bytes_var += c->parts[i].bytes_var;
    }
    p.rows_least = least(p.sigmas, share, rows_var, c->rows_sq, rows);
    p.bytes_least = least(p.sigmas, share, bytes_var, c->bytes_sq, bytes);
    return p;
}

static double error_of(const struct precision *p, double var) {
    return p->sigmas * sqrt((1 - p->share) * (var > 0 ? var : 0)) / p->share;
}

struct estimate estimate_of(const struct precision *p, const struct plan_part *part) {
    struct estimate e = {(double)part->rows, (double)part->cells / p->share, (double)part->bytes / p->share, 0, 0};
    if (p->share >= 1) return e;
    /* Not fewer than were seen, and not more than if no two were the same: sums can be outside of that. */
    double low = part->rows_low > e.rows ? part->rows_low : e.rows, high = part->rows_high > low ? part->rows_high : low;
    if (high > part->rows_most) high = part->rows_most > low ? part->rows_most : low;
    e.rows = (low + high) / 2;
    e.rows_error = error_of(p, part->rows_var) + (high - low) / 2 + p->rows_least + p->common * e.rows;
    e.bytes_error = error_of(p, part->bytes_var) + p->bytes_least + p->common * e.bytes;
    return e;
}
