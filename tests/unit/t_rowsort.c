/* The row sort against qsort with a plain comparison, over keys that are hard on a radix sort. */
#include "flat_cells.h"

#include "sort/record.h"
#include "sort/rowsort.h"
#include "sort/sorted.h"

struct fixture {
    struct flat_pool pool;
    struct shape_set shapes;
    struct part_maker m;
    struct sort_entry *e;
    size_t n, cap;
};

static void begin(struct fixture *f, uint64_t seed, unsigned explicit_percent) {
    *f = (struct fixture){0};
    f->m = (struct part_maker){.seed = seed,
                               .pool = &f->pool,
                               .shapes = &f->shapes,
                               .family = bytes_str("f"),
                               .inputs = 3,
                               .value_max = 3,
                               .explicit_percent = explicit_percent,
                               .cells_max = 2};
    maker_add_shapes(&f->m, false);
}

static void end(struct fixture *f) {
    free(f->e);
    flat_pool_free(&f->pool);
    shape_set_free(&f->shapes);
}

static void add(struct fixture *f, struct bytes row) {
    if (f->n == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 256;
        f->e = realloc(f->e, f->cap * sizeof *f->e);
        assert_non_null(f->e);
    }
    struct row_part p = maker_part(&f->m, row);
    uint8_t *r = malloc(record_bound(&p, &f->shapes));
    assert_non_null(r);
    size_t n = record_put(r, &p, &f->shapes);
    f->e[f->n++].record = flat_copy(&f->pool, bytes_of(r, n)).p;
    free(r);
}

/* ---- the plain order ---- */

static const struct shape_set *plain_shapes(const struct shape_set *set) {
    static _Thread_local const struct shape_set *kept;
    if (set) kept = set;
    return kept;
}

static struct cell first_cell(const uint8_t *r) {
    struct record_cells it;
    record_cells_begin(&it, r, plain_shapes(NULL));
    assert_true(record_cells_next(&it));
    return it.cell;
}

static int plain_cmp(const void *x, const void *y) {
    const uint8_t *a = ((const struct sort_entry *)x)->record, *b = ((const struct sort_entry *)y)->record;
    int c = bytes_cmp(record_row(a), record_row(b));
    if (c) return c;
    if (record_shape(a) != record_shape(b)) return record_shape(a) < record_shape(b) ? -1 : 1;
    struct cell ca = first_cell(a), cb = first_cell(b);
    if (!record_shape(a)) return cell_cmp(&ca, &cb, TIE_BY_SEQUENCE);
    if (ca.ts_ms != cb.ts_ms) return ca.ts_ms > cb.ts_ms ? -1 : 1;
    return (ca.rank < cb.rank) - (ca.rank > cb.rank);
}

static size_t common_prefix(const struct fixture *f) {
    struct bytes first = f->n ? record_row(f->e[0].record) : (struct bytes){0};
    size_t lcp = first.n;
    for (size_t i = 1; i < f->n; i++) {
        size_t n = bytes_lcp(first, record_row(f->e[i].record));
        if (n < lcp) lcp = n;
    }
    return lcp;
}

/* Sorts what was added, from its order as it stands, and compares. */
static void expect_sorted(struct fixture *f, bool threads) {
    struct rowsort s = {.shapes = &f->shapes, .tie = TIE_BY_SEQUENCE, .lcp = common_prefix(f)};
    struct sort_entry *e = malloc((2 * f->n + 1) * sizeof *e), *want = malloc((f->n + 1) * sizeof *want);
    assert_true(e && want);
    for (size_t i = 0; i < f->n; i++)
        want[i] = e[i] = (struct sort_entry){rowsort_window(record_row(f->e[i].record), s.lcp), f->e[i].record};
    plain_shapes(&f->shapes);
    qsort(want, f->n, sizeof *want, plain_cmp);
    if (threads) {
#pragma omp parallel num_threads(3)
#pragma omp single
        rowsort(&s, e, f->n, e + f->n);
    } else {
        rowsort(&s, e, f->n, e + f->n);
    }
    for (size_t i = 0; i < f->n; i++) {
        assert_ptr_equal(e[i].record, want[i].record);
        if (!i) continue;
        if (bytes_eq(record_row(e[i - 1].record), record_row(e[i].record))) assert_true(e[i - 1].window == e[i].window);
        assert_true(rowsort_cmp(&s, &want[i - 1], &want[i]) < 0 && rowsort_cmp(&s, &want[i], &want[i - 1]) > 0);
    }
    free(e);
    free(want);
}

static void shuffle(struct fixture *f) {
    for (size_t i = f->n; i > 1; i--) {
        size_t j = flat_below(&f->m.seed, i);
        struct sort_entry t = f->e[i - 1];
        f->e[i - 1] = f->e[j];
        f->e[j] = t;
    }
}

/* `prefix` times 'p', then a random word. */
static struct bytes prefixed(struct fixture *f, size_t prefix, size_t word_max) {
    struct bytes w = maker_word(&f->m, word_max);
    uint8_t *p = flat_alloc(&f->pool, prefix + w.n);
    memset(p, 'p', prefix);
    if (w.n) memcpy(p + prefix, w.p, w.n);
    return bytes_of(p, prefix + w.n);
}

static void test_common_leading_bytes(void **state) {
    (void)state;
    static const size_t prefixes[] = {0, 7, 8, 64, 1000}, counts[] = {0, 1, 2, 24, 25, 300, 5000};
    for (size_t p = 0; p < countof(prefixes); p++)
        for (size_t k = 0; k < countof(counts); k++)
            for (size_t word = 1; word <= 30; word += 29) { /* few distinct rows, many distinct rows */
                struct fixture f;
                begin(&f, 100 * p + 10 * k + word, 30);
                for (size_t i = 0; i < counts[k]; i++) add(&f, prefixed(&f, prefixes[p], word));
                expect_sorted(&f, false);
                end(&f);
            }
}

/* Sorts rows of which only some share the long prefix, so that skipping what all share does not help. */
static void test_long_prefix_of_some(void **state) {
    (void)state;
    static const size_t prefixes[] = {9, 1000, 5000, ROW_MAX_BYTES - 12};
    for (size_t p = 0; p < countof(prefixes); p++) {
        struct fixture f;
        begin(&f, 200 + p, 30);
        for (size_t i = 0; i < 200; i++) add(&f, prefixed(&f, prefixes[p], 12));
        add(&f, bytes_str("q"));
        add(&f, bytes_str(""));
        shuffle(&f);
        expect_sorted(&f, true);
        end(&f);
    }
}

/* Sorts rows where at every byte another one branches off, each of them a prefix of the next but for its last byte. */
static void test_staircase(void **state) {
    (void)state;
    static const uint8_t fill[] = {0x00, 'a', 0xff};
    enum { STEPS = 3000 };
    for (size_t k = 0; k < sizeof fill; k++) {
        struct fixture f;
        begin(&f, 300 + k, 0);
        uint8_t *row = flat_alloc(&f.pool, STEPS);
        memset(row, fill[k], STEPS);
        for (size_t i = 0; i < STEPS; i++) {
            add(&f, bytes_of(row, i));
            row[i] = 'b';
            if (i % 2) add(&f, bytes_of(row, i + 1));
            row[i] = fill[k];
        }
        shuffle(&f);
        expect_sorted(&f, false);
        end(&f);
    }
}

static void test_zero_bytes_at_the_end(void **state) {
    (void)state;
    for (uint64_t seed = 400; seed < 420; seed++) {
        struct fixture f;
        begin(&f, seed, 30);
        for (size_t i = 0; i < 1500; i++) {
            uint8_t row[64] = "key";
            size_t head = flat_below(&f.m.seed, 4), zeros = flat_below(&f.m.seed, 40), tail = flat_below(&f.m.seed, 8) == 0;
            memset(row + head, 0, sizeof row - head);
            if (tail) row[head + zeros] = 1;
            add(&f, bytes_of(row, head + zeros + tail));
        }
        expect_sorted(&f, false);
        end(&f);
    }
}

/* One row only: shapes, timestamps and ranks decide. */
static void test_hot_row(void **state) {
    (void)state;
    for (unsigned percent = 0; percent <= 100; percent += 50) {
        struct fixture f;
        begin(&f, 500 + percent, percent);
        for (size_t i = 0; i < 5000; i++) add(&f, bytes_str("the one row"));
        expect_sorted(&f, false);
        add(&f, bytes_str("the one row, and another"));
        add(&f, bytes_str("the"));
        shuffle(&f);
        expect_sorted(&f, false);
        end(&f);
    }
}

/* Ascending runs of random length one behind the other, up to more than are merged. */
static void test_sorted_runs(void **state) {
    (void)state;
    static const size_t runs[] = {1, 2, 3, 5, 64, 1023, 1024, 1500};
    for (size_t k = 0; k < countof(runs); k++) {
        struct fixture f;
        begin(&f, 600 + k, 20);
        plain_shapes(&f.shapes);
        for (size_t r = 0; r < runs[k]; r++) {
            size_t from = f.n, n = 33 + flat_below(&f.m.seed, 20);
            for (size_t i = 0; i < n; i++) add(&f, prefixed(&f, 3, 10));
            qsort(f.e + from, n, sizeof *f.e, plain_cmp);
        }
        expect_sorted(&f, false);
        for (size_t i = 0; i < f.n / 2; i++) { /* and descending */
            struct sort_entry t = f.e[i];
            f.e[i] = f.e[f.n - 1 - i];
            f.e[f.n - 1 - i] = t;
        }
        expect_sorted(&f, false);
        end(&f);
    }
}

static void test_many(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 700, 10);
    for (size_t i = 0; i < 100000; i++) add(&f, prefixed(&f, i % 8 ? 12 : 0, i % 50 ? 14 : 1));
    expect_sorted(&f, false);
    expect_sorted(&f, true);
    end(&f);
}

static void test_windows(void **state) {
    (void)state;
    static const uint8_t row[] = "abcdefghijkl";
    assert_true(rowsort_window(bytes_of(row, 12), 0) == 0x6162636465666768u);
    assert_true(rowsort_window(bytes_of(row, 12), 4) == 0x65666768696a6b6cu);
    assert_true(rowsort_window(bytes_of(row, 12), 5) == 0x666768696a6b6c00u);
    assert_true(rowsort_window(bytes_of(row, 12), 11) == 0x6c00000000000000u);
    assert_true(rowsort_window(bytes_of(row, 12), 12) == 0);
    assert_true(rowsort_window(bytes_of(row, 0), 0) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_common_leading_bytes),
        cmocka_unit_test(test_long_prefix_of_some),
        cmocka_unit_test(test_staircase),
        cmocka_unit_test(test_zero_bytes_at_the_end),
        cmocka_unit_test(test_hot_row),
        cmocka_unit_test(test_sorted_runs),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests_name("rowsort", tests, NULL, NULL);
}
