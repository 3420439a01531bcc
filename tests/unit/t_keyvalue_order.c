/* The order of cells: total, antisymmetric, transitive, and the one HBase has; and the names that HBase has
 * given it. */
#include "flat_cells.h"

#include "cell/keyvalue.h"
#include "hfile/trailer.h"

enum { CELLS = 160 };

static const enum tie_rule rules[] = {TIE_BY_SEQUENCE, TIE_BY_INPUT};

static int sign(int v) {
    return (v > 0) - (v < 0);
}

/* Few values per field, so that ties of all depths occur. */
static void make_cells(struct flat_pool *pool, uint64_t seed, struct cell *c) {
    static const uint8_t types[] = {CELL_MINIMUM, CELL_PUT, CELL_DELETE, CELL_DELETE_COLUMN, CELL_DELETE_FAMILY, CELL_MAXIMUM};
    static const int64_t stamps[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
    struct part_maker m = {.seed = seed, .pool = pool, .inputs = 3};
    for (size_t i = 0; i < CELLS; i++) {
        c[i] = (struct cell){.qualifier = maker_word(&m, 2), .ts_ms = stamps[flat_below(&m.seed, countof(stamps))]};
        if (flat_below(&m.seed, 2)) c[i].qualifier = bytes_str("q");
        if (flat_below(&m.seed, 2)) c[i].ts_ms = 5;
        c[i].type = types[flat_below(&m.seed, countof(types))];
        if (flat_below(&m.seed, 2)) c[i].type = CELL_PUT;
        c[i].seq = flat_below(&m.seed, 3) ? flat_below(&m.seed, 3) : UINT64_MAX;
        c[i].rank = rank_of((uint32_t)flat_below(&m.seed, 3), flat_below(&m.seed, 3));
        if (i % 10 == 9) c[i] = c[i - 1]; /* the same cell again */
    }
}

/* The order in words: qualifier up, timestamp down, type down, then who is newer. */
static int plain_cmp(const struct cell *a, const struct cell *b, enum tie_rule rule) {
    for (size_t i = 0;; i++) {
        if (i == a->qualifier.n && i == b->qualifier.n) break;
        if (i == a->qualifier.n) return -1;
        if (i == b->qualifier.n) return 1;
        if (a->qualifier.p[i] != b->qualifier.p[i]) return a->qualifier.p[i] < b->qualifier.p[i] ? -1 : 1;
    }
    __int128 down_a[5] = {a->ts_ms, a->type, rule == TIE_BY_INPUT ? a->rank >> 44 : 0, a->seq, a->rank};
    __int128 down_b[5] = {b->ts_ms, b->type, rule == TIE_BY_INPUT ? b->rank >> 44 : 0, b->seq, b->rank};
    for (int i = 0; i < 5; i++)
        if (down_a[i] != down_b[i]) return down_a[i] > down_b[i] ? -1 : 1;
    return 0;
}

static void test_laws(void **state) {
    (void)state;
    for (size_t r = 0; r < countof(rules); r++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct flat_pool pool = {0};
            struct cell c[CELLS];
            make_cells(&pool, seed, c);
            for (size_t i = 0; i < CELLS; i++)
                for (size_t j = 0; j < CELLS; j++) {
                    int ij = cell_cmp(&c[i], &c[j], rules[r]);
                    assert_int_equal(sign(ij), -sign(cell_cmp(&c[j], &c[i], rules[r])));
                    assert_int_equal(sign(ij), plain_cmp(&c[i], &c[j], rules[r]));
                    if (i == j) assert_int_equal(ij, 0);
                    if (ij > 0) continue;
                    for (size_t k = 0; k < CELLS; k++) {
                        int jk = cell_cmp(&c[j], &c[k], rules[r]);
                        if (jk > 0) continue;
                        int ik = cell_cmp(&c[i], &c[k], rules[r]);
                        assert_true(ij < 0 || jk < 0 ? ik < 0 : ik == 0);
                    }
                }
            flat_pool_free(&pool);
        }
}

/* cell_key_cmp says the same as the order of serialised keys. */
static void test_same_as_keys(void **state) {
    (void)state;
    struct flat_pool pool = {0};
    struct cell c[CELLS];
    make_cells(&pool, 9, c);
    for (size_t i = 0; i < CELLS; i++)
        for (size_t j = 0; j < CELLS; j++) {
            uint8_t ka[64], kb[64];
            struct kv_key a, b;
            struct bytes row = bytes_str("r"), family = bytes_str("f");
            uint8_t *ea = kv_put_key(ka, row, family, c[i].qualifier, c[i].ts_ms, c[i].type);
            uint8_t *eb = kv_put_key(kb, row, family, c[j].qualifier, c[j].ts_ms, c[j].type);
            assert_true(kv_key_parse(bytes_of(ka, (size_t)(ea - ka)), &a) && kv_key_parse(bytes_of(kb, (size_t)(eb - kb)), &b));
            assert_int_equal(sign(kv_key_cmp(&a, &b)), sign(cell_key_cmp(&c[i], &c[j])));
        }
    flat_pool_free(&pool);
}

static void test_prefix8(void **state) {
    (void)state;
    struct flat_pool pool = {0};
    struct part_maker m = {.seed = 3, .pool = &pool};
    assert_true(bytes_prefix8(bytes_str("abcdefgh!")) == 0x6162636465666768u);
    assert_true(bytes_prefix8(bytes_str("ab")) == 0x6162000000000000u);
    assert_true(bytes_prefix8(bytes_of(NULL, 0)) == 0);
    for (int i = 0; i < 20000; i++) {
        struct bytes a = maker_word(&m, 10), b = maker_word(&m, 10);
        if (bytes_prefix8(a) < bytes_prefix8(b)) assert_true(bytes_cmp(a, b) < 0);
        if (bytes_cmp(a, b) < 0) assert_true(bytes_prefix8(a) <= bytes_prefix8(b));
    }
    flat_pool_free(&pool);
}

static void test_ranks(void **state) {
    (void)state;
    assert_true(rank_of(0, RANK_POSITION_MAX) < rank_of(1, 0));
    assert_true(rank_of(RANK_INPUTS_MAX - 1, RANK_POSITION_MAX) == UINT64_MAX);
    assert_int_equal(rank_input(rank_of(RANK_INPUTS_MAX - 1, 0)), RANK_INPUTS_MAX - 1);
    assert_int_equal(rank_input(rank_of(7, UINT64_MAX)), 7); /* a position too large stays in its input */
}

static void comparator_names(void **state) {
    (void)state;
#define HBASE "org.apache.hadoop.hbase."
    static const struct {
        const char *name;
        enum comparator_kind kind;
    } all[] = {
        {HBASE "KeyValue$KVComparator", COMPARATOR_CELLS},
        {HBASE "KeyValue$KeyComparator", COMPARATOR_CELLS},
        {COMPARATOR_CELLS_NAME, COMPARATOR_CELLS},
        {HBASE "InnerStoreCellComparator", COMPARATOR_CELLS},
        {HBASE "CellComparatorImpl$MetaCellComparator", COMPARATOR_META},
        {HBASE "KeyValue$RootKeyComparator", COMPARATOR_META},
        {HBASE "KeyValue$RawBytesComparator", COMPARATOR_RAW},
        {HBASE "util.Bytes$ByteArrayComparator", COMPARATOR_RAW},
        {HBASE "KeyValue$KVComparator2", COMPARATOR_UNKNOWN},
        {HBASE "KeyValue$KVComparato", COMPARATOR_UNKNOWN},
        {"KeyValue$KVComparator", COMPARATOR_UNKNOWN},
        {HBASE, COMPARATOR_UNKNOWN},
        {"", COMPARATOR_UNKNOWN},
    };
    for (size_t i = 0; i < countof(all); i++) assert_int_equal(comparator_by_name(bytes_str(all[i].name)), all[i].kind);
    assert_int_equal(comparator_by_name(bytes_of(COMPARATOR_CELLS_NAME, sizeof COMPARATOR_CELLS_NAME)), COMPARATOR_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparator_names), cmocka_unit_test(test_laws),  cmocka_unit_test(test_same_as_keys),
        cmocka_unit_test(test_prefix8),     cmocka_unit_test(test_ranks),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
