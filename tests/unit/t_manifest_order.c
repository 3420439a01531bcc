/* The order of files, and a search in it that finds what a pass over all finds: random lists with gaps, several files of a
 * partition, and lists in no order. */
#include "dataset/manifest_order.h"
#include "flat_cells.h"

#include <stdio.h>

enum { CASES = 300, FAMILIES = 3, PARTITIONS = 12 };

static void make_files(struct manifest *m, uint64_t *s) {
    struct err err = {0};
    *m = (struct manifest){0};
    for (uint64_t n = flat_below(s, 40); n; n--) {
        const struct manifest_file f = {.family = (uint32_t)flat_below(s, FAMILIES),
                                        .partition = (uint32_t)flat_below(s, PARTITIONS),
                                        .number = (uint32_t)flat_below(s, 3)};
        assert_int_equal(manifest_add_file(m, &f, &err), 0);
    }
}

static bool ascends(const struct manifest *m) {
    for (size_t i = 1; i < m->n_files; i++) {
        const struct manifest_file *a = &m->files[i - 1], *b = &m->files[i];
        const uint64_t x = (uint64_t)a->family << 48 | (uint64_t)a->partition << 24 | a->number;
        if (x > ((uint64_t)b->family << 48 | (uint64_t)b->partition << 24 | b->number)) return false;
    }
    return true;
}

static void check_finds(const struct manifest *m, bool in_order) {
    size_t first, end;
    for (uint32_t f = 0; f < FAMILIES + 1; f++)
        for (uint32_t p = 0; p < PARTITIONS + 1; p++) {
            size_t all = 0, within = 0;
            manifest_order_find(m, in_order, (int)f, p, &first, &end);
            assert_true(first <= end && end <= m->n_files);
            for (size_t i = 0; i < m->n_files; i++) {
                const bool is = m->files[i].family == f && m->files[i].partition == p;
                all += is;
                within += is && i >= first && i < end;
            }
            assert_int_equal(within, all);
            if (in_order) assert_int_equal(end - first, all);
        }
    manifest_order_find(m, in_order, -1, 0, &first, &end);
    assert_int_equal(first, end);
}

static void test_order(void **state) {
    (void)state;
    uint64_t s = 4;
    unsigned unordered = 0;
    for (unsigned i = 0; i < CASES; i++) {
        struct manifest m;
        make_files(&m, &s);
        assert_int_equal(manifest_order_is(&m), ascends(&m));
        unordered += !manifest_order_is(&m);
        check_finds(&m, manifest_order_is(&m));
        manifest_order_make(&m);
        assert_true(ascends(&m) && manifest_order_is(&m));
        check_finds(&m, true);
        manifest_free(&m);
    }
    assert_true(unordered > CASES / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
