/* Planning: split points, HBase's own splits, cuts by weight, leading bytes against a naive count, heads of keys. */
#include "cmd/split/plan/advice.h"
#include "cmd/split/plan/key_facts.h"
#include "cmd/split/plan/choice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct bytes text(const char *s) {
    return bytes_str(s);
}

static void wants_separator(struct bytes before, struct bytes row, const char *want) {
    struct buf out = {0};
    struct err err = {0};
    int found = separator_text(before, row, false, &out, &err);
    assert_int_equal(found, want != NULL);
    if (want) assert_true(bytes_eq(buf_bytes(&out), text(want)));
    buf_free(&out);
}

static void separators_are_short_text(void **state) {
    (void)state;
    wants_separator(text("apple"), text("banana"), "b");
    wants_separator(text("user1"), text("user10"), "user10");
    wants_separator(text("user0999"), text("user1000"), "user1");
    wants_separator(text("a\xc3\xa9"), text("a\xc3\xaa"), "a\xc3\xaa"); /* two bytes, one character */
    wants_separator(bytes_of("\x10", 1), bytes_of("\xfe\x01", 2), "\x7f");
    wants_separator(bytes_of("\x80", 1), bytes_of("\xfe\x01", 2), NULL); /* nothing between is text */
    wants_separator(bytes_of("a", 1), bytes_of("a\0b", 3), NULL);        /* nothing between is without NUL */
    wants_separator(bytes_of("a\0b", 3), bytes_of("a\0c", 3), NULL);
    wants_separator(bytes_of("a\xff", 2), text("b"), "b");
}

static void numbers_have_separators_with_nul(void **state) {
    struct buf out = {0};
    struct err err = {0};
    (void)state;
    assert_int_equal(separator_text(bytes_of("\0\0\1\x90", 4), bytes_of("\0\0\2\x90", 4), true, &out, &err), 1);
    assert_true(bytes_eq(buf_bytes(&out), bytes_of("\0\0\2", 3)));
    assert_int_equal(separator_text(bytes_of("\0\0\x80\1", 4), bytes_of("\0\0\x80\2", 4), true, &out, &err), 0);
    buf_free(&out);
}

static const char *bound(const struct plan_choice *c, uint32_t i) {
    static char shown[40];
    snprintf(shown, sizeof shown, "%.*s", (int)c->bounds[i].n, (const char *)c->bounds[i].p);
    return shown;
}

/* Tests bounds against those of RegionSplitter's classes. */
static void splits_are_those_of_hbase(void **state) {
    struct plan_choice c;
    struct err err = {0};
    (void)state;
    assert_int_equal(presplit_make(&c, PLAN_HEX, 16, &err), 0);
    assert_string_equal(bound(&c, 0), "10000000");
    assert_string_equal(bound(&c, 14), "f0000000");
    plan_choice_free(&c);
    assert_int_equal(presplit_make(&c, PLAN_HEX, 10, &err), 0);
    assert_string_equal(bound(&c, 0), "19999999");
    assert_string_equal(bound(&c, 8), "e6666661");
    plan_choice_free(&c);
    assert_int_equal(presplit_make(&c, PLAN_DECIMAL, 3, &err), 0);
    assert_string_equal(bound(&c, 0), "33333333");
    assert_string_equal(bound(&c, 1), "66666666");
    plan_choice_free(&c);
    assert_int_equal(presplit_make(&c, PLAN_UNIFORM, 3, &err), 0);
    assert_memory_equal(c.bounds[0].p, "\x55\x55\x55\x55\x55\x55\x55\x55", 8);
    assert_memory_equal(c.bounds[1].p, "\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa", 8);
    plan_choice_free(&c);
    assert_int_equal(presplit_make(&c, PLAN_NUMBER, 12, &err), 0);
    assert_string_equal(bound(&c, 0), "01");
    assert_string_equal(bound(&c, 10), "11");
    plan_choice_free(&c);
}

/* ---- sorted rows ---- */

enum { ROWS = 2000 };

struct rows {
    char key[ROWS][24];
    struct weighed_row row[ROWS];
    uint32_t n;
};

static int by_key(const void *a, const void *b) {
    return strcmp(a, b);
}

/* Keys of 1 to 20 letters a, b, c: many share their first bytes. Each once. */
static struct rows *random_rows(unsigned seed, unsigned longest) {
    struct rows *r = calloc(1, sizeof *r);
    assert_non_null(r);
    for (unsigned i = 0; i < ROWS; i++) {
        unsigned n = 1 + (unsigned)rand_r(&seed) % longest;
        for (unsigned k = 0; k < n; k++) r->key[i][k] = (char)('a' + rand_r(&seed) % 3);
    }
    qsort(r->key, ROWS, sizeof r->key[0], by_key);
    for (unsigned i = 0; i < ROWS; i++) {
        if (i && !strcmp(r->key[i], r->key[i - 1])) continue;
        struct weighed_row *row = &r->row[r->n++];
        *row = (struct weighed_row){.row = text(r->key[i]), .cells = 1, .bytes = 10 + (uint64_t)rand_r(&seed) % 90, .rank = i};
    }
    return r;
}

static struct bytes last_of(const struct rows *r, uint32_t i) {
    return i ? r->row[i - 1].row : (struct bytes){0};
}

static void check_runs(const struct rows *r, const struct prefix_runs *runs) {
    for (uint32_t length = 0; length <= PLAN_PREFIX_MAX; length++) {
        const struct plan_choice *c = prefix_runs_choice(runs, length, 0);
        uint64_t rows[7] = {0}, bytes[7] = {0}, distinct = 0;
        for (uint32_t i = 0; i < r->n; i++) {
            uint32_t at = plan_choice_place(c, r->row[i].row);
            rows[at]++;
            bytes[at] += r->row[i].bytes;
            distinct += !i || !length || bytes_lcp(r->row[i].row, r->row[i - 1].row) < length;
        }
        assert_int_equal(runs->distinct[length], distinct);
        for (unsigned i = 0; i < 7; i++) {
            assert_int_equal(c->parts[i].rows, rows[i]);
            assert_int_equal(c->parts[i].bytes, bytes[i]);
        }
    }
}

static void leading_bytes_are_counted_as_one_by_one(void **state) {
    const uint32_t counts[] = {7, 23};
    (void)state;
    for (unsigned seed = 1; seed <= 12; seed++) {
        struct rows *r = random_rows(seed, seed < 6 ? seed : 20);
        struct prefix_runs runs;
        struct err err = {0};
        assert_int_equal(prefix_runs_init(&runs, counts, 2, 0, &err), 0);
        for (uint32_t i = 0; i < r->n; i++) prefix_runs_add(&runs, last_of(r, i), &r->row[i]);
        prefix_runs_end(&runs, last_of(r, r->n));
        check_runs(r, &runs);
        prefix_runs_free(&runs);
        free(r);
    }
}

static void cuts_are_even_and_place_as_told(void **state) {
    (void)state;
    for (unsigned seed = 1; seed <= 5; seed++) {
        struct rows *r = random_rows(seed, 20);
        struct range_cuts c;
        struct err err = {0};
        uint64_t total = 0;
        for (uint32_t i = 0; i < r->n; i++) total += r->row[i].bytes;
        assert_int_equal(range_cuts_init(&c, 10, total, 0, &err), 0);
        for (uint32_t i = 0; i < r->n; i++) assert_int_equal(range_cuts_add(&c, last_of(r, i), &r->row[i], &err), 0);
        range_cuts_end(&c);
        assert_int_equal(c.choice.n, 10);
        uint64_t rows[10] = {0};
        for (uint32_t i = 0; i < r->n; i++) rows[plan_choice_place(&c.choice, r->row[i].row)]++;
        for (unsigned i = 0; i < 10; i++) {
            assert_int_equal(c.choice.parts[i].rows, rows[i]);
            assert_true(c.choice.parts[i].bytes > total / 10 - 200 && c.choice.parts[i].bytes < total / 10 + 200);
        }
        range_cuts_free(&c);
        free(r);
    }
}

/* More partitions than rows: as many as there are rows come out. */
static void cuts_end_with_the_rows(void **state) {
    const struct weighed_row rows[] = {{.row = text("a"), .bytes = 5, .cells = 1}, {.row = text("b"), .bytes = 5, .cells = 1}};
    struct range_cuts c;
    struct err err = {0};
    (void)state;
    assert_int_equal(range_cuts_init(&c, 97, 10, 0, &err), 0);
    assert_int_equal(range_cuts_add(&c, (struct bytes){0}, &rows[0], &err), 0);
    assert_int_equal(range_cuts_add(&c, rows[0].row, &rows[1], &err), 0);
    range_cuts_end(&c);
    assert_int_equal(c.choice.n, 2);
    range_cuts_free(&c);
}

static void heads_of_keys_are_known(void **state) {
    (void)state;
    assert_int_equal(key_head_of(text("1700000000000_user")), HEAD_EPOCH_TEXT);
    assert_int_equal(key_head_of(text("1700000000-x")), HEAD_EPOCH_TEXT);
    assert_int_equal(key_head_of(text("9223370336854775807")), HEAD_REVERSED_TEXT);
    assert_int_equal(key_head_of(text("20260131|a")), HEAD_DATE_TEXT);
    assert_int_equal(key_head_of(text("2026-01-31 12:00")), HEAD_DATE_TEXT);
    assert_int_equal(key_head_of(text("20261331|a")), HEAD_OTHER);
    assert_int_equal(key_head_of(bytes_of("\0\0\x01\x8b\xcf\xe5\x68\0x", 9)), HEAD_EPOCH_LONG);
    assert_int_equal(key_head_of(bytes_of("\x7f\xff\xfe\x74\x30\x1a\x97\xffx", 9)), HEAD_REVERSED_LONG);
    assert_int_equal(key_head_of(text("user000123")), HEAD_OTHER);
    assert_int_equal(key_head_of(text("")), HEAD_OTHER);
}

static void counts_fit_nodes_and_limit(void **state) {
    const uint32_t counts[] = {23, 59, 97, 193};
    const uint64_t limit = UINT64_C(100) << 30;
    (void)state;
    assert_int_equal(advice_partitions(counts, 4, 1e9, limit, 3), 23);
    assert_int_equal(advice_partitions(counts, 4, 1e9, limit, 20), 97);  /* four for each node */
    assert_int_equal(advice_partitions(counts, 4, 1e18, limit, 3), 193); /* none fits: the most there is */
}

/* The worked figures of OceanBase's guide to the OBKV-HBase data model, as docs/plan.md lists them. */
static void counts_are_those_of_the_guide(void **state) {
    const uint32_t counts[] = {23, 59, 97, 193, 389, 997};
    const double tb = (double)(UINT64_C(1) << 40);
    const uint64_t limit = UINT64_C(100) << 30;
    (void)state;
    assert_int_equal(advice_partitions(counts, 6, 8 * tb, limit, 3), 97);
    assert_int_equal(advice_partitions(counts, 6, 24 * tb / 3, limit, 3), 97);
    assert_int_equal(advice_partitions(counts, 6, 50 * tb / 3, limit, 3), 193);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separators_are_short_text),       cmocka_unit_test(numbers_have_separators_with_nul),
        cmocka_unit_test(splits_are_those_of_hbase),       cmocka_unit_test(leading_bytes_are_counted_as_one_by_one),
        cmocka_unit_test(cuts_are_even_and_place_as_told), cmocka_unit_test(cuts_end_with_the_rows),
        cmocka_unit_test(heads_of_keys_are_known),         cmocka_unit_test(counts_fit_nodes_and_limit),
        cmocka_unit_test(counts_are_those_of_the_guide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
