/* Gathering and sorted buckets: whatever goes in from any thread comes out as the plain sort of all cells. */
#include "flat_cells.h"

#include "sort/gather_put.h"
#include "sort/gather_state.h"
#include "sort/record.h"
#include "sort/sorted.h"

enum { BUCKETS = 5, THREADS = 3 };

struct fixture {
    struct flat_pool pool;
    struct shape_set shapes;
    struct part_maker m;
    struct gather *g;
    struct flat_cells want[BUCKETS];
};

static void begin(struct fixture *f, uint64_t seed, enum tie_rule tie, size_t memory_bytes) {
    struct err err = {0};
    *f = (struct fixture){0};
    f->m = (struct part_maker){.seed = seed,
                               .pool = &f->pool,
                               .shapes = &f->shapes,
                               .family = bytes_str("f"),
                               .tie = tie,
                               .inputs = 3,
                               .value_max = 20,
                               .explicit_percent = 30,
                               .cells_max = 8};
    maker_add_shapes(&f->m, true);
    struct gather_opts o = {.buckets = BUCKETS, .threads = THREADS, .memory_bytes = memory_bytes, .shapes = &f->shapes};
    f->g = gather_new(&o, &err);
    assert_string_equal(err.text, "");
    assert_non_null(f->g);
    for (int b = 0; b < BUCKETS; b++) f->want[b].pool = &f->pool;
}

static void end(struct fixture *f) {
    gather_free(f->g);
    for (int b = 0; b < BUCKETS; b++) flat_free(&f->want[b]);
    flat_pool_free(&f->pool);
    shape_set_free(&f->shapes);
}

/* Empties the gather and the expectations for the next round. */
static void reset(struct fixture *f) {
    gather_reset(f->g);
    for (uint32_t b = 0; b < BUCKETS; b++) {
        assert_int_equal(gather_records(f->g, b), 0);
        assert_int_equal(gather_bytes(f->g, b), 0);
        flat_free(&f->want[b]);
        f->want[b].pool = &f->pool;
    }
}

static void put(struct fixture *f, uint32_t bucket, const struct row_part *part) {
    struct err err = {0};
    unsigned thread = (unsigned)flat_below(&f->m.seed, THREADS);
    assert_int_equal(gather_put(f->g, thread, bucket, part, &err), 0);
    flat_add(&f->want[bucket], part);
}

static void expect_bucket(struct fixture *f, uint32_t bucket) {
    struct err err = {0};
    struct flat_cells got = {.pool = &f->pool};
    size_t n = gather_records(f->g, bucket);
    struct sort_entry *e = malloc((2 * n + 1) * sizeof *e);
    assert_non_null(e);
    gather_sorted(f->g, bucket, f->m.tie, e);
    struct source *s = segment_open(e, n, &f->shapes, f->m.family, f->m.tie, &err);
    assert_non_null(s);
    flat_drain(s, f->m.family, &f->shapes, f->m.tie, &got);
    source_close(s);
    free(e);
    flat_sort(&f->want[bucket], f->m.tie);
    flat_expect_equal(&got, &f->want[bucket]);
    flat_free(&got);
}

static void expect_all(struct fixture *f) {
    for (uint32_t b = 0; b < BUCKETS; b++) expect_bucket(f, b);
}

static void random_records(uint64_t seed, enum tie_rule tie, size_t records, size_t row_max, unsigned explicit_percent) {
    struct fixture f;
    begin(&f, seed, tie, 8 << 20);
    f.m.explicit_percent = explicit_percent;
    for (size_t i = 0; i < records; i++) {
        struct row_part p = maker_part(&f.m, maker_word(&f.m, row_max));
        put(&f, (uint32_t)flat_below(&f.m.seed, BUCKETS - 1), &p); /* the last bucket stays empty */
    }
    expect_all(&f);
    end(&f);
}

static void test_random_records(void **state) {
    (void)state;
    static const unsigned percents[] = {0, 30, 100};
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (size_t k = 0; k < countof(percents); k++) {
            enum tie_rule tie = seed % 2 ? TIE_BY_INPUT : TIE_BY_SEQUENCE;
            random_records(seed, tie, seed * 100, 2, percents[k]);       /* many records a row */
            random_records(seed + 50, tie, seed * 100, 12, percents[k]); /* mostly one */
        }
}

/* Parts of one input are in cell order already and follow one another: one lane serves them all. */
static void test_hot_rows(void **state) {
    (void)state;
    static const unsigned percents[] = {0, 50, 100};
    for (size_t k = 0; k < countof(percents); k++) {
        struct fixture f;
        begin(&f, 70 + k, TIE_BY_SEQUENCE, 32 << 20);
        f.m.explicit_percent = percents[k];
        for (size_t i = 0; i < 6000; i++) {
            struct row_part p = maker_part(&f.m, bytes_str(i % 3 ? "hot" : "warm"));
            put(&f, 0, &p);
        }
        expect_all(&f);
        end(&f);
    }
}

/* A row in order, cut into records of which none overlaps another, put in random order. */
static void test_row_cut_in_records(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 80, TIE_BY_SEQUENCE, 32 << 20);
    struct row_part all = maker_explicit(&f.m, bytes_str("row"), 5000), parts[5000];
    size_t n = 0;
    for (uint32_t i = 0, k; i < all.n_cells; i += k) {
        k = 1 + (uint32_t)flat_below(&f.m.seed, 40);
        if (k > all.n_cells - i) k = all.n_cells - i;
        parts[n] = all;
        parts[n].cells = all.cells + i;
        parts[n++].n_cells = k;
    }
    for (size_t i = n; i > 0; i--) {
        size_t j = flat_below(&f.m.seed, i);
        put(&f, 1, &parts[j]);
        parts[j] = parts[i - 1];
    }
    expect_all(&f);
    end(&f);
}

/* One record far above the limits of a part: 3,000 columns of a shape; 40 cells of 100 KB. */
static void test_wide_records(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f, 90, TIE_BY_SEQUENCE, 64 << 20);
    struct bytes *q = flat_alloc(&f.pool, 3000 * sizeof *q);
    for (uint32_t i = 0; i < 3000; i++) {
        uint8_t name[2] = {(uint8_t)(i >> 8), (uint8_t)i};
        q[i] = flat_copy(&f.pool, bytes_of(name, 2));
    }
    uint32_t id;
    assert_int_equal(shape_add(&f.shapes, f.m.family, q, 3000, &id, &err), 0);
    for (int i = 0; i < 8; i++) {
        struct row_part p = maker_shaped(&f.m, bytes_str(i < 5 ? "one of five" : i < 6 ? "single" : "pair"), id);
        put(&f, 0, &p);
    }
    f.m.value_max = 100000;
    for (int i = 0; i < 4; i++) {
        struct row_part p = maker_explicit(&f.m, bytes_str(i < 2 ? "big" : i < 3 ? "single big" : "one of five"), 40);
        put(&f, 0, &p);
    }
    expect_all(&f);
    end(&f);
}

static void test_whole_shape_stays_one(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    struct row_part got;
    begin(&f, 95, TIE_BY_SEQUENCE, 8 << 20);
    struct row_part p = maker_shaped(&f.m, bytes_str("a"), 1), repeats = maker_shaped(&f.m, bytes_str("b"), 4);
    put(&f, 0, &repeats);
    put(&f, 0, &p);
    struct sort_entry e[4];
    gather_sorted(f.g, 0, TIE_BY_SEQUENCE, e);
    struct source *s = segment_open(e, 2, &f.shapes, f.m.family, TIE_BY_SEQUENCE, &err);
    assert_int_equal(source_next(s, &got, &err), 1);
    assert_int_equal(got.shape, 1); /* its cells can be written again without their names */
    assert_int_equal(source_next(s, &got, &err), 1);
    assert_int_equal(got.shape, 0); /* equal qualifiers: cell by cell */
    assert_int_equal(got.n_cells, repeats.n_cells);
    assert_int_equal(source_next(s, &got, &err), 0);
    assert_int_equal(source_next(s, &got, &err), 0); /* the end stays the end */
    source_close(s);
    end(&f);
}

static void test_rounds(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 100, TIE_BY_INPUT, 512 * 1024);
    for (int round = 0; round < 4; round++) {
        uint64_t records = 0, bytes = 0, in_buckets = 0;
        assert_true(gather_empty(f.g));
        while (!gather_full(f.g)) {
            struct row_part p = maker_part(&f.m, maker_word(&f.m, 6));
            put(&f, (uint32_t)flat_below(&f.m.seed, BUCKETS), &p);
            records++;
        }
        for (uint32_t b = 0; b < BUCKETS; b++) {
            in_buckets += gather_records(f.g, b);
            bytes += gather_bytes(f.g, b);
        }
        assert_int_equal(in_buckets, records);
        assert_in_range(bytes, 512 * 1024 / 4, 512 * 1024);
        assert_false(gather_empty(f.g));
        expect_all(&f);
        reset(&f);
    }
    end(&f);
}

/* Rows with long common prefixes in each thread's pile, and different ones between them. */
static void test_common_prefixes(void **state) {
    (void)state;
    for (uint64_t seed = 110; seed < 130; seed++) {
        struct fixture f;
        begin(&f, seed, TIE_BY_SEQUENCE, 8 << 20);
        size_t head = flat_below(&f.m.seed, 40);
        for (size_t i = 0; i < 300; i++) {
            uint8_t row[100];
            memset(row, 'p', sizeof row);
            size_t n = head + (seed % 2 ? 12 : flat_below(&f.m.seed, 30)); /* of one length, or of many */
            if (n > head && flat_below(&f.m.seed, 2))
                row[head + flat_below(&f.m.seed, n - head)] = (uint8_t)flat_random(&f.m.seed);
            struct row_part p = maker_part(&f.m, bytes_of(row, n));
            p.row = flat_copy(&f.pool, p.row);
            put(&f, 2, &p);
        }
        expect_all(&f);
        end(&f);
    }
}

/* Two buckets that are large beside the others are divided into ranges of rows; other rows come later than those that the ranges
 * were chosen by. */
static void test_ranges(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 140, TIE_BY_SEQUENCE, 64 << 20);
    f.m.value_max = 800;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < 6000; i++) {
            struct row_part p = maker_part(&f.m, maker_word(&f.m, i % 3 ? 12 : 2));
            uint8_t row[20] = {0};
            memcpy(row, i < 5000 ? "user" : i % 2 ? "tail" : "zero", 4);
            memcpy(row + 4, p.row.p, p.row.n);
            p.row = flat_copy(&f.pool, bytes_of(row, 4 + p.row.n));
            put(&f, i % 32 ? (uint32_t)i % 2 : 2 + (uint32_t)i / 32 % 3, &p);
        }
        assert_non_null(f.g->divisions);
        assert_int_equal(f.g->divisions->n, 2);
        assert_true(divided_at(f.g->divisions, 0)->ranges->n > 4);
        assert_null(divided_at(f.g->divisions, 4));
        expect_all(&f);
        reset(&f);
    }
    end(&f);
}

static void test_too_many_buckets(void **state) {
    (void)state;
    struct shape_set shapes = {0};
    struct err err = {0};
    struct gather_opts o = {.buckets = 8192, .threads = 16, .memory_bytes = 16 << 20, .shapes = &shapes};
    assert_null(gather_new(&o, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_string_equal(err.text, "8192 partitions x families with 16 threads need 257 MB of memory for gathering, 16 MB are "
                                  "left of --memory; give more --memory, or fewer --threads");
    err = (struct err){0};
    o.memory_bytes = 257 << 20;
    struct gather *g = gather_new(&o, &err);
    assert_string_equal(err.text, "");
    gather_free(g);
}

/* Buckets that nobody knew of share the memory from when they are put into. */
static void test_unknown_buckets(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    begin(&f, 90, TIE_BY_SEQUENCE, 1 << 20);
    struct gather_opts o = {.buckets = 8192, .known = 1, .threads = 16, .memory_bytes = 16 << 20, .shapes = &f.shapes};
    struct gather *g = gather_new(&o, &err);
    struct row_part p = maker_part(&f.m, bytes_str("row"));
    assert_int_equal(gather_buckets(g), 1);
    assert_int_equal(gather_put(g, 3, 5, &p, &err), 0);
    assert_int_equal(gather_put(g, 3, 2, &p, &err), 0);
    assert_int_equal(gather_buckets(g), 6);
    assert_int_equal(gather_records(g, 5), 1);
    gather_reset(g);
    assert_int_equal(gather_records(g, 5), 0);
    assert_int_equal(gather_put(g, 3, 8191, &p, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_string_equal(err.text, "8192 partitions x families with 16 threads need 257 MB of memory for gathering, 16 MB are "
                                  "left of --memory; give more --memory, or fewer --threads");
    gather_free(g);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_records),        cmocka_unit_test(test_hot_rows),
        cmocka_unit_test(test_row_cut_in_records),    cmocka_unit_test(test_wide_records),
        cmocka_unit_test(test_whole_shape_stays_one), cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_common_prefixes),       cmocka_unit_test(test_too_many_buckets),
        cmocka_unit_test(test_unknown_buckets),       cmocka_unit_test(test_ranges),
    };
    return cmocka_run_group_tests_name("segment", tests, NULL, NULL);
}
