/* Cells that repeat the key before them: what is summed up of their places is the same however the cells are cut into parts, and
 * another one if two of them change places; where a file does not say in which order its side has them, that is reported. */
#include "cell/keyvalue.h"
#include "cmd/verify/diff/diff_sums.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { CELLS = 6 };

struct made {
    struct cell cells[CELLS];
    struct buf scratch;
    bool in_order;
};

/* Columns a, b, b, b, c, c; each cell has its own value. */
static struct made make(void) {
    static const char *const qualifiers[CELLS] = {"a", "b", "b", "b", "c", "c"};
    static const char *const values[CELLS] = {"0", "1", "2", "3", "4", "5"};
    struct made m = {.in_order = true};
    for (unsigned i = 0; i < CELLS; i++)
        m.cells[i] = (struct cell){.qualifier = bytes_str(qualifiers[i]),
                                   .value = bytes_str(values[i]),
                                   .ts_ms = 7,
                                   .type = CELL_PUT,
                                   .rank = rank_of(0, 100 - i)};
    return m;
}

static void swap_values(struct made *m, unsigned i, unsigned k) {
    struct bytes value = m->cells[i].value;
    m->cells[i].value = m->cells[k].value;
    m->cells[k].value = value;
}

/* All cells as parts of one row, cut after so many cells. */
static struct repeats repeats_of(struct made *m, unsigned cut) {
    struct err err = {0};
    struct last_key key = {0};
    struct repeats sum = {0}, one;
    const struct repeats_of of = {.scratch = &m->scratch, .row_hash = 5, .family = 2, .in_order = m->in_order};
    for (unsigned i = 0, n; i < CELLS; i += n) {
        n = i + cut < CELLS ? cut : CELLS - i;
        struct row_part part = {.row = bytes_str("r"), .family = bytes_str("f"), .cells = m->cells + i, .n_cells = n};
        assert_int_equal(last_key_repeats(&key, &of, &part, &one, &err), 0);
        sum.order += one.order;
        sum.unsure = sum.unsure || one.unsure;
    }
    buf_free(&m->scratch);
    return sum;
}

static void order_is_summed_up(void **state) {
    (void)state;
    struct made m = make();
    struct repeats whole = repeats_of(&m, CELLS);
    assert_true(whole.order != 0 && !whole.unsure);
    for (unsigned cut = 1; cut < CELLS; cut++) {
        struct repeats r = repeats_of(&m, cut);
        assert_true(r.order == whole.order && !r.unsure);
    }
}

static void other_orders_differ(void **state) {
    (void)state;
    static const unsigned pairs[][2] = {{1, 2}, {1, 3}, {2, 3}, {4, 5}};
    struct made m = make();
    uint64_t order = repeats_of(&m, CELLS).order;
    for (unsigned i = 0; i < countof(pairs); i++) {
        swap_values(&m, pairs[i][0], pairs[i][1]);
        assert_true(repeats_of(&m, CELLS).order != order);
        swap_values(&m, pairs[i][0], pairs[i][1]);
    }
    assert_true(repeats_of(&m, CELLS).order == order);
}

static void no_repeats(void **state) {
    (void)state;
    struct made m = make();
    for (unsigned i = 0; i < CELLS; i++) m.cells[i].ts_ms = (int64_t)(100 - i);
    m.in_order = false;
    struct repeats r = repeats_of(&m, 2);
    assert_true(r.order == 0 && !r.unsure);
}

static void unsure_orders(void **state) {
    (void)state;
    for (unsigned cut = 1; cut <= CELLS; cut++) {
        struct made unordered = make(), rising = make(), files = make();
        unordered.in_order = false;
        assert_true(repeats_of(&unordered, cut).unsure);
        rising.cells[3].seq = 9; /* it is the newest one, wherever it is */
        assert_true(repeats_of(&rising, cut).unsure);
        rising.cells[1].seq = rising.cells[2].seq = 9;
        assert_false(repeats_of(&rising, cut).unsure);
        if (cut > 1) continue;
        files.cells[2].rank = rank_of(1, 98);
        assert_true(repeats_of(&files, cut).unsure);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(order_is_summed_up), cmocka_unit_test(other_orders_differ),
                                       cmocka_unit_test(no_repeats), cmocka_unit_test(unsure_orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
