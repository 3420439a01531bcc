/* KeyValue bytes and tags: written, read back, and hostile lengths. */
#include "flat_cells.h"

#include "base/bytes.h"
#include "cell/keyvalue.h"

static void test_bytes(void **state) {
    (void)state;
    static const uint8_t want[] = "\0\0\0\x13\0\0\0\3\0\3row\2cfqq\0\0\1\x8b\xcf\xe5\x68\0\4abc\0\4\0\2\x07z";
    struct row_part p = {.row = bytes_str("row"), .family = bytes_str("cf")};
    struct cell c = {.qualifier = bytes_str("qq"), .value = bytes_str("abc"), .ts_ms = 1700000000000, .type = CELL_PUT};
    uint8_t got[64];
    c.tags = bytes_of("\0\2\x07z", 4);
    assert_int_equal(kv_size(&p, &c, true), sizeof want - 1);
    memset(got, 0xee, sizeof got);
    assert_ptr_equal(kv_put(got, &p, &c, true), got + kv_size(&p, &c, true));
    assert_memory_equal(got, want, sizeof want - 1);
    assert_int_equal(got[sizeof want - 1], 0xee);
    assert_ptr_equal(kv_put(got, &p, &c, false), got + kv_size(&p, &c, true) - 6);
}

/* Writes and reads KeyValues in blocks of exactly their size. */
static void test_round_trip(void **state) {
    (void)state;
    struct flat_pool pool = {0};
    struct shape_set none = {0};
    struct part_maker m = {.seed = 2, .pool = &pool, .shapes = &none, .family = bytes_str("cf"), .inputs = 1, .value_max = 40};
    for (int i = 0; i < 3000; i++) {
        struct row_part p = maker_explicit(&m, maker_word(&m, 20), 1);
        const struct cell *c = &p.cells[0];
        for (int tags = 0; tags < 2; tags++) {
            size_t n = kv_size(&p, c, tags);
            uint8_t *b = malloc(n);
            struct kv_key k;
            assert_ptr_equal(kv_put(b, &p, c, tags), b + n);
            size_t key_n = be32(b), value_n = be32(b + 4);
            assert_int_equal(8 + key_n + value_n + (tags ? 2 + c->tags.n : 0), n);
            assert_true(kv_key_parse(bytes_of(b + 8, key_n), &k));
            assert_true(bytes_eq(k.row, p.row) && bytes_eq(k.family, p.family) && bytes_eq(k.qualifier, c->qualifier));
            assert_true(k.ts_ms == c->ts_ms && k.type == c->type);
            assert_true(bytes_eq(bytes_of(b + 8 + key_n, value_n), c->value));
            if (tags) {
                assert_int_equal(be16(b + n - c->tags.n - 2), c->tags.n);
                assert_true(bytes_eq(bytes_of(b + n - c->tags.n, c->tags.n), c->tags));
            }
            free(b);
        }
    }
    flat_pool_free(&pool);
}

/* Any bytes as a key: refused, or taken apart into pieces that make up the whole. */
static void test_hostile_keys(void **state) {
    (void)state;
    uint64_t seed = 4;
    int taken = 0;
    for (int i = 0; i < 200000; i++) {
        size_t n = flat_below(&seed, 40);
        uint8_t *b = malloc(n + !n);
        for (size_t k = 0; k < n; k++) b[k] = (uint8_t)(flat_below(&seed, 3) ? flat_below(&seed, 12) : flat_random(&seed));
        if (n && flat_below(&seed, 2)) b[0] = 0;
        struct kv_key key;
        if (kv_key_parse(bytes_of(b, n), &key)) {
            taken++;
            assert_ptr_equal(key.row.p, b + 2);
            assert_ptr_equal(key.family.p, b + 3 + key.row.n);
            assert_ptr_equal(key.qualifier.p, key.family.p + key.family.n);
            assert_int_equal(kv_key_size(key.row.n, key.family.n, key.qualifier.n), n);
        }
        free(b);
    }
    assert_in_range(taken, 1000, 199000);
}

static void test_key_limits(void **state) {
    (void)state;
    static uint8_t b[2 + 32768 + 1 + 127 + 9];
    struct kv_key k;
    put_be16(b, ROW_MAX_BYTES);
    assert_true(kv_key_parse(bytes_of(b, 2 + 32767 + 1 + 9), &k));
    assert_false(kv_key_parse(bytes_of(b, 2 + 32767 + 1 + 8), &k));
    put_be16(b, 32768); /* a negative length in Java */
    assert_false(kv_key_parse(bytes_of(b, sizeof b), &k));
    put_be16(b, 0);
    b[2] = 127;
    assert_true(kv_key_parse(bytes_of(b, 3 + 127 + 9), &k));
    assert_false(kv_key_parse(bytes_of(b, 3 + 126 + 9), &k));
    b[2] = 128;
    assert_false(kv_key_parse(bytes_of(b, sizeof b), &k));
    assert_false(kv_key_parse(bytes_of(NULL, 0), &k));
}

static void test_order_of_keys(void **state) {
    (void)state;
    static const struct kv_key ascending[] = {
        {{(const uint8_t *)"a", 1}, {(const uint8_t *)"f", 1}, {(const uint8_t *)"", 0}, 9, CELL_DELETE_FAMILY},
        {{(const uint8_t *)"a", 1}, {(const uint8_t *)"f", 1}, {(const uint8_t *)"", 0}, 9, CELL_PUT},
        {{(const uint8_t *)"a", 1}, {(const uint8_t *)"f", 1}, {(const uint8_t *)"", 0}, -9, CELL_MAXIMUM},
        {{(const uint8_t *)"a", 1}, {(const uint8_t *)"f", 1}, {(const uint8_t *)"q", 1}, INT64_MAX, CELL_PUT},
        {{(const uint8_t *)"a", 1}, {(const uint8_t *)"g", 1}, {(const uint8_t *)"", 0}, 1, CELL_PUT},
        {{(const uint8_t *)"a\0", 2}, {(const uint8_t *)"f", 1}, {(const uint8_t *)"", 0}, 1, CELL_PUT},
        {{(const uint8_t *)"\x80", 1}, {(const uint8_t *)"f", 1}, {(const uint8_t *)"", 0}, 1, CELL_PUT},
    };
    for (size_t i = 0; i < countof(ascending); i++)
        for (size_t j = 0; j < countof(ascending); j++) {
            int c = kv_key_cmp(&ascending[i], &ascending[j]);
            assert_int_equal((c > 0) - (c < 0), (i > j) - (i < j));
        }
}

static void test_tags(void **state) {
    (void)state;
    static const struct {
        const char *tags;
        size_t n;
        bool valid;
        int64_t ttl; /* -1: none */
    } cases[] = {
        {"", 0, true, -1},
        {"\0\x09\x08\0\0\0\0\0\0\0\x05", 11, true, 5},
        {"\0\x01\x05\0\x09\x08\0\0\0\0\0\0\0\x06", 14, true, 6},
        {"\0\x09\x08\0\0\0\0\0\0\0\x05\0\x09\x08\0\0\0\0\0\0\0\x07", 22, true, 5}, /* the first one counts */
        {"\0\x08\x08\0\0\0\0\0\0\x05", 10, true, -1},                              /* not eight bytes */
        {"\0\0", 2, false, -1},
        {"\0", 1, false, -1},
        {"\0\x02\x08", 3, false, -1},
        {"\xff\xff\x08\0\0\0\0\0\0\0\x05", 11, false, -1},
        {"\0\x09\x08\0\0\0\0\0\0\0\x05\0", 12, false, 5},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        uint8_t *b = malloc(cases[i].n + !cases[i].n);
        int64_t ttl = -1;
        memcpy(b, cases[i].tags, cases[i].n);
        assert_int_equal(tags_valid(bytes_of(b, cases[i].n)), cases[i].valid);
        assert_int_equal(cell_ttl_ms(bytes_of(b, cases[i].n), &ttl), cases[i].ttl >= 0);
        assert_int_equal(ttl, cases[i].ttl);
        assert_false(cell_has_other_tags(bytes_of(b, cases[i].n)));
        free(b);
    }
    assert_true(cell_has_other_tags(bytes_of("\0\x02\x02x", 4)) && cell_has_other_tags(bytes_of("\0\x01\x05\0\x01\x01", 6)));
    assert_false(cell_has_other_tags(bytes_of("\0\x01\x06\0\x02\x02", 6))); /* the second is cut off */
    uint8_t made[TTL_TAG_BYTES];
    int64_t ttl;
    cell_put_ttl_tag(made, INT64_MIN);
    assert_true(tags_valid(bytes_of(made, sizeof made)) && cell_ttl_ms(bytes_of(made, sizeof made), &ttl) && ttl == INT64_MIN);
}

static void test_types(void **state) {
    (void)state;
    int known = 0;
    for (unsigned t = 0; t < 600; t++) known += cell_type_known(t);
    assert_int_equal(known, 5);
    assert_true(cell_type_known(CELL_PUT) && cell_type_known(CELL_DELETE) && cell_type_known(CELL_DELETE_FAMILY));
    assert_true(cell_type_known(CELL_DELETE_COLUMN) && cell_type_known(CELL_DELETE_FAMILY_VERSION));
    assert_false(cell_type_known(256 + CELL_DELETE)); /* not cut to a byte before it is judged */
    assert_string_equal(cell_type_name(CELL_DELETE_FAMILY_VERSION), "DeleteFamilyVersion");
    assert_string_equal(cell_type_name(77), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),      cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_hostile_keys),
        cmocka_unit_test(test_key_limits), cmocka_unit_test(test_order_of_keys), cmocka_unit_test(test_tags),
        cmocka_unit_test(test_types),
    };
    return cmocka_run_group_tests_name("keyvalue", tests, NULL, NULL);
}
