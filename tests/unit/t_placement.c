/* Placement against what real servers did, against the Java client's classes, and against naive models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/hash.h"
#include "table/bounds.h"
#include "table/placement.h"

#include <stdio.h>
#include <stdlib.h>

#define DIR "tests/data/vectors/"
enum { FIELDS_MAX = 32 };

/* ---- reading the vectors ---- */

struct tsv {
    char *text, *at;
    uint32_t line;
    char *field[FIELDS_MAX];
    int n;
};

static struct tsv tsv_open(const char *path) {
    struct err err = {0};
    size_t n;
    struct tsv t = {.text = fs_read_text(path, 1 << 24, &n, &err)};
    if (!t.text) fail_msg("%s", err.text);
    t.at = t.text;
    return t;
}

static bool tsv_next(struct tsv *t) {
    for (;;) {
        char *line = t->at, *nl = strchr(line, '\n');
        if (!*line) return false;
        t->at = nl ? nl + 1 : line + strlen(line);
        if (nl) *nl = 0;
        t->line++;
        if (*line == '#' || !*line) continue;
        t->n = 0;
        for (char *tab; t->n < FIELDS_MAX && line; line = tab) {
            t->field[t->n++] = line;
            tab = strchr(line, '\t');
            if (tab) *tab++ = 0;
        }
        return true;
    }
}

static struct bytes unhex(const char *hex, struct buf *out) {
    struct err err = {0};
    buf_clear(out);
    assert_int_equal(bound_code_unhex(bytes_str(hex), out, &err), 0);
    return (struct bytes){out->p ? out->p : (const uint8_t *)"", out->n};
}

static struct placement *place_by(const struct partitioning *p) {
    struct err err = {0};
    struct placement *pl = placement_new(p, &err);
    if (!pl) fail_msg("%s", err.text);
    assert_int_equal(placement_count(pl), p->count);
    return pl;
}

/* The index as the vectors write it. */
static const char *placed(const struct placement *p, struct bytes key, char out[16]) {
    uint32_t index = UINT32_MAX;
    switch (placement_of(p, key, &index)) {
    case PLACE_OK: snprintf(out, 16, "%u", (unsigned)index); break;
    case PLACE_HASH_MIN: snprintf(out, 16, "REJECT"); break;
    default: snprintf(out, 16, "NONE");
    }
    return out;
}

static struct partitioning spec_of(const char *spec) {
    struct partitioning p;
    struct buf warnings = {0};
    struct err err = {0};
    if (partitioning_parse(spec, &p, &warnings, &err)) fail_msg("%s", err.text);
    buf_free(&warnings);
    return p;
}

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

/* ---- everything a real engine placed ---- */

struct engine_shape {
    const char *name;
    int rows;
    struct table table;
    struct placement *place;
};

static void load_shape(char *sql, struct engine_shape *s) {
    char where[80], *text, *end;
    struct err err = {0};
    snprintf(where, sizeof where, "-- shape: %s\n", s->name);
    text = strstr(sql, where);
    assert_non_null(text);
    text += strlen(where);
    end = strstr(text, "-- shape:");
    int rc = ddl_parse(s->name, text, end ? (size_t)(end - text) : strlen(text), &s->table, &err);
    if (rc) fail_msg("%s", err.text);
    s->place = place_by(&s->table.partitioning);
}

/* By cell, and by row where that is enough: both must agree. */
static void place_cell(const struct tsv *t, const struct engine_shape *s, struct buf *key, char got[16]) {
    struct buf qualifier = {0};
    struct bytes row = unhex(t->field[1], key);
    struct cell c = {.qualifier = unhex(t->field[2], &qualifier), .ts_ms = -strtoll(t->field[3], NULL, 10), .type = CELL_PUT};
    uint32_t index = UINT32_MAX;
    enum place_result r = placement_of_cell(s->place, row, &c, &index);
    snprintf(got, 16, "%u", (unsigned)index);
    if (r != PLACE_OK) snprintf(got, 16, r == PLACE_HASH_MIN ? "REJECT" : "NONE");
    char by_row[16];
    if (!placement_splits_rows(s->place)) assert_string_equal(placed(s->place, row, by_row), got);
    struct row_part part = {.row = row, .cells = &c, .n_cells = 1};
    uint32_t n;
    assert_int_equal(placement_run(s->place, &part, 0, &n, &index), r);
    assert_int_equal(n, 1);
    buf_free(&qualifier);
}

static void check_row(const struct tsv *t, const struct engine_shape *s, struct buf *key) {
    char got[16];
    place_cell(t, s, key, got);
    if (!strcmp(t->field[4], "REJECT")) {
        const char *want = strcmp(t->field[5], "error 4016") ? "NONE" : "REJECT";
        if (strcmp(got, want)) fail_msg("line %u: %s, wanted %s", t->line, got, want);
        return;
    }
    bool is_list = s->table.partitioning.kind == PARTITION_LIST; /* the engine orders its partitions: names count */
    if (!is_list && strcmp(got, t->field[4])) fail_msg("%s line %u: %s, wanted %s", s->name, t->line, got, t->field[4]);
    assert_string_equal(s->table.partitioning.names[atoi(got)], t->field[5]);
}

static void engine_vectors(void **state) {
    (void)state;
    struct engine_shape shapes[] = {
        {.name = "key_k_97"},
        {.name = "key_k_64"},
        {.name = "key_k_2"},
        {.name = "key_k_1"},
        {.name = "key_k_1009"},
        {.name = "key_named_5"},
        {.name = "keypfx_substring_1_4_31"},
        {.name = "keypfx_SUBSTR_3_2_193"},
        {.name = "keypfx_substr_m3_16"},
        {.name = "range_k_max"},
        {.name = "range_k_utf8_nomax"},
        {.name = "keypfx_substring_index_dot_23"},
        {.name = "key_k_q_11"},
        {.name = "key_implicit_13"},
        {.name = "range_k_sub_keypfx_5"},
        {.name = "key_k_7_sub_range_g"},
        {.name = "range_g_sub_key_k_3"},
        {.name = "keypfx_4_sub_key_k_3"},
        {.name = "range_g_sub_range_k"},
        {.name = "list_pfx1_default"},
        {.name = "list_pfx1_nodefault"},
    };
    struct err err = {0};
    struct buf key = {0};
    size_t n;
    char *sql = fs_read_text(DIR "partition_engine_shapes.sql", 1 << 20, &n, &err);
    assert_non_null(sql);
    for (size_t i = 0; i < countof(shapes); i++) load_shape(sql, &shapes[i]);
    struct tsv t = tsv_open(DIR "partition_engine.tsv");
    int compared = 0;
    while (tsv_next(&t)) {
        struct engine_shape *s = NULL;
        assert_int_equal(t.n, 6);
        for (size_t i = 0; i < countof(shapes) && !s; i++)
            if (!strcmp(shapes[i].name, t.field[0])) s = &shapes[i];
        assert_non_null(s);
        s->rows++;
        check_row(&t, s, &key);
        compared++;
    }
    for (size_t i = 0; i < countof(shapes); i++) {
        if (shapes[i].rows < 800) fail_msg("%s: only %d rows", shapes[i].name, shapes[i].rows);
        placement_free(shapes[i].place);
        table_free(&shapes[i].table);
    }
    assert_true(compared > 17000);
    buf_free(&key);
    free(t.text);
    free(sql);
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
        cmocka_unit_test(range_vectors), cmocka_unit_test(range_naive),     cmocka_unit_test(engine_vectors),
        cmocka_unit_test(substrings),    cmocka_unit_test(no_partitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
