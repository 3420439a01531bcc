/* Placement against real servers, the Java client's classes and naive models. t_placement_engine.c has whole tables. */
#include "placement_vectors.h"

/* ---- KEY ---- */

static void key_vectors(void **state) {
    (void)state;
    static const int counts[] = {3, 23, 97, 193, 389, 997};
    static const char *const prefixes[] = {"", ":substring(1,4)", ":substring(1,8)"};
    struct partitioning spec[3][6];
    struct placement *place[3][6];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 6; i++) {
            char text[60];
            snprintf(text, sizeof text, "key:%d%s", counts[i], prefixes[k]);
            spec[k][i] = spec_of(text);
            place[k][i] = place_by(&spec[k][i]);
        }
    struct tsv t = tsv_open(DIR "key_partition.tsv");
    struct buf key = {0};
    char got[16];
    int compared = 0, rejected = 0;
    while (tsv_next(&t)) {
        struct bytes b = unhex(t.field[1], &key);
        assert_int_equal(t.n, 23);
        for (int k = 0; k < 3; k++) {
            size_t cut = k == 0 || b.n < 4u * (unsigned)k ? b.n : 4u * (unsigned)k;
            assert_int_equal(placement_key_hash((struct bytes){b.p, cut}), strtoll(t.field[2 + 7 * k], NULL, 10));
            for (int i = 0; i < 6; i++, compared++) {
                const char *want = t.field[3 + 7 * k + i];
                if (strcmp(placed(place[k][i], b, got), want))
                    fail_msg("%s key:%d%s: %s, wanted %s", t.field[0], counts[i], prefixes[k], got, want);
                rejected += !strcmp(want, "REJECT");
                assert_false(placement_client_differs(place[k][i], b));
            }
        }
    }
    assert_int_equal(compared, 10908);
    assert_true(rejected >= 12);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 6; i++) {
            placement_free(place[k][i]);
            partitioning_free(&spec[k][i]);
        }
    buf_free(&key);
    free(t.text);
}

/* Values the server's own tests record. */
static void recorded_hashes(void **state) {
    (void)state;
    static const uint8_t null_cell[4] = {0}, one[8] = {1};
    assert_true(placement_key_hash(bytes_str("")) == 0);
    assert_true(llabs(placement_key_hash(bytes_str("abc"))) == 7148968302806999301);
    assert_true(llabs(placement_key_hash(bytes_of("abc\0\0\0\0\0\0\0", 10))) == 2123410362008674379);
    assert_true(llabs(placement_key_hash(bytes_of(null_cell, 4))) == 6960269033020761575);
    assert_true(llabs(placement_key_hash(bytes_of(one, 8))) == 8089716718896805586);
    assert_true(placement_key_hash(bytes_str("row-000001")) == -7112063464432027102);
    /* A chain: the whole hash of one column is the seed of the next. */
    assert_true(llabs((int64_t)murmur64a(null_cell, 4, murmur64a(one, 8, 0))) == 3042015303219230768);
}

/* K binary(N): the server pads with zeros before it hashes. */
static void padded_keys(void **state) {
    (void)state;
    struct partitioning p = spec_of("key:97"), sub = spec_of("key:97:substring(-3)");
    p.k_pad = sub.k_pad = 10;
    struct placement *pl = place_by(&p), *pl_sub = place_by(&sub);
    uint32_t index;
    assert_int_equal(placement_of(pl, bytes_str("abc"), &index), PLACE_OK);
    assert_int_equal(index, 2123410362008674379 % 97);
    assert_int_equal(placement_of(pl_sub, bytes_str("abc"), &index), PLACE_OK);
    assert_int_equal(index, llabs(placement_key_hash(bytes_of("\0\0\0", 3))) % 97);
    assert_int_equal(placement_of(pl, bytes_str("0123456789ab"), &index), PLACE_OK);
    assert_int_equal(index, llabs(placement_key_hash(bytes_str("0123456789ab"))) % 97);
    placement_free(pl);
    placement_free(pl_sub);
    partitioning_free(&p);
    partitioning_free(&sub);
}

/* ---- RANGE ---- */

static int unhex_list(char *list, struct partitioning *p) {
    struct buf raw = {0};
    char *save = NULL;
    uint32_t n = 0;
    *p = (struct partitioning){.kind = PARTITION_RANGE};
    p->bounds = calloc(64, sizeof *p->bounds);
    p->names = calloc(64, sizeof *p->names);
    for (char *s = strtok_r(list, ",", &save); s; s = strtok_r(NULL, ",", &save), n++) {
        p->names[n] = strdup(s);
        if (!strcmp(s, "MAX")) continue;
        struct bytes b = unhex(s, &raw);
        uint8_t *copy = malloc(b.n);
        memcpy(copy, b.p, b.n);
        p->bounds[n] = (struct bytes){copy, b.n};
    }
    p->count = n;
    buf_free(&raw);
    return (int)n;
}

static void range_vectors(void **state) {
    (void)state;
    struct tsv t = tsv_open(DIR "range_partition.tsv");
    struct partitioning p = {0};
    struct placement *pl = NULL;
    struct buf key = {0};
    char set[40] = "", got[16];
    int compared = 0, differ = 0;
    while (tsv_next(&t)) {
        assert_int_equal(t.n, 5);
        if (strcmp(set, t.field[0])) {
            placement_free(pl);
            partitioning_free(&p);
            snprintf(set, sizeof set, "%s", t.field[0]);
            assert_true(unhex_list(t.field[1], &p) >= 2);
            pl = place_by(&p);
        }
        struct bytes b = unhex(t.field[2], &key);
        if (strcmp(placed(pl, b, got), t.field[3])) fail_msg("line %u: %s, wanted %s", t.line, got, t.field[3]);
        bool want = strcmp(t.field[3], t.field[4]) != 0;
        if (placement_client_differs(pl, b) != want) fail_msg("line %u: client differs: %d", t.line, !want);
        compared++;
        differ += want;
    }
    assert_int_equal(compared, 450);
    assert_int_equal(differ, 119);
    placement_free(pl);
    partitioning_free(&p);
    buf_free(&key);
    free(t.text);
}

static uint64_t next_random(uint64_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Keys of few letters share long prefixes, so that many bounds have the same first 8 bytes; `common` of them are letters
 * that all bounds start with. */
static size_t random_key(uint64_t *s, size_t common, uint8_t out[24]) {
    static const uint8_t letters[] = {0, 1, 'a', 0xff};
    size_t n = common + next_random(s) % (24 - common);
    for (size_t i = 0; i < n; i++) out[i] = i < common ? 'm' : next_random(s) % 5 ? 0 : letters[next_random(s) % 4];
    return n;
}

static int compare_bounds(const void *a, const void *b) {
    return bytes_cmp(*(const struct bytes *)a, *(const struct bytes *)b);
}

static uint32_t random_bounds(uint64_t *s, size_t common, struct bytes bounds[200], const char *names[200]) {
    uint32_t n = 0, unique = 0;
    for (uint32_t want = 1 + next_random(s) % 199; n < want;) {
        uint8_t key[24];
        size_t len = random_key(s, common, key);
        if (!len) continue;
        uint8_t *copy = malloc(len);
        memcpy(copy, key, len);
        bounds[n++] = (struct bytes){copy, len};
    }
    qsort(bounds, n, sizeof *bounds, compare_bounds);
    for (uint32_t i = 0; i < n; i++) {
        if (unique && bytes_eq(bounds[unique - 1], bounds[i])) {
            free((void *)bounds[i].p);
        } else {
            names[unique] = "p";
            bounds[unique++] = bounds[i];
        }
    }
    return unique;
}

/* The search over prefixes against a walk over all bounds, with and without padding. */
static void range_naive(void **state) {
    (void)state;
    uint64_t seed = 88172645463325252;
    for (int round = 0; round < 60; round++) {
        struct bytes bounds[200];
        const char *names[200];
        size_t common = (size_t)round % 4 * 3;
        uint32_t n = random_bounds(&seed, common, bounds, names);
        uint32_t pad = round % 3 == 2 ? 24 : 0;
        struct partitioning p = {.kind = PARTITION_RANGE, .count = n, .bounds = bounds, .names = (char **)names, .k_pad = pad};
        struct placement *pl = place_by(&p);
        for (int i = 0; i < 500; i++) {
            uint8_t key[24] = {0};
            size_t len = random_key(&seed, i % 4 ? common : next_random(&seed) % (common + 1), key);
            struct bytes compared = {key, pad ? pad : len};
            uint32_t want = 0, index = UINT32_MAX;
            while (want < n && bytes_cmp(bounds[want], compared) <= 0) want++;
            enum place_result r = placement_of(pl, (struct bytes){key, len}, &index);
            assert_int_equal(r, want == n ? PLACE_NO_PARTITION : PLACE_OK);
            if (r == PLACE_OK) assert_int_equal(index, want);
        }
        placement_free(pl);
        for (uint32_t i = 0; i < n; i++) free((void *)bounds[i].p);
    }
}

/* ---- the rest of the interface ---- */

static void substrings(void **state) {
    (void)state;
    static const struct {
        const char *spec, *key, *part;
    } cases[] = {{"key:997:substr(1)", "abcdef", "abcdef"},
                 {"key:997:substr(3,2)", "abcdef", "cd"},
                 {"key:997:substr(3,99)", "abcdef", "cdef"},
                 {"key:997:substr(6)", "abcdef", "f"},
                 {"key:997:substr(7)", "abcdef", ""},
                 {"key:997:substr(-2)", "abcdef", "ef"},
                 {"key:997:substr(-6,2)", "abcdef", "ab"},
                 {"key:997:substr(-7,2)", "abcdef", ""},
                 {"key:997:substr(1,0)", "abcdef", ""},
                 {"key:997:substr(1,-1)", "abcdef", ""},
                 {"key:997:substr(1,4)", "", ""},
                 {"key:997:substr(-9223372036854775807,4)", "abc", ""},
                 {"key:997:substr(9223372036854775807,4)", "abc", ""},
                 {"key:997:substr(2,9223372036854775807)", "abc", "bc"}};
    struct partitioning whole = spec_of("key:997");
    struct placement *pl_whole = place_by(&whole);
    for (size_t i = 0; i < countof(cases); i++) {
        struct partitioning p = spec_of(cases[i].spec);
        struct placement *pl = place_by(&p);
        uint32_t got = UINT32_MAX, want = UINT32_MAX;
        assert_int_equal(placement_of(pl, bytes_str(cases[i].key), &got), PLACE_OK);
        assert_int_equal(placement_of(pl_whole, bytes_str(cases[i].part), &want), PLACE_OK);
        if (got != want) fail_msg("%s of %s: %u, wanted %u", cases[i].spec, cases[i].key, got, want);
        placement_free(pl);
        partitioning_free(&p);
    }
    placement_free(pl_whole);
    partitioning_free(&whole);
}

static void no_partitions(void **state) {
    (void)state;
    struct partitioning p = spec_of("none");
    struct placement *pl = place_by(&p);
    uint32_t index = 9;
    assert_int_equal(placement_of(pl, bytes_str("\xff"), &index), PLACE_OK);
    assert_int_equal(index, 0);
    assert_false(placement_client_differs(pl, bytes_str("\xff")));
    assert_non_null(strstr(placement_why(PLACE_HASH_MIN), "INT64_MIN"));
    assert_non_null(strstr(placement_why(PLACE_NO_PARTITION), "last RANGE bound"));
    placement_free(pl);
    placement_free(NULL);
    partitioning_free(&p);
    struct err err = {0};
    assert_null(placement_new(&p, &err));
    assert_int_equal(err.code, ERR_INTERNAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_vectors),   cmocka_unit_test(recorded_hashes), cmocka_unit_test(padded_keys),
        cmocka_unit_test(range_vectors), cmocka_unit_test(range_naive),     cmocka_unit_test(substrings),
        cmocka_unit_test(no_partitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
