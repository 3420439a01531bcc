/* Cuts of sorted keys and the prefixes told from them, against counting every key. */
#include "cmd/common/spread/key_prefixes.h"
#include "cmd/common/spread/spread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { KEYS = 20000, KEY_BYTES = 80, STREAMS = 5 };

struct key {
    uint8_t p[KEY_BYTES];
    size_t n;
    uint64_t bytes;
};

static uint64_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static struct bytes of(const struct key *k) {
    return bytes_of(k->p, k->n);
}

static int by_key(const void *a, const void *b) {
    return bytes_cmp(of(a), of(b));
}

/* Kinds of keys: text with few heavy leading parts, bytes of any value, one long common beginning, keys of one letter. */
static void make_key(struct key *k, unsigned kind, uint64_t *seed) {
    uint64_t a = next(seed), b = next(seed);
    char text[KEY_BYTES];
    if (kind == 0) snprintf(text, sizeof text, "user%02u-%u", (unsigned)(a % 10 ? a % 3 : a % 40), (unsigned)(b % 5000));
    if (kind == 1) snprintf(text, sizeof text, "a-long-beginning-that-all-keys-have-in-common-%u", (unsigned)(b % 90000));
    k->n = kind < 2 ? strlen(text) : kind == 2 ? 1 + a % 12 : 1 + a % 70;
    for (size_t i = 0; i < k->n; i++) k->p[i] = kind < 2 ? (uint8_t)text[i] : kind == 2 ? (uint8_t)next(seed) : 'x';
    k->bytes = 20 + (a % 50 ? b % 100 : b % 3000);
}

/* Streams as partitions are: every key in one of them, each in order, each key once. */
static void cut(struct key *keys, size_t n, uint32_t most, struct key_cuts *all) {
    struct err err = {0};
    for (unsigned s = 0; s < STREAMS; s++) {
        struct key_cuts k = {0};
        key_cuts_limit(&k, most);
        for (size_t i = 0; i < n; i++) {
            const struct key_weight w = {keys[i].bytes, 1, 1};
            if (keys[i].p[keys[i].n - 1] % STREAMS == s) assert_int_equal(key_cuts_add(&k, of(&keys[i]), &w, &err), 0);
        }
        key_cuts_finish(&k);
        assert_true(k.n <= most);
        assert_int_equal(key_cuts_merge(all, &k, &err), 0);
        key_cuts_free(&k);
    }
    key_cuts_sort(all);
}

static uint64_t count(const struct key *keys, size_t n, const struct key_prefix_weight *p, uint64_t *rows) {
    uint64_t bytes = 0;
    *rows = 0;
    for (size_t i = 0; i < n; i++)
        if (keys[i].n >= p->n && !memcmp(keys[i].p, p->key, p->n)) {
            bytes += keys[i].bytes;
            ++*rows;
        }
    return bytes;
}

static size_t make_keys(struct key *keys, unsigned kind, uint64_t *seed) {
    size_t n = 0;
    for (size_t i = 0; i < KEYS; i++) make_key(&keys[i], kind, seed);
    qsort(keys, KEYS, sizeof *keys, by_key);
    for (size_t i = 0; i < KEYS; i++)
        if (!n || by_key(&keys[n - 1], &keys[i])) keys[n++] = keys[i];
    return n;
}

static void check_kind(unsigned kind, uint32_t most, bool exact, double least) {
    struct key *keys = calloc(KEYS, sizeof *keys);
    uint64_t seed = 77 + kind, total = 0, rows;
    struct key_cuts all = {0};
    struct key_prefixes p;
    struct err err = {0};
    size_t n = make_keys(keys, kind, &seed);
    cut(keys, n, most, &all);
    for (size_t i = 0; i < n; i++) total += keys[i].bytes;
    const struct key_prefixes_opts o = {30, least};
    assert_int_equal(key_prefixes_make(&all, &o, &p, &err), 0);
    assert_int_equal(p.total_bytes, total);
    for (uint32_t i = 0; i < p.n; i++) {
        const struct key_prefix_weight *w = &p.list[i];
        uint64_t bytes = count(keys, n, w, &rows);
        assert_true(w->low.bytes <= bytes && bytes <= w->high.bytes);
        assert_true(w->low.rows <= rows && rows <= w->high.rows);
        if (exact) assert_true(w->low.bytes == w->high.bytes);
        if (i) assert_true(bytes_cmp(bytes_of(w[-1].key, w[-1].n), bytes_of(w->key, w->n)) < 0);
    }
    if (kind != 2) assert_true(p.n > 0);
    key_prefixes_free(&p);
    key_cuts_free(&all);
    free(keys);
}

static void rows_fit_in_cuts(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) check_kind(kind, KEYS, true, 0.01);
}

/* Far more rows than cuts: what is told holds, and short prefixes are exact. */
static void rows_are_joined(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) check_kind(kind, 400, false, 0.01);
    for (unsigned kind = 0; kind < 4; kind++) check_kind(kind, 16, false, 0.01);
    check_kind(0, 400, true, 0.05);
}

static void heavy_key_is_found(void **state) {
    struct key_cuts k = {0};
    struct key_prefixes p;
    struct err err = {0};
    (void)state;
    key_cuts_limit(&k, 20);
    for (unsigned i = 0; i < 3000; i++) {
        char row[16];
        const struct key_weight w = {i == 1234 ? 30000 : 10, 1, 1};
        int n = snprintf(row, sizeof row, "k%05u", i);
        assert_int_equal(key_cuts_add(&k, bytes_of(row, (size_t)n), &w, &err), 0);
    }
    key_cuts_finish(&k);
    const struct key_prefixes_opts o = {4, 0.3};
    assert_int_equal(key_prefixes_make(&k, &o, &p, &err), 0);
    assert_true(p.n >= 1);
    const struct key_prefix_weight *last = &p.list[p.n - 1];
    bool found = false;
    for (uint32_t i = 0; i < p.n; i++) found = found || (p.list[i].n == 6 && !memcmp(p.list[i].key, "k01234", 6));
    assert_true(found);
    assert_true(last->low.bytes >= 30000);
    key_prefixes_free(&p);
    key_cuts_free(&k);
}

static void heaviest_rows(void **state) {
    struct top_rows a = {.most = 3}, b = {.most = 3}, none = {0};
    struct err err = {0};
    (void)state;
    const uint64_t weights[] = {5, 9, 9, 1, 7, 9};
    for (unsigned i = 0; i < 6; i++) {
        uint8_t row[2000];
        const struct top_row r = {.bytes = weights[i], .cells = 1};
        memset(row, (int)('a' + i), sizeof row);
        assert_int_equal(top_rows_add(i % 2 ? &a : &b, &r, bytes_of(row, i == 5 ? 2000 : 1), &err), 0);
        assert_int_equal(top_rows_add(&none, &r, bytes_of(row, 1), &err), 0);
    }
    assert_int_equal(top_rows_merge(&a, &b, &err), 0);
    assert_int_equal(a.n, 3);
    assert_true(a.rows[0].row[0] == 'b' && a.rows[1].row[0] == 'c' && a.rows[2].row[0] == 'f');
    assert_int_equal(a.rows[2].row_bytes, 2000);
    assert_int_equal(top_row_key(&a.rows[2]).n, TOP_ROW_BYTES);
    assert_int_equal(none.n, 0);
    top_rows_free(&a);
    top_rows_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_fit_in_cuts), cmocka_unit_test(rows_are_joined),
                                       cmocka_unit_test(heavy_key_is_found), cmocka_unit_test(heaviest_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
