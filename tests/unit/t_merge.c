/* The merge against a plain sort: any number of inputs, rows held by one or all of them, rows far wider than a part. */
#include "flat_cells.h"

#include "sort/sorted.h"

#include <stdio.h>

enum { INPUTS_MAX = 40 };

struct fixture {
    struct flat_pool pool;
    struct shape_set shapes;
    struct part_maker m;
    struct flat_cells want;
    struct row_part *parts[INPUTS_MAX];
    size_t n_parts[INPUTS_MAX];
    size_t n;
    int closed;
};

static void begin(struct fixture *f, uint64_t seed, enum tie_rule tie, size_t n) {
    *f = (struct fixture){.n = n};
    f->m = (struct part_maker){.seed = seed,
                               .pool = &f->pool,
                               .shapes = &f->shapes,
                               .family = bytes_str("f"),
                               .tie = tie,
                               .inputs = 4,
                               .value_max = 10,
                               .explicit_percent = 50,
                               .cells_max = 6};
    maker_add_shapes(&f->m, false);
    f->want.pool = &f->pool;
}

static void end(struct fixture *f) {
    flat_free(&f->want);
    flat_pool_free(&f->pool);
    shape_set_free(&f->shapes);
}

static struct source *open_merge(struct fixture *f, size_t fail_input, size_t fail_at) {
    struct source *in[INPUTS_MAX];
    struct err err = {0};
    f->closed = 0;
    for (size_t i = 0; i < f->n; i++)
        in[i] = array_open(f->parts[i], f->n_parts[i], i == fail_input ? fail_at : SIZE_MAX, &f->closed);
    struct source *s = merge_open(in, f->n, f->m.tie, &err);
    assert_non_null(s);
    return s;
}

static void expect_merged(struct fixture *f) {
    struct flat_cells got = {.pool = &f->pool};
    struct source *s = open_merge(f, SIZE_MAX, 0);
    flat_drain(s, f->m.family, &f->shapes, f->m.tie, &got);
    source_close(s);
    assert_int_equal(f->closed, f->n);
    flat_sort(&f->want, f->m.tie);
    flat_expect_equal(&got, &f->want);
    flat_free(&got);
}

/* Cuts an explicit row into parts of random length: 1 .. most cells. */
static size_t cut(struct fixture *f, struct row_part whole, size_t most, struct row_part *out) {
    size_t n = 0;
    for (uint32_t i = 0; i < whole.n_cells; n++) {
        uint32_t k = 1 + (uint32_t)flat_below(&f->m.seed, most);
        if (k > whole.n_cells - i) k = whole.n_cells - i;
        out[n] = whole;
        out[n].first = i == 0;
        out[n].cells = whole.cells + i;
        out[n].n_cells = k;
        i += k;
    }
    return n;
}

/* In order: later rows share less and less with the first ones. */
static const char *const heads[] = {
    "row with a long head ", "row with a long tail ", "row with another ", "row x", "rows", "s", "z"};

static const char *head_of(size_t row) {
    size_t i = row / 10;
    return heads[i < countof(heads) ? i : countof(heads) - 1];
}

/* Each input has some of the rows in order. Some are wide. */
static void fill(struct fixture *f, size_t rows, unsigned percent_held, uint32_t wide_cells) {
    for (size_t i = 0; i < f->n; i++) {
        f->parts[i] = flat_alloc(&f->pool, rows * (wide_cells + 8) * sizeof *f->parts[i]);
        for (size_t r = 0; r < rows; r++) {
            char name[32];
            if (flat_below(&f->m.seed, 100) >= percent_held) continue;
            int n = snprintf(name, sizeof name, "%s%02zu", head_of(r), r);
            struct bytes row = flat_copy(&f->pool, bytes_of(name, (size_t)n - (r % 10 == 0)));
            bool wide = wide_cells && flat_below(&f->m.seed, 3) == 0;
            struct row_part p = wide ? maker_explicit(&f->m, row, wide_cells) : maker_part(&f->m, row);
            flat_add(&f->want, &p);
            if (p.shape) {
                f->parts[i][f->n_parts[i]++] = p;
                continue;
            }
            f->n_parts[i] += cut(f, p, wide ? 40 : 3, f->parts[i] + f->n_parts[i]);
        }
    }
}

static void test_random_inputs(void **state) {
    (void)state;
    static const size_t inputs[] = {0, 1, 2, 3, 7, INPUTS_MAX};
    static const unsigned held[] = {5, 50, 100};
    for (size_t k = 0; k < countof(inputs); k++)
        for (size_t h = 0; h < countof(held); h++)
            for (int tie = 0; tie < 2; tie++) {
                struct fixture f;
                begin(&f, 1 + k * 10 + h, tie ? TIE_BY_INPUT : TIE_BY_SEQUENCE, inputs[k]);
                fill(&f, 70, held[h], 0);
                expect_merged(&f);
                end(&f);
            }
}

static void test_wide_rows(void **state) {
    (void)state;
    for (size_t n = 1; n <= 6; n++) {
        struct fixture f;
        begin(&f, 100 + n, n % 2 ? TIE_BY_INPUT : TIE_BY_SEQUENCE, n);
        fill(&f, 12, 80, 4000);
        expect_merged(&f);
        end(&f);
    }
}

/* Values so large that parts are cut by bytes. */
static void test_large_values(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 200, TIE_BY_SEQUENCE, 3);
    f.m.value_max = 400000;
    fill(&f, 3, 100, 20);
    expect_merged(&f);
    end(&f);
}

/* Tests one key in three inputs: the later input wins by input number, the larger sequence id otherwise. */
static void test_ties(void **state) {
    (void)state;
    static const struct {
        enum tie_rule tie;
        char want[4];
    } cases[] = {{TIE_BY_SEQUENCE, "bac"}, {TIE_BY_INPUT, "cba"}};
    struct cell c[3] = {{.value = bytes_str("a"), .seq = 7, .rank = rank_of(0, 5), .type = CELL_PUT},
                        {.value = bytes_str("b"), .seq = 9, .rank = rank_of(1, 5), .type = CELL_PUT},
                        {.value = bytes_str("c"), .seq = 0, .rank = rank_of(2, 0), .type = CELL_PUT}};
    for (size_t k = 0; k < countof(cases); k++) {
        struct fixture f;
        struct err err = {0};
        struct row_part got;
        begin(&f, 1, cases[k].tie, 3);
        for (int i = 0; i < 3; i++) {
            struct row_part *p = f.parts[(i + k) % 3] = flat_alloc(&f.pool, sizeof *p);
            *p = (struct row_part){.row = bytes_str("r"), .family = f.m.family, .cells = &c[i], .n_cells = 1, .first = true};
            f.n_parts[i] = 1;
        }
        char seen[4] = "";
        struct source *s = open_merge(&f, SIZE_MAX, 0);
        for (size_t n = 0; source_next(s, &got, &err) == 1;)
            for (uint32_t i = 0; i < got.n_cells; i++) seen[n++] = (char)got.cells[i].value.p[0];
        assert_string_equal(seen, cases[k].want);
        source_close(s);
        end(&f);
    }
}

static void test_untouched_parts_keep_their_shape(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    struct row_part got, p[3];
    begin(&f, 300, TIE_BY_SEQUENCE, 2);
    p[0] = maker_shaped(&f.m, bytes_str("a"), 1);
    p[1] = maker_shaped(&f.m, bytes_str("b"), 1);
    p[2] = maker_shaped(&f.m, bytes_str("b"), 1);
    f.parts[0] = p;
    f.n_parts[0] = 2;
    f.parts[1] = p + 2;
    f.n_parts[1] = 1;
    struct source *s = open_merge(&f, SIZE_MAX, 0);
    assert_int_equal(source_next(s, &got, &err), 1);
    assert_true(got.shape == 1 && got.cells == p[0].cells); /* handed through */
    while (source_next(s, &got, &err) == 1) assert_int_equal(got.shape, 0);
    source_close(s);
    end(&f);
}

/* An input that fails anywhere makes the merge fail; the end of the others does not hide it. */
static void test_failing_input(void **state) {
    (void)state;
    for (size_t input = 0; input < 4; input++)
        for (size_t at = 0; at < 60; at += 7) {
            struct fixture f;
            struct err err = {0};
            struct row_part got;
            int more;
            begin(&f, 400, TIE_BY_SEQUENCE, 4);
            fill(&f, 20, 100, 0);
            size_t fail_at = at < f.n_parts[input] ? at : f.n_parts[input];
            struct source *s = open_merge(&f, input, fail_at);
            while ((more = source_next(s, &got, &err)) == 1) {
            }
            assert_int_equal(more, -1);
            assert_string_equal(err.text, "planted");
            source_close(s);
            assert_int_equal(f.closed, 4);
            end(&f);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_inputs),
        cmocka_unit_test(test_wide_rows),
        cmocka_unit_test(test_large_values),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_untouched_parts_keep_their_shape),
        cmocka_unit_test(test_failing_input),
    };
    return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
