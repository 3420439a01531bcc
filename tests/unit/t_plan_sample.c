/* Samples of plans: which blocks are chosen, what they say about the whole, and how often that holds. */
#include "flat_cells.h"

#include "engine/read_opts.h"
#include "cmd/split/plan/choice.h"
#include "cmd/split/plan/sampling.h"

#include <math.h>

/* ---- which blocks ---- */

static bool is_chosen(const struct block_choice *c, uint64_t block) {
    return block_choice_number(c, block) == block;
}

static void one_block_of_each_group(void **state) {
    static const uint32_t sizes[] = {1, 2, 3, 7, 64, 1000};
    (void)state;
    for (size_t k = 0; k < countof(sizes); k++) {
        const struct block_choice c = {.of = sizes[k], .block_bytes = 100};
        uint64_t last = 0;
        for (uint64_t group = 0; group < 50; group++) {
            unsigned n = 0;
            for (uint64_t b = group * c.of; b < (group + 1) * c.of; b++) n += is_chosen(&c, b);
            assert_int_equal(n, 1);
        }
        for (uint64_t b = 20 * c.of; b-- > 0;) { /* from any block on: the nearest */
            if (is_chosen(&c, b)) last = b;
            if (last) assert_int_equal(block_choice_number(&c, b), last);
        }
    }
}

/* Tests that in the mean each place of a group is taken as often as another. */
static void places_in_groups_are_even(void **state) {
    enum { OF = 8, GROUPS = 80000 };
    const struct block_choice c = {.of = OF, .block_bytes = 1};
    unsigned n[OF] = {0};
    (void)state;
    for (uint64_t g = 0; g < GROUPS; g++) n[block_choice_number(&c, g * OF) % OF]++;
    for (int i = 0; i < OF; i++) assert_in_range(n[i], GROUPS / OF - 500, GROUPS / OF + 500); /* 5 standard deviations: 468 */
}

/* Inputs one behind the other are as one, but for where their first block begins. */
static void inputs_go_on_counting(void **state) {
    struct block_choice whole = {.of = 5, .block_bytes = 32}, behind = whole;
    (void)state;
    behind.first = block_choice_count(&whole, 1000);
    assert_int_equal(behind.first, 32); /* 31 whole ones and a rest */
    assert_int_equal(block_choice_count(&whole, 1024), 32);
    assert_int_equal(block_choice_count(&whole, 0), 0);
    assert_int_equal(block_choice_count(&(struct block_choice){0}, 1000), 0);
    for (uint64_t at = 0; at < 6400; at += 32)
        assert_int_equal(block_choice_next(&behind, at) + behind.first * 32, block_choice_next(&whole, at + behind.first * 32));
}

/* ---- what blocks gave ---- */

enum { BLOCKS = 40 };

static struct weighed_row row_of(const struct row_weight *pieces, uint32_t n) {
    return (struct weighed_row){.pieces = pieces, .n_pieces = n};
}

static void expect_spread(const double *rows, const double *bytes, struct sampled_sums got) {
    struct sampled_sums want = {0};
    for (int b = -1; b < BLOCKS; b++) { /* before the first and behind the last there is nothing */
        double r = b < 0 ? 0 : rows[b], r1 = b + 1 < BLOCKS ? rows[b + 1] : 0, y = b < 0 ? 0 : bytes[b],
               y1 = b + 1 < BLOCKS ? bytes[b + 1] : 0;
        want.rows_var += (r1 - r) * (r1 - r) / 2;
        want.bytes_var += (y1 - y) * (y1 - y) / 2;
        want.rows_sq += r * r;
        want.bytes_sq += y * y;
    }
    assert_true(fabs(got.rows_var - want.rows_var) < 1e-6 && fabs(got.bytes_var - want.bytes_var) < 1e-6);
    assert_true(fabs(got.rows_sq - want.rows_sq) < 1e-6 && fabs(got.bytes_sq - want.bytes_sq) < 1e-6);
}

static void spreads_are_differences_of_neighbours(void **state) {
    struct block_spread s = {0}, copy = {0};
    struct err err = {0};
    uint64_t seed = 4711;
    (void)state;
    assert_int_equal(block_spread_init(&s, BLOCKS, &err), 0);
    assert_int_equal(block_spread_init(&copy, BLOCKS, &err), 0);
    for (int round = 0; round < 200; round++) {
        double rows[BLOCKS] = {0}, bytes[BLOCKS] = {0};
        for (size_t i = flat_below(&seed, 30); i-- > 0;) {
            struct row_weight w[3];
            uint32_t n = 1 + (uint32_t)flat_below(&seed, 3), at = (uint32_t)flat_below(&seed, BLOCKS - 2);
            for (uint32_t k = 0; k < n; k++) {
                w[k] = (struct row_weight){.block = at + k, .bytes = 1 + flat_below(&seed, 100)};
                rows[at + k]++;
                bytes[at + k] += (double)w[k].bytes;
            }
            const struct weighed_row row = row_of(w, n);
            block_spread_add(&s, &row);
        }
        block_spread_copy(&copy, &s);
        expect_spread(rows, bytes, block_spread_take(&s));
        expect_spread(rows, bytes, block_spread_take(&copy));
        const double none[BLOCKS] = {0};
        expect_spread(none, none, block_spread_take(&s)); /* it is empty now */
    }
    block_spread_free(&s);
    block_spread_free(&copy);
}

/* ---- what a row stands for ---- */

static double choose(int n, int k) {
    double v = 1;
    for (int i = 0; i < k; i++) v = v * (n - i) / (i + 1);
    return v;
}

static struct weighed_row met_in(int k, struct row_weight *pieces) {
    for (int i = 0; i < k; i++) pieces[i] = (struct row_weight){.block = (uint64_t)i, .bytes = 10};
    return (struct weighed_row){.bytes = 10 * (uint64_t)k, .pieces = pieces, .n_pieces = (uint32_t)k};
}

/* A row in c blocks, each met with chance f: in the mean the bounds hold one row between them. */
static void rows_lie_between_their_bounds(void **state) {
    (void)state;
    for (int of = 2; of <= 50; of += 6) {
        struct sampling s = {.by = SAMPLE_BLOCKS, .share = 1.0 / of};
        for (int c = 1; c < 8; c++) {
            double low = 0, high = 0, most = 0;
            for (int k = 0; k <= c; k++) {
                struct row_weight pieces[8];
                struct weighed_row row = met_in(k, pieces);
                double chance = choose(c, k) * pow(s.share, k) * pow(1 - s.share, c - k);
                if (!k) continue;
                sampling_weigh(&s, &row);
                low += chance * row.terms.rows_low;
                high += chance * row.terms.rows_high;
                most += chance * row.terms.rows_most;
            }
            assert_true(low <= 1 + 1e-9 && high >= 1 - 1e-9 && most >= 1 - 1e-9);
            if (c <= 2) assert_true(fabs(low - 1) < 1e-9); /* no triples: exact */
            if (c == 1) assert_true(fabs(high - 1) < 1e-9);
        }
    }
}

static void rows_of_many_blocks_are_one(void **state) {
    struct row_weight pieces[8];
    struct weighed_row row = met_in(8, pieces);
    const struct sampling s = {.by = SAMPLE_BLOCKS, .share = 0.1};
    (void)state;
    sampling_weigh(&s, &row);
    assert_true(row.terms.rows_low == 1 && row.terms.rows_high == 1 && row.terms.rows_most == 1 && row.terms.rows_var == 0);
}

/* ---- what a partition will hold ---- */

static void everything_is_exact(void **state) {
    struct plan_part parts[2] = {{.rows = 7, .cells = 9, .bytes = 100}, {.rows = 1, .cells = 1, .bytes = 3}};
    const struct plan_choice c = {.n = 2, .parts = parts};
    const struct precision p = precision_of(&c, 1, 0);
    const struct estimate e = estimate_of(&p, &parts[0]);
    (void)state;
    assert_true(e.rows == 7 && e.cells == 9 && e.bytes == 100 && e.rows_error == 0 && e.bytes_error == 0);
}

enum { PARTS = 23, ROWS = 20000, TRIALS = 400 };

/* One sample of rows by their hash; whether all partitions lie within their errors. */
static bool holds(uint64_t *seed, double share, const double *true_rows, const double *true_bytes, const uint32_t *part_of,
                  const uint32_t *bytes_of_row) {
    struct plan_part parts[PARTS] = {{0}};
    const struct sampling s = {.by = SAMPLE_ROWS, .share = share};
    for (int i = 0; i < ROWS; i++) {
        if ((double)(flat_random(seed) >> 11) * 0x1p-53 >= share) continue;
        struct weighed_row row = {.bytes = bytes_of_row[i]};
        sampling_weigh(&s, &row);
        const struct plan_part one = {1,
                                      1,
                                      row.bytes,
                                      row.terms.rows_low,
                                      row.terms.rows_high,
                                      row.terms.rows_most,
                                      row.terms.rows_var,
                                      row.terms.bytes_var};
        plan_part_add(&parts[part_of[i]], &one);
    }
    struct plan_choice c = {.n = PARTS, .parts = parts};
    for (int i = 0; i < PARTS; i++) {
        c.rows_sq += (double)parts[i].rows;
        c.bytes_sq += parts[i].bytes_var;
    }
    const struct precision p = precision_of(&c, share, 0);
    for (int i = 0; i < PARTS; i++) {
        const struct estimate e = estimate_of(&p, &parts[i]);
        if (fabs(e.rows - true_rows[i]) > e.rows_error || fabs(e.bytes - true_bytes[i]) > e.bytes_error) return false;
        if (e.rows_error > true_rows[i] + 20 * sqrt(ROWS / share)) return false; /* an error that says nothing */
    }
    return true;
}

static void errors_hold_as_often_as_said(void **state) {
    static uint32_t part_of[ROWS], bytes_of_row[ROWS];
    uint64_t seed = 99;
    (void)state;
    for (int uneven = 0; uneven < 2; uneven++) {
        double rows[PARTS] = {0}, bytes[PARTS] = {0};
        for (int i = 0; i < ROWS; i++) {
            size_t a = flat_below(&seed, PARTS), b = uneven ? flat_below(&seed, a + 1) : a; /* some partitions are nearly empty */
            part_of[i] = (uint32_t)b;
            bytes_of_row[i] = 50 + (uint32_t)flat_below(&seed, uneven ? 2000 : 50);
            rows[b]++;
            bytes[b] += bytes_of_row[i];
        }
        unsigned good = 0;
        for (int t = 0; t < TRIALS; t++) good += holds(&seed, 0.05, rows, bytes, part_of, bytes_of_row);
        assert_in_range(good, TRIALS * 99 / 100, TRIALS); /* 99.7 of 100 are promised */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block_of_each_group),       cmocka_unit_test(places_in_groups_are_even),
        cmocka_unit_test(inputs_go_on_counting),         cmocka_unit_test(spreads_are_differences_of_neighbours),
        cmocka_unit_test(rows_lie_between_their_bounds), cmocka_unit_test(rows_of_many_blocks_are_one),
        cmocka_unit_test(everything_is_exact),           cmocka_unit_test(errors_hold_as_often_as_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
