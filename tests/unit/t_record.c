/* Records and shapes: what is put comes back, whatever the part, and never takes more than its bound. */
#include "flat_cells.h"

#include "sort/record.h"

struct fixture {
    struct flat_pool pool;
    struct shape_set shapes;
    struct part_maker m;
};

static void begin(struct fixture *f, uint64_t seed) {
    *f = (struct fixture){0};
    f->m = (struct part_maker){.seed = seed,
                               .pool = &f->pool,
                               .shapes = &f->shapes,
                               .family = bytes_str("f"),
                               .inputs = RANK_INPUTS_MAX,
                               .value_max = 300,
                               .explicit_percent = 50,
                               .cells_max = 20};
    maker_add_shapes(&f->m, false);
}

static void end(struct fixture *f) {
    flat_pool_free(&f->pool);
    shape_set_free(&f->shapes);
}

/* The cells of r in pieces: of so many cells, or until a piece has so many bytes. */
static void take_pieces(const uint8_t *r, const struct row_part *part, const struct shape_set *shapes, uint32_t most,
                        size_t bytes) {
    struct record_cells it;
    struct cell piece[8];
    uint32_t i = 0, n;
    record_cells_begin(&it, r, shapes);
    while (record_cells_left(&it) && (n = record_cells_take(&it, piece, most, bytes))) {
        size_t had = 0;
        assert_in_range(n, 1, most);
        for (uint32_t k = 0; k < n; k++, i++) {
            assert_true(i < part->n_cells && had < bytes);
            flat_expect_cell(&piece[k], &part->cells[i]);
            had += piece[k].value.n + piece[k].qualifier.n;
        }
        assert_true(n == most || had >= bytes || i == part->n_cells);
    }
    assert_int_equal(i, part->n_cells);
    assert_int_equal(record_cells_take(&it, piece, most, bytes), 0);
}

/* Writes a record into a block of exactly the bound, then into one of exactly the size. */
static void round_trip(const struct row_part *part, const struct shape_set *shapes) {
    size_t bound = record_bound(part, shapes);
    uint8_t *room = malloc(bound);
    assert_non_null(room);
    size_t n = record_put(room, part, shapes);
    assert_in_range(n, RECORD_HEAD_BYTES + part->row.n + 1, bound);
    uint8_t *r = malloc(n);
    assert_non_null(r);
    memcpy(r, room, n);
    free(room);
    assert_int_equal(record_size(r), n);
    assert_int_equal(record_shape(r), part->shape);
    assert_int_equal(record_first(r), part->first);
    assert_true(bytes_eq(record_row(r), part->row));
    assert_true(record_rank(r) == part->cells[0].rank);
    if (part->shape) assert_true(record_ts(r) == part->cells[0].ts_ms);
    assert_int_equal(record_has_ttl(r), part->shape && part->cells[0].tags.n);
    struct record_cells it;
    record_cells_begin(&it, r, shapes);
    for (uint32_t i = 0; i < part->n_cells; i++) {
        assert_true(record_cells_next(&it));
        flat_expect_cell(&it.cell, &part->cells[i]);
        if (part->shape) assert_ptr_equal(it.cell.qualifier.p, part->cells[i].qualifier.p);
    }
    assert_false(record_cells_next(&it));
    take_pieces(r, part, shapes, 1, SIZE_MAX);
    take_pieces(r, part, shapes, 3, SIZE_MAX);
    take_pieces(r, part, shapes, 8, 100);
    free(r);
}

static void test_random_parts(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 11);
    for (int i = 0; i < 4000; i++) {
        struct row_part p = maker_part(&f.m, maker_word(&f.m, 40));
        p.first = i % 3;
        round_trip(&p, &f.shapes);
    }
    end(&f);
}

/* Lengths around the steps of the 7-bit numbers, in both kinds of body. */
static void test_lengths(void **state) {
    (void)state;
    static const size_t lengths[] = {0, 1, 126, 127, 128, 129, 16382, 16383, 16384, (1 << 21) - 1, 1 << 21};
    struct fixture f;
    begin(&f, 12);
    for (size_t i = 0; i < countof(lengths); i++) {
        struct bytes big = bytes_of(flat_alloc(&f.pool, lengths[i]), lengths[i]);
        struct cell c = {
            .qualifier = shape_get(&f.shapes, 2)->qualifiers[0], .value = big, .ts_ms = 5, .rank = 9, .type = CELL_PUT};
        struct row_part p = {.row = bytes_str("r"), .family = f.m.family, .cells = &c, .n_cells = 1, .shape = 2};
        round_trip(&p, &f.shapes);
        p.shape = 0;
        round_trip(&p, &f.shapes);
        c.qualifier = big;
        c.tags = bytes_of(big.p, lengths[i] <= TAGS_MAX_BYTES ? lengths[i] : TAGS_MAX_BYTES);
        c.seq = UINT64_MAX >> (i * 5);
        round_trip(&p, &f.shapes);
    }
    end(&f);
}

static void test_extremes(void **state) {
    (void)state;
    static const int64_t stamps[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
    struct fixture f;
    begin(&f, 13);
    struct bytes longest = bytes_of(flat_alloc(&f.pool, ROW_MAX_BYTES), ROW_MAX_BYTES);
    for (size_t i = 0; i < countof(stamps); i++)
        for (int first = 0; first < 2; first++) {
            uint8_t tag[TTL_TAG_BYTES];
            cell_put_ttl_tag(tag, stamps[i]);
            struct cell c = {.ts_ms = stamps[i], .rank = UINT64_MAX, .seq = UINT64_MAX, .type = CELL_MAXIMUM};
            struct row_part p = {.row = longest, .family = f.m.family, .cells = &c, .n_cells = 1, .first = first};
            round_trip(&p, &f.shapes);
            p.row = bytes_of(longest.p, 0);
            round_trip(&p, &f.shapes);
            c = (struct cell){.ts_ms = stamps[i], .rank = 1, .tags = bytes_of(tag, sizeof tag), .type = CELL_PUT};
            c.qualifier = shape_get(&f.shapes, 1)->qualifiers[2]; /* the first two columns are absent */
            p.shape = 1;
            round_trip(&p, &f.shapes);
            p.row = longest;
            round_trip(&p, &f.shapes);
        }
    end(&f);
}

/* Every way in which a cell follows another: the same, one less, one more or far off, past the ends of the range. */
static void test_neighbours(void **state) {
    (void)state;
    static const uint64_t steps[] = {0, 1, UINT64_MAX, 2, 1u << 20}, starts[] = {0, 1, UINT64_MAX, 5000};
    struct fixture f;
    begin(&f, 14);
    for (size_t i = 0; i < countof(steps) * countof(starts); i++) {
        struct cell c[4];
        struct row_part p = {.row = bytes_str("r"), .family = f.m.family, .cells = c, .n_cells = countof(c)};
        for (size_t k = 0; k < countof(c); k++)
            c[k] = (struct cell){.rank = starts[i % 4] + k * steps[i / 4],
                                 .seq = starts[k] + i,
                                 .ts_ms = (int64_t)(starts[i % 4] - k / 2),
                                 .type = k % 2 ? CELL_PUT : CELL_DELETE,
                                 .tags = bytes_of("\0\2\7x", k == 2 ? 4 : 0)};
        round_trip(&p, &f.shapes);
    }
    end(&f);
}

/* Cells of a store file: flags and two lengths each, but for the first one's timestamp and sequence id. */
static void test_store_file_cells_are_small(void **state) {
    (void)state;
    struct fixture f;
    uint8_t room[1000];
    struct cell c[10];
    struct row_part p = {.row = bytes_str("row"), .family = bytes_str("f"), .cells = c, .n_cells = countof(c)};
    begin(&f, 15);
    for (size_t k = 0; k < countof(c); k++)
        c[k] = (struct cell){
            .qualifier = bytes_str("q"), .value = bytes_str("v"), .rank = 5000 - k, .seq = 100, .ts_ms = 7, .type = CELL_PUT};
    assert_int_equal(record_put(room, &p, &f.shapes), RECORD_HEAD_BYTES + 3 + 8 + 1 + countof(c) * 5);
    round_trip(&p, &f.shapes);
    end(&f);
}

static void test_shapes_are_interned(void **state) {
    (void)state;
    struct shape_set s = {0};
    struct err err = {0};
    struct bytes q[] = {bytes_str(""), bytes_str("ab"), bytes_str("ab")},
                 other[] = {bytes_str(""), bytes_str("a"), bytes_str("bab")};
    uint32_t a, b, c, d;
    assert_int_equal(shape_add(&s, bytes_str("f"), q, 3, &a, &err), 0);
    assert_int_equal(shape_add(&s, bytes_str("f"), q, 3, &b, &err), 0);
    assert_int_equal(shape_add(&s, bytes_str("g"), q, 3, &c, &err), 0);
    assert_int_equal(shape_add(&s, bytes_str("f"), other, 3, &d, &err), 0);
    assert_int_equal(a, b);
    assert_true(a != c && a != d && c != d);
    const struct shape *x = shape_get(&s, a);
    assert_true(x->repeats && !shape_get(&s, d)->repeats);
    assert_true(x->qualifiers[0].p != x->qualifiers[1].p && x->qualifiers[1].p != x->qualifiers[2].p);
    assert_true(bytes_eq(x->family, bytes_str("f")) && bytes_eq(x->qualifiers[2], q[2]));
    assert_ptr_not_equal(x->qualifiers[1].p, q[1].p); /* names are copied */
    shape_set_free(&s);
}

static void test_too_many_shapes(void **state) {
    (void)state;
    struct shape_set s = {0};
    struct err err = {0};
    struct bytes q[] = {bytes_str("a"), bytes_str("b"), bytes_str("c")};
    uint32_t id = 0;
    assert_int_equal(shape_add(&s, bytes_str("f"), &q[0], 1, &id, &err), 0);
    for (uint32_t i = 1; i < SHAPES_MAX - 1; i++) s.shapes[i] = s.shapes[0]; /* planted: adding so many takes long */
    s.n = SHAPES_MAX - 1;
    assert_int_equal(shape_add(&s, bytes_str("f"), &q[1], 1, &id, &err), 0);
    assert_int_equal(id, SHAPES_MAX);
    assert_int_equal(shape_add(&s, bytes_str("f"), &q[2], 1, &id, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(shape_add(&s, bytes_str("f"), &q[1], 1, &id, &err), 0);
    assert_int_equal(id, SHAPES_MAX);
    s.shapes[1] = s.shapes[SHAPES_MAX - 1];
    s.n = 2;
    shape_set_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_parts),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_store_file_cells_are_small),
        cmocka_unit_test(test_shapes_are_interned),
        cmocka_unit_test(test_too_many_shapes),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
